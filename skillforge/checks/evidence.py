"""What a skill that an agent made has to rest on: approved, verified, redacted runs."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from skillforge.checks.registry import Check, Subject
from skillforge.config import Policy
from skillforge.conform import misfit
from skillforge.model import EVIDENCE, Example, Finding, Severity, is_of_agent
from skillforge.model.example import digest, split
from skillforge.redact import Known, remains
from skillforge.report import many

Said: TypeAlias = Mapping[str, Mapping[str, Any]]
RULE = "evidence"
_PRIVATE = ("task", "environment", "inputs", "steps", "output", "notes")
_MORE = "skillforge capture, examples approve and draft make such evidence"


def _findings(subject: Subject) -> Iterator[Finding]:
    """Judge examples that a proposal adds, and whether there are enough of them."""
    skill = subject.skill
    if skill is None:
        return
    found = subject.library.evidence_at(subject.head, skill.name)
    before = subject.library.evidence_at(subject.base, skill.name)
    is_needed = skill.says_agent or (
        subject.before is None and is_of_agent(skill.origin)
    )
    known = known_to(subject.policy)
    read: dict[str, dict[str, Any]] = {}
    for number, data in sorted(found.items()):
        said = _read(data)
        if said is None:
            if is_needed and number not in before:
                yield _wrong(skill.name, number, "it is not an example", _why_not(data))
            continue
        read[number] = said
        if number not in before:
            yield from _flaws(skill.name, number, said, known)
    yield from _wrong_split(
        skill.name, {n: s for n, s in read.items() if n not in before}
    )
    if is_needed:
        yield from _too_few(subject.policy, read)


def known_to(policy: Policy) -> Known:
    """What a policy lists as private."""
    return Known.of({"NAME": policy.private_names}, policy.private_ids)


def _read(data: bytes) -> dict[str, Any] | None:
    """An example as its schema says; None if it is anything else."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return None
    is_one = isinstance(said, dict) and misfit(said, "example.schema.json") is None
    return said if is_one else None


def _why_not(data: bytes) -> str:
    try:
        wrong = misfit(json.loads(data), "example.schema.json")
    except (ValueError, RecursionError):
        return "it has to be JSON, as schemas/example.schema.json says"
    return wrong.words if wrong else ""


def _flaws(
    skill: str, number: str, said: Mapping[str, Any], known: Known
) -> Iterator[Finding]:
    if digest(Example.of(said).observed) != number:
        what = "its content is not what its digest says"
        yield _wrong(skill, number, what, "evidence is a record: capture it again")
    if left := remains({key: said[key] for key in _PRIVATE}, known):
        counts = ", ".join(f"{count} {kind}" for kind, count in left.items())
        what = f"it holds what should have been redacted ({counts})"
        yield _wrong(
            skill, number, what, "capture it again, with `redact` in the policy"
        )


def _wrong_split(
    skill: str, fresh: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    """One in three, by digest: whoever drafts does not choose what tests the draft."""
    expected = split({number: Example.of(said) for number, said in fresh.items()})
    for number, said in fresh.items():
        if bool(said.get("held_out")) != (number in expected):
            what = "it should be held out" if number in expected else "it is held out"
            hint = "every third is, by digest: `skillforge draft` does it"
            yield _wrong(skill, number, what, hint)


def _too_few(
    policy: Policy, read: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    every = {number: Example.of(said) for number, said in read.items()}
    good = {n: it for n, it in every.items() if it.counts and it.has_succeeded}
    sessions = {example.session or number for number, example in good.items()}
    if len(good) < policy.least_examples:
        yield Finding(
            RULE,
            Severity.ERROR,
            f"it rests on {many(len(good), 'approved example')} whose success was "
            f"verified; an agent's skill needs {policy.least_examples}",
            hint=_MORE,
        )
    if len(sessions) < policy.least_sessions:
        yield Finding(
            RULE,
            Severity.ERROR,
            f"its examples are from {many(len(sessions), 'session')}; an agent's skill "
            f"needs {policy.least_sessions}",
            hint=_MORE,
        )


def _wrong(skill: str, number: str, what: str, hint: str) -> Finding:
    path = f"../../{EVIDENCE}/{skill}/{number}.json"
    return Finding(RULE, Severity.ERROR, what, path, hint=hint)


CHECK = Check("evidence", _findings)
