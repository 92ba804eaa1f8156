"""A sign: something to look for. None is an alarm by itself; rules put them together.

Patterns are for text in lower case (see `normal`), and are tried only around one of
the words that they need, within one line: an honest skill costs a few milliseconds,
and no input makes a pattern slow.
"""

import re
from typing import NamedTuple


class Sign(NamedTuple):
    """A pattern, and the words of which one has to be there."""

    name: str
    needs: tuple[str, ...]
    pattern: re.Pattern[str]


def sign(name: str, needs: str, *patterns: str) -> Sign:
    """A sign; what it needs is written as `one|two`, its patterns are alternatives."""
    either = "|".join(f"(?:{pattern})" for pattern in patterns)
    return Sign(name, tuple(needs.split("|")), re.compile(either, re.MULTILINE))
