"""The rules of rule packs (TOML): signs, their place, and what is near them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from skillforge.checks.scan.hosts import NAMELESS
from skillforge.checks.scan.match_context import (
    OUTSIDE,
    TAKE_OUT,
    is_warning,
    leads_out,
    report_match,
    strangers,
)
from skillforge.checks.scan.matches import ScanMatches, SignMatch, quoted
from skillforge.checks.scan.signs import expand, expand_parts, own_packs
from skillforge.model import Profile, Rule, RuleProblem, Severity

_SHOWN = 60  # characters of a nearby match that a message quotes


class Nearby(NamedTuple):
    """Other signs that have to be near a match."""

    signs: tuple[str, ...]
    lines: int = 0  # how many lines away they may be
    views: tuple[str, ...] = ()  # where they have to be; anywhere, if empty


class Condition(NamedTuple):
    """When a match of a sign is a finding: all conditions that are set must hold.

    `text` and `not_text` are searched in the match, `line` and `not_line` in the line
    around it. `quoted` decides about matches that are only quoted or warned about: skip
    them, report them, or report only them.
    """

    signs: tuple[str, ...]
    message: str
    hint: str = TAKE_OUT
    views: tuple[str, ...] = ()
    not_views: tuple[str, ...] = ()
    not_languages: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    not_text: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    not_line: tuple[str, ...] = ()
    near: tuple[Nearby, ...] = ()
    links: str = ""  # nameless, outside or unrelated
    link_lines: int = 0
    mail: bool = False  # whether a mail address counts as a link
    quoted: str = "skip"

    def problems(self, matches: ScanMatches) -> Iterator[RuleProblem]:
        """The matches of the signs that fulfil all conditions."""
        for match in matches.of(*self.signs):
            if not (self._is_in_place(match) and self._fits_text(match)):
                continue
            if self.quoted != "report" and is_warning(match) != (self.quoted == "only"):
                continue
            nearby = self._nearby(matches, match)
            if nearby is not None and self._has_links(matches, match):
                yield report_match(match, self._message(nearby), self.hint)

    def _is_in_place(self, match: SignMatch) -> bool:
        return (
            (not self.views or match.view in self.views)
            and match.view not in self.not_views
            and match.segment.language not in self.not_languages
        )

    def _fits_text(self, match: SignMatch) -> bool:
        return (
            all(_regex(source).search(match.text) for source in self.text)
            and not any(_regex(source).search(match.text) for source in self.not_text)
            and all(_regex(source).search(match.context) for source in self.line)
            and not any(
                _regex(source).search(match.context) for source in self.not_line
            )
        )

    def _nearby(self, matches: ScanMatches, match: SignMatch) -> list[SignMatch] | None:
        """A match of each of the nearby signs; None if one of them is missing."""
        nearby: list[SignMatch] = []
        for condition in self.near:
            nearest = matches.beside(match, condition.signs, condition.lines)
            if nearest is None or (
                condition.views and nearest.view not in condition.views
            ):
                return None
            nearby.append(nearest)
        return nearby

    def _has_links(self, matches: ScanMatches, match: SignMatch) -> bool:
        if not self.links:
            return True
        if self.links == "unrelated":
            return bool(strangers(matches, match, self.link_lines))
        if self.mail:
            return leads_out(matches, match, self.link_lines)
        kinds = NAMELESS if self.links == "nameless" else OUTSIDE
        return bool(matches.links_near(match, self.link_lines, kinds))

    def _message(self, nearby: list[SignMatch]) -> str:
        if not nearby:
            return self.message
        message = self.message.replace("{line}", str(nearby[0].line))
        return message.replace("{near}", quoted(nearby[0].text)[:_SHOWN])


@dataclass(frozen=True, slots=True)
class DataRule:
    """The check of a rule of a pack: any of its conditions."""

    conditions: tuple[Condition, ...]

    def __call__(self, matches: ScanMatches) -> Iterator[RuleProblem]:
        for condition in self.conditions:
            yield from condition.problems(matches)


@cache
def _regex(source: str) -> re.Pattern[str]:
    return re.compile(source, re.MULTILINE)


_KEYS = {"in": "views", "not_in": "not_views"}  # keys of a table, and our fields
_PATTERNS = ("text", "not_text", "line", "not_line")
_LISTS = ("views", "not_views", "not_languages", *_PATTERNS)


def make_rule(
    rule_id: str,
    entry: Mapping[str, Any],
    names: Mapping[str, str] | None = None,
    parts: Mapping[str, str] | None = None,
) -> Rule:
    """The rule that a table of a pack describes.

    `names` maps the signs of the pack to their full names.
    """
    conditions = tuple(
        _condition(table, entry, names or {}, parts or {}) for table in entry["match"]
    )
    return Rule(
        rule_id,
        DataRule(conditions),
        Severity(entry.get("severity", Severity.ERROR)),
        Profile.SPEC,
        entry.get("category", "library"),
        entry["about"].strip(),
    )


def _condition(
    table: Mapping[str, Any],
    entry: Mapping[str, Any],
    names: Mapping[str, str],
    parts: Mapping[str, str],
) -> Condition:
    settings: dict[str, Any] = {
        "message": entry["message"],
        "hint": entry.get("hint", TAKE_OUT),
    }
    for key, value in table.items():
        name = _KEYS.get(key, key)
        if name in _LISTS:
            value = (value,) if isinstance(value, str) else tuple(value)
        if name in _PATTERNS:
            value = tuple(expand(source, parts) for source in value)
        settings[name] = value
    settings["signs"] = _full_names(table["signs"], names)
    settings["near"] = tuple(
        Nearby(
            _full_names(near["signs"], names),
            near.get("lines", 0),
            tuple(near.get("in", ())),
        )
        for near in table.get("near", ())
    )
    return Condition(**settings)


def _full_names(signs: list[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(name, name) for name in signs)


@cache
def own_rules() -> tuple[Rule, ...]:
    """The rules of our own packs, in their order."""
    return tuple(
        make_rule(rule_id, entry, parts=expand_parts(pack))
        for pack in own_packs()
        for rule_id, entry in pack.get("rules", {}).items()
    )
