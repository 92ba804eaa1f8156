"""The security scan: what a skill would make an agent do, and what a change adds.

`scan` is a function of the bytes of a skill, its previous version and its evidence. It
runs nothing, writes no file, and nothing in a skill can switch it off.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING

from skillforge.model import Danger, Finding, Rule, Severity, Skill

if TYPE_CHECKING:
    from skillforge.checks.scan.capabilities import Capabilities
    from skillforge.checks.scan.matches import ScanMatches
    from skillforge.checks.scan.rule_packs import RulePack

_MOST = 10  # findings of one rule in one file


@dataclass(frozen=True, slots=True)
class Scan:
    """The findings in one skill; paths are relative to its folder."""

    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Danger:
        return Danger.of(self.findings)


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule of the scan."""
    from skillforge.checks.scan.capabilities import CAPABILITIES
    from skillforge.checks.scan.change_rules import CHANGES
    from skillforge.checks.scan.declaration_rules import DECLARATIONS
    from skillforge.checks.scan.disguise_rules import DISGUISES

    return (*_sign_rules(), *DISGUISES, *CHANGES, *DECLARATIONS, *CAPABILITIES)


def scan(
    skill: Skill,
    before: Skill | None = None,
    evidence: Mapping[str, bytes] | None = None,
    *,
    must_declare: bool = False,
    packs: "Sequence[RulePack]" = (),
) -> Scan:
    """Scan a skill; with its previous version, also report what is new.

    `packs` are the rules of a library. They run last, so that they cannot exhaust the
    budget of our own rules.
    """
    from skillforge.checks.scan.capabilities import CAPABILITIES, capabilities, declared
    from skillforge.checks.scan.change_rules import CHANGES, SkillChange
    from skillforge.checks.scan.declaration_rules import DECLARATIONS, Declared
    from skillforge.checks.scan.disguise_rules import DISGUISES
    from skillforge.checks.scan.examples import with_examples

    # Unread files are only known after all signs have been searched.
    pack_rules = [rule for pack in packs for rule in pack.rules]
    last_rules = (*pack_rules, *DISGUISES)
    matches = _matches(skill, evidence or {}, packs)
    able = capabilities(skill, matches)
    findings = _findings(_sign_rules(), matches)
    changes: list[Finding] = []
    known: set[tuple[str, str, str]] = set()
    if before is not None:
        old = _matches(before, {}, packs)
        change = SkillChange(old, matches, capabilities(before, old), able)
        changes = _findings(CHANGES, change)
        old_findings = _findings((*_sign_rules(), *last_rules), old)
        known = set(_identities(old_findings, before))
    findings += _findings(last_rules, matches)
    findings = list(with_examples(skill, matches.about, findings))
    declaration = Declared(able, declared(skill.document), must_declare)
    findings += _findings(DECLARATIONS, declaration)
    findings += _findings(CAPABILITIES, able)
    if known:
        pairs = zip(findings, _identities(findings, skill), strict=True)
        findings = [_as_before(f) if identity in known else f for f, identity in pairs]
    return Scan(tuple(_in_order([*findings, *changes])))


@cache
def _sign_rules() -> tuple[Rule, ...]:
    """The rules on matches of our own signs."""
    from skillforge.checks.scan.attack_rules import ATTACKS
    from skillforge.checks.scan.caution_rules import CAUTIONS
    from skillforge.checks.scan.data_rules import own_rules
    from skillforge.checks.scan.instruction_rules import INSTRUCTIONS
    from skillforge.checks.scan.leak_rules import LEAKS

    return (*ATTACKS, *INSTRUCTIONS, *own_rules(), *CAUTIONS, *LEAKS)


def able(skill: Skill) -> "Capabilities":
    """What a skill is able to do."""
    from skillforge.checks.scan.capabilities import capabilities

    return capabilities(skill, _matches(skill, {}))


def _matches(
    skill: Skill, evidence: Mapping[str, bytes], packs: "Sequence[RulePack]" = ()
) -> "ScanMatches":
    from skillforge.checks.scan.matches import ScanMatches
    from skillforge.checks.scan.text_extraction import read, read_bytes

    about = skill.name
    if skill.document and skill.document.words("name"):
        about = skill.document.words("name") + skill.document.words("description")
    beside = (
        read_bytes(f"/evidence/{skill.name}/{name}.json", data)
        for name, data in evidence.items()
    )
    segments = chain(read(skill), chain.from_iterable(beside))
    signs = {name: sign for pack in packs for name, sign in pack.signs.items()}
    return ScanMatches(segments, about, signs)


def _findings(rules: Iterable[Rule], subject: object) -> list[Finding]:
    return [finding for rule in rules for finding in rule.findings(subject)]


def _identities(
    findings: Iterable[Finding], skill: Skill
) -> Iterator[tuple[str, str, str]]:
    """The keys that identify findings: rule, path, and their text or their file."""
    from skillforge.checks.scan.waivers import digest

    digest_of = cache(partial(digest, skill))
    for finding in findings:
        is_whole = finding.text and not finding.text.endswith("…")
        content = "" if is_whole else digest_of(finding.path.partition("!")[0])
        yield finding.rule, finding.path, content or finding.text


def _as_before(finding: Finding) -> Finding:
    """A known warning as a note, since a reviewer accepted it; errors stay errors."""
    if finding.severity is not Severity.WARNING:
        return finding
    message = f"{finding.message} (as before the change)"
    return replace(finding, severity=Severity.NOTE, message=message)


def _in_order(findings: list[Finding]) -> Iterator[Finding]:
    """Findings by severity and place, without repeats and with a limit per rule."""
    order = list(Severity)
    findings.sort(key=lambda f: (order.index(f.severity), f.path, f.line))
    reported: set[tuple[str, str, int]] = set()
    count: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        place = (finding.rule, finding.path, finding.line)
        count[place[:2]] += place not in reported
        if place not in reported and count[place[:2]] <= _MOST:
            reported.add(place)
            yield finding
