"""Status entries in a skill's `metadata`, which do not change what it does.

The curator never changes a `pinned` skill. `deprecated` warns its users, and is the
reason.
"""

from skillforge.document.edit import remove_field, set_field
from skillforge.errors import RequestError
from skillforge.model import SKILL_FILE, Document, Skill

PINNED = "pinned"
DEPRECATED = "deprecated"
_MARKS = (PINNED, DEPRECATED, "version")
_NO = ("", "false", "no", "off", "0")


def is_pinned(document: Document | None) -> bool:
    """Whether a skill is exempt from automatic changes."""
    return document is not None and document.metadata(PINNED).lower() not in _NO


def deprecation(document: Document | None) -> str:
    """Why a skill is deprecated; empty if it is not."""
    return document.metadata(DEPRECATED) if document else ""


def marked(text: str, mark: str, value: str) -> str:
    """A SKILL.md with an entry set, or removed if the value is empty."""
    path = ("metadata", mark)
    return set_field(text, path, value) if value else remove_field(text, path)


def is_only_marked(before: Skill, after: Skill) -> bool:
    """Whether two versions of a skill differ only in status entries."""
    if before.document is None or after.document is None:
        return False
    return _other_files(before) == _other_files(after) and _unmarked(
        before
    ) == _unmarked(after)


def _other_files(skill: Skill) -> dict[str, tuple[str, bytes]]:
    return {
        path: (file.kind, skill.read(path))
        for path, file in skill.files.items()
        if path != SKILL_FILE
    }


def _unmarked(skill: Skill) -> str:
    assert skill.document is not None
    text = skill.document.text
    try:
        for mark in _MARKS:
            text = marked(text, mark, "")
    except RequestError:  # the header cannot be edited: compare all of it
        return skill.document.text
    return text
