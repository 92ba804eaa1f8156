"""Signs: what the scan searches for. A sign alone is no finding; rules combine signs.

Our own signs are in `packs/*.toml`. A pattern is written for lower-case text (see
`normalize`) and matches within one line. It is tried only near the words that it
requires, which `packs/words.json` lists: an ordinary skill takes a few milliseconds,
and no input makes a pattern slow.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

PACKS = Path(__file__).with_name("packs")
WORDS_FILE = PACKS / "words.json"
BORDER = "\b"  # before a required word: no letter, digit or underscore precedes it
LONGEST_MATCH = 600  # characters; longer matches are not guaranteed

_PART = re.compile(r"\{([a-z][a-z0-9_-]*)\}")


@dataclass(eq=False)
class Pattern:
    """A regular expression, the maximum length of a match, and its required words.

    `words` are groups, the rarest first: a match contains a word of each. Without any,
    the pattern may match anywhere. `weight` is its cost for each character.
    """

    source: str
    reach: int = LONGEST_MATCH
    words: tuple[tuple[str, ...], ...] = ()
    weight: int = 1

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """Compiled at first use, as most skills need few of the patterns."""
        return re.compile(self.source, re.MULTILINE)


class Sign(NamedTuple):
    """Something to search for: any of its patterns.

    Commands are often quoted, so quotes around one do not mean that the text only
    mentions it.
    """

    name: str
    patterns: tuple[Pattern, ...]
    is_command: bool = False


class UnknownPartError(Exception):
    """A pattern refers to a part that its pack does not define."""


def expand(source: str, parts: Mapping[str, str]) -> str:
    """A pattern as one line, with `{name}` replaced by the part of that name."""
    if "\n" in source:
        source = "".join(line.strip() for line in source.split("\n"))
    try:
        return _PART.sub(lambda match: parts[match[1]], source)
    except KeyError as err:
        raise UnknownPartError(err.args[0]) from err


def expand_parts(pack: Mapping[str, Any]) -> dict[str, str]:
    """The parts of a pack; each may refer to those before it."""
    parts: dict[str, str] = {}
    for name, source in pack.get("parts", {}).items():
        parts[name] = expand(source, parts)
    return parts


@cache
def own_packs() -> tuple[dict[str, Any], ...]:
    """The content of our own packs."""
    import tomllib

    paths = sorted(PACKS.glob("*.toml"))
    return tuple(tomllib.loads(path.read_text(encoding="utf-8")) for path in paths)


def own_patterns() -> dict[str, list[str]]:
    """The expanded patterns of our own signs, by sign."""
    patterns: dict[str, list[str]] = {}
    for pack in own_packs():
        parts = expand_parts(pack)
        for name, sign in pack["signs"].items():
            patterns[name] = [expand(source, parts) for source in sign["patterns"]]
    return patterns


@cache
def own_signs() -> dict[str, Sign]:
    """Our own signs, by name."""
    needed = json.loads(WORDS_FILE.read_text(encoding="utf-8"))
    commands = {
        name
        for pack in own_packs()
        for name, sign in pack["signs"].items()
        if sign.get("command")
    }
    return {
        name: Sign(
            name,
            tuple(_own_pattern(source, needed) for source in sources),
            name in commands,
        )
        for name, sources in own_patterns().items()
    }


def _own_pattern(source: str, needed: Mapping[str, Any]) -> Pattern:
    entry = needed.get(key_of(source))
    if entry is None:
        return Pattern(source)
    return Pattern(source, entry["reach"], tuple(map(tuple, entry["words"])))


def key_of(source: str) -> str:
    """The name of a pattern in `words.json`."""
    return f"{crc32(source.encode()):08x}{len(source):04x}"
