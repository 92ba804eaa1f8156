"""Rule packs of a library: signs and rules in TOML files that its policy names.

They are read at the base revision, so a draft cannot change the rules that it is
checked with. An invalid pack is an error that names the file, the line and the key.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillforge.checks.scan import pattern_cost
from skillforge.checks.scan.data_rules import make_rule
from skillforge.checks.scan.required_words import required_words
from skillforge.checks.scan.signs import (
    Pattern,
    Sign,
    UnknownPartError,
    expand,
    expand_parts,
    own_signs,
)
from skillforge.errors import ConfigError
from skillforge.library import Library
from skillforge.model import Rule
from skillforge.policy import POLICY_FILE
from skillforge.schema_errors import misfit

SCHEMA = "rule-pack.schema.json"
MAX_BYTES = 1 << 18
MOST_WAYS = 10_000  # in which a pattern may be tried from one start
_WAYS_PER_UNIT = 100  # of the budget, for each character
_CONDITIONS = ("text", "not_text", "line", "not_line")
_HINT = "docs/rule-packs.md describes the format"
_HEADER = re.compile(r"\[{1,2}([^\[\]]+)\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"""\s*["']?([\w.-]+)["']?\s*=""")


@dataclass(frozen=True, slots=True)
class RulePack:
    """The signs and rules of one pack; their names start with the name of the pack."""

    name: str
    digest: str  # of the file
    signs: Mapping[str, Sign]
    rules: tuple[Rule, ...]


def read_packs(
    library: Library, paths: Iterable[str], revision: str | None
) -> tuple[RulePack, ...]:
    """The packs of a library, in its checkout or at a revision."""
    packs: dict[str, RulePack] = {}
    for path in paths:
        pack = _read(library, path, revision)
        if pack.name in packs:
            raise _error(path, 1, f"name: another rule pack is called {pack.name!r}")
        packs[pack.name] = pack
    return tuple(packs.values())


def _read(library: Library, path: str, revision: str | None) -> RulePack:
    data = library.read_file(path, revision)
    if not data:
        where = f" at {revision[:12]}" if revision else ""
        raise ConfigError(
            f"{POLICY_FILE}: scan.rule_packs: no rule pack {path}{where}",
            hint=f"add the file, or remove it from {POLICY_FILE}",
        )
    return read_pack(path, data)


def read_pack(path: str, data: bytes) -> RulePack:
    """Read a pack, or raise an error with the file, line and key."""
    content = _parse(path, data)
    source = PackSource(path, data.decode("utf-8"))
    if mismatch := misfit(content, SCHEMA):
        raise source.error(mismatch.path, mismatch.message)
    name = content["name"]
    parts = _parts(source, content)
    signs = {
        f"{name}/{sign}": _sign(source, f"{name}/{sign}", entry, parts)
        for sign, entry in content.get("signs", {}).items()
    }
    names = {full.partition("/")[2]: full for full in signs}
    for place, sign in _named_signs(content):
        if sign not in names and sign not in own_signs():
            raise source.error(place, f"unknown sign {sign!r}")
    for place, pattern in _conditions(content):
        _checked(source, place, pattern, parts)
    rules = tuple(
        make_rule(f"{name}/{rule}", entry, names, parts)
        for rule, entry in content.get("rules", {}).items()
    )
    return RulePack(name, hashlib.sha256(data).hexdigest(), signs, rules)


def _parse(path: str, data: bytes) -> dict[str, Any]:
    if len(data) > MAX_BYTES:
        raise _error(path, 1, f"the file has more than {MAX_BYTES >> 10} KB")
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as err:
        raise _error(path, data.count(b"\n", 0, err.start) + 1, "not UTF-8") from err
    except (tomllib.TOMLDecodeError, RecursionError) as err:
        line = re.search(r"at line (\d+)", str(err))
        text = data.decode("utf-8")
        number = int(line[1]) if line else text.rstrip().count("\n") + 1
        raise _error(path, number, f"not TOML: {err}") from err


def _parts(source: "PackSource", content: Mapping[str, Any]) -> dict[str, str]:
    try:
        return expand_parts(content)
    except UnknownPartError as err:
        place = ["parts"]
        raise source.error(
            place, f"unknown part {{{err}}}; define it above its use"
        ) from err


def _sign(
    source: "PackSource", name: str, entry: Mapping[str, Any], parts: Mapping[str, str]
) -> Sign:
    place = ["signs", name.partition("/")[2], "patterns"]
    patterns = [
        _checked(source, [*place, number], pattern, parts)
        for number, pattern in enumerate(entry["patterns"])
    ]
    return Sign(name, tuple(patterns), entry.get("command", False))


def _checked(
    source: "PackSource", place: list[Any], pattern: str, parts: Mapping[str, str]
) -> Pattern:
    """A pattern that compiles, can match, and has a bounded cost; or an error."""
    try:
        regex = expand(pattern, parts)
        re.compile(regex, re.MULTILINE)
    except UnknownPartError as err:
        raise source.error(place, f"unknown part {{{err}}}") from err
    except (re.error, RecursionError, OverflowError) as err:
        raise source.error(place, f"not a regular expression: {err}") from err
    for problem in pattern_cost.problems(regex):
        raise source.error(place, problem)
    ways = pattern_cost.ways(regex)
    if ways > MOST_WAYS:
        message = "can take too long on some texts; bound its repetitions ({0,80})"
        raise source.error(place, f"{message}, and use one long gap, not several")
    reach, words = required_words(regex)
    return Pattern(regex, reach, words, 1 + ways // _WAYS_PER_UNIT)


def _tables(content: Mapping[str, Any]) -> Iterator[tuple[list[Any], Any]]:
    """The `match` tables of all rules, and their places."""
    for rule, entry in content.get("rules", {}).items():
        for number, table in enumerate(entry["match"]):
            yield ["rules", rule, "match", number], table


def _named_signs(content: Mapping[str, Any]) -> Iterator[tuple[list[Any], str]]:
    for place, table in _tables(content):
        for sign in table["signs"]:
            yield [*place, "signs"], sign
        for near in table.get("near", ()):
            for sign in near["signs"]:
                yield [*place, "near"], sign


def _conditions(content: Mapping[str, Any]) -> Iterator[tuple[list[Any], str]]:
    """The patterns in the conditions of rules, and their places."""
    for place, table in _tables(content):
        for key in _CONDITIONS:
            value = table.get(key, ())
            for pattern in [value] if isinstance(value, str) else value:
                yield [*place, key], pattern


class PackSource:
    """The text of a pack, for the lines of keys, which `tomllib` does not report."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._lines = text.split("\n")

    def error(self, place: Sequence[Any], message: str) -> ConfigError:
        """An error at a place: the keys and indexes that lead to it."""
        key = ".".join(map(str, place))
        return _error(
            self._path, self.line_of(place), f"{key}: {message}" if key else message
        )

    def line_of(self, place: Sequence[Any]) -> int:
        """The line of a key, or of the innermost table around it."""
        best, line = 0, 1
        for number, key in self._keys():
            depth = len(key)
            if depth > best and list(place[:depth]) == key:
                best, line = depth, number
        return line

    def _keys(self) -> Iterator[tuple[int, list[Any]]]:
        """The tables and keys of the file, with their lines."""
        table: list[Any] = []
        counts: dict[str, int] = {}
        closing = ""  # the quotes that end a multi-line string
        for number, line in enumerate(self._lines, 1):
            if closing:
                closing = "" if closing in line else closing
                continue
            if header := _HEADER.fullmatch(line.strip()):
                table = [key.strip("\"' ") for key in header[1].split(".")]
                if line.strip().startswith("[["):
                    counts[header[1]] = counts.get(header[1], -1) + 1
                    table.append(counts[header[1]])
                yield number, table
            elif key := _KEY.match(line):
                yield number, [*table, *key[1].split(".")]
            for quotes in ("'''", '"""'):
                if line.count(quotes) % 2:
                    closing = quotes


def _error(path: str, line: int, message: str) -> ConfigError:
    return ConfigError(f"{path}:{line}: {message}", hint=_HINT)
