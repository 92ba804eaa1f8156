"""Remember what a key was handed, so that its outcomes count for that version."""

import time
from collections.abc import Iterable

from skillforge.errors import ToolError
from skillforge.library import Library
from skillforge.model import Assignment
from skillforge.operate.pseudonym import voice
from skillforge.store import Uses


def remember(library: Library, given: Iterable[Assignment], key: str) -> str:
    """Write down what a key has now; why not, where that cannot be.

    A skill can be used where nothing may be written: then `record` goes by what the key
    would get at that time.
    """
    try:
        store = Uses.of(library.repository().common_dir)
        store.hand([(it, voice(it.skill, key)) for it in given], int(time.time()))
    except ToolError as err:
        return err.message
    return ""
