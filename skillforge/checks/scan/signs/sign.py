"""A sign: something to look for. None is an alarm by itself; rules put them together.

Patterns are for text in lower case (see `normal`), and match within one line. They are
tried only around the words that they need, which `words.json` lists: an honest skill
costs a few milliseconds, and no input makes a pattern slow.
"""

import json
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from zlib import crc32

WORDS_FILE = Path(__file__).with_name("words.json")
BORDER = "\b"  # before a word of that file: no letter, digit or underscore is there
FARTHEST = 600  # characters of a match; of a longer one, only so many are certain


@dataclass(frozen=True)
class Pattern:
    """A pattern, how long a match may be, and groups of words: it has one of each."""

    source: str

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """Made when it is needed: most are not, for most skills."""
        return re.compile(self.source, re.MULTILINE)

    @cached_property
    def reach(self) -> int:
        return self._needed[0]

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The rarest first; none if they are not known, and it may match anywhere."""
        return self._needed[1]

    @cached_property
    def _needed(self) -> tuple[int, tuple[tuple[str, ...], ...]]:
        return _needed().get(key_of(self.source), (FARTHEST, ()))


@dataclass(frozen=True)
class Sign:
    """Something to look for: any of its patterns."""

    name: str
    patterns: tuple[Pattern, ...]


def sign(name: str, *patterns: str) -> Sign:
    """A sign; its patterns are alternatives."""
    return Sign(name, tuple(map(Pattern, patterns)))


def key_of(source: str) -> str:
    """What a pattern is called in the file of words."""
    return f"{crc32(source.encode()):08x}{len(source):04x}"


@cache
def _needed() -> dict[str, tuple[int, tuple[tuple[str, ...], ...]]]:
    found = json.loads(WORDS_FILE.read_text(encoding="utf-8"))
    return {
        key: (it["reach"], tuple(map(tuple, it["words"]))) for key, it in found.items()
    }
