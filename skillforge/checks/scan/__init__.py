"""What a skill would make an agent do, and what a change adds to that.

`scan` is a function of the bytes of a skill, of those it had before, and of its
evidence: no file is unpacked, nothing is run, nothing in it can switch the scan off.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING

from skillforge.model import Danger, Finding, Rule, Severity, Skill

if TYPE_CHECKING:
    from skillforge.checks.scan.capabilities import Capabilities
    from skillforge.checks.scan.matches import ScanMatches

_MOST = 10  # findings of one rule in one file: more of the same tell nothing new


@dataclass(frozen=True, slots=True)
class Scan:
    """What a scan found in one skill; paths are relative to its folder."""

    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Danger:
        return Danger.of(self.findings)


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule of the scan: attacks, then doubts, then notes."""
    from skillforge.checks.scan import (
        attack_rules,
        caution_rules,
        change_rules,
        declaration_rules,
        disguise_rules,
        instruction_rules,
        leak_rules,
    )
    from skillforge.checks.scan import capabilities as notes

    return (
        *attack_rules.ATTACKS,
        *instruction_rules.ORDERS,
        *disguise_rules.DISGUISES,
        *caution_rules.DOUBTS,
        *leak_rules.LEAKS,
        *change_rules.CHANGES,
        *declaration_rules.DECLARED,
        *notes.POWERS,
    )


def scan(
    skill: Skill,
    before: Skill | None = None,
    evidence: Mapping[str, bytes] | None = None,
    *,
    must_declare: bool = False,
) -> Scan:
    """Scan a skill; with what it was before, also what is new about it."""
    from skillforge.checks.scan.capabilities import POWERS, declared, powers
    from skillforge.checks.scan.change_rules import CHANGES, SkillChange
    from skillforge.checks.scan.declaration_rules import DECLARED, Declared
    from skillforge.checks.scan.disguise_rules import DISGUISES

    seen = _seen(skill, evidence or {})
    able = powers(skill, seen)
    said = Declared(able, declared(skill.document), must_declare)
    found = _findings(_on_signs(), seen)
    changes: list[Finding] = []
    known: set[tuple[str, str, str]] = set()
    if before is not None:
        was = _seen(before, {})
        changes = _findings(CHANGES, SkillChange(was, seen, powers(before, was), able))
        rules = (*_on_signs(), *DISGUISES)
        known = set(_what_they_show(_findings(rules, was), before))
    # What could not be read is known when all signs were searched.
    found += _findings(DISGUISES, seen)
    found += (*_findings(DECLARED, said), *_findings(POWERS, able))
    if known:
        shown = _what_they_show(found, skill)
        pairs = zip(found, shown, strict=True)
        found = [_seen_before(f) if same in known else f for f, same in pairs]
    return Scan(tuple(_in_order([*found, *changes])))


@cache
def _on_signs() -> tuple[Rule, ...]:
    from skillforge.checks.scan.attack_rules import ATTACKS
    from skillforge.checks.scan.caution_rules import DOUBTS
    from skillforge.checks.scan.instruction_rules import ORDERS
    from skillforge.checks.scan.leak_rules import LEAKS

    return (*ATTACKS, *ORDERS, *DOUBTS, *LEAKS)


def able(skill: Skill) -> "Capabilities":
    """What a skill is able to do."""
    from skillforge.checks.scan.capabilities import powers

    return powers(skill, _seen(skill, {}))


def _seen(skill: Skill, evidence: Mapping[str, bytes]) -> "ScanMatches":
    from skillforge.checks.scan.matches import ScanMatches
    from skillforge.checks.scan.text_extraction import read, read_bytes

    about = skill.name
    if skill.document and skill.document.words("name"):
        about = skill.document.words("name") + skill.document.words("description")
    beside = (
        read_bytes(f"../../evidence/{skill.name}/{name}.json", data)
        for name, data in evidence.items()
    )
    return ScanMatches(chain(read(skill), chain.from_iterable(beside)), about)


def _findings(rules: Iterable[Rule], subject: object) -> list[Finding]:
    return [finding for rule in rules for finding in rule.findings(subject)]


def _what_they_show(
    findings: Iterable[Finding], skill: Skill
) -> Iterator[tuple[str, str, str]]:
    """What makes findings the same: what they show, or all of their file's bytes."""
    from skillforge.checks.scan.waivers import digest

    digest_of = cache(partial(digest, skill))
    for finding in findings:
        is_whole = finding.text and not finding.text.endswith("…")
        content = "" if is_whole else digest_of(finding.path.partition("!")[0])
        yield finding.rule, finding.path, content or finding.text


def _seen_before(finding: Finding) -> Finding:
    """A doubt that was there before somebody has decided; a danger stays one."""
    if finding.severity is not Severity.WARNING:
        return finding
    message = f"{finding.message} (as before the change)"
    return replace(finding, severity=Severity.NOTE, message=message)


def _in_order(found: list[Finding]) -> Iterator[Finding]:
    """The worst first, each once, and not too many of a kind."""
    order = list(Severity)
    found.sort(key=lambda f: (order.index(f.severity), f.path, f.line))
    told: set[tuple[str, str, int]] = set()
    count: Counter[tuple[str, str]] = Counter()
    for finding in found:
        place = (finding.rule, finding.path, finding.line)
        count[place[:2]] += place not in told
        if place not in told and count[place[:2]] <= _MOST:
            told.add(place)
            yield finding
