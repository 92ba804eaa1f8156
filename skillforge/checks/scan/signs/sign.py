"""A sign: something to look for. None is an alarm by itself; rules put them together.

Patterns are for text in lower case (see `normal`), and are tried only around one of
the words that they need, within one line: an honest skill costs a few milliseconds,
and no input makes a pattern slow.
"""

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Sign:
    """A pattern, and the words of which one has to be there."""

    name: str
    needs: tuple[str, ...]
    source: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Made when it is needed: most are not, for most skills."""
        return re.compile(self.source, re.MULTILINE)


def sign(name: str, needs: str, *patterns: str) -> Sign:
    """A sign; what it needs is written as `one|two`, its patterns are alternatives."""
    either = "|".join(f"(?:{pattern})" for pattern in patterns)
    return Sign(name, tuple(needs.split("|")), either)
