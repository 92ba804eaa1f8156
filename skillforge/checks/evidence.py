"""What a skill that an agent made has to rest on: approved, verified, redacted runs."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from skillforge.checks.registry import Check, Subject
from skillforge.model import (
    EVIDENCE,
    Example,
    Finding,
    Severity,
    Skill,
    StepKind,
    is_of_agent,
)
from skillforge.model.example import digest, split
from skillforge.policy import Policy
from skillforge.redact import KnownPrivate, remains
from skillforge.report import plural
from skillforge.schema_errors import misfit
from skillforge.text import terms

Said: TypeAlias = Mapping[str, Mapping[str, Any]]
RULE = "evidence"
_OF_PEOPLE = ("email", "phone", "card", "iban", "credentials", "secret")
_SCHEMA = "example.schema.json"
_TELLING = 3  # answers of tools
_MORE = "skillforge capture, examples approve and draft make such evidence"


def _findings(subject: Subject) -> Iterator[Finding]:
    """Judge examples that a proposal adds, and whether there are enough of them."""
    skill = subject.skill
    if skill is None:
        return
    found = subject.library.evidence_at(subject.head, skill.name)
    before = subject.library.evidence_at(subject.base, skill.name)
    is_new = subject.before is None
    is_needed = skill.says_agent or (is_new and is_of_agent(skill.origin))
    known = known_to(subject.policy)
    yield from _strangers(subject, skill.name)
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
    fresh = {number: said for number, said in read.items() if number not in before}
    yield from _wrong_split(skill.name, fresh)
    if is_needed:
        yield from private(skill, known)
        yield from _too_few(subject.policy, skill, read)


def private(skill: Skill, known: KnownPrivate) -> Iterator[Finding]:
    """What a page that an agent wrote tells of people, or of what the policy lists."""
    page = skill.document
    told = remains(page.text, known) if page else {}
    found = {kind: count for kind, count in told.items() if kind in _OF_PEOPLE}
    listed = sum(1 for _ in known.find(page.text)) if page else 0
    if found or listed:
        counts = ", ".join(f"{count} {kind}" for kind, count in told.items())
        hint = "write what holds for everybody instead"
        message = f"it holds what is private ({counts})"
        yield Finding(RULE, Severity.ERROR, message, hint=hint)


def _strangers(subject: Subject, skill: str) -> Iterator[Finding]:
    """Files beside the examples, which nobody would look into."""
    repo = subject.library.repository()
    for name in repo.tree(f"{subject.head}:{EVIDENCE}/{skill}"):
        if not name.endswith(".json"):
            path = f"../../{EVIDENCE}/{skill}/{name}"
            what = "it is no example"
            yield Finding(RULE, Severity.ERROR, what, path, hint="take it out")


def known_to(policy: Policy) -> KnownPrivate:
    """What a policy lists as private."""
    return KnownPrivate.of({"NAME": policy.private_names}, policy.private_ids)


def _read(data: bytes) -> dict[str, Any] | None:
    """An example as its schema says; None if it is anything else."""
    try:
        said = json.loads(data, object_pairs_hook=_each_once)
    except (ValueError, RecursionError):
        return None
    is_one = isinstance(said, dict) and misfit(said, _SCHEMA) is None
    return said if is_one else None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """What is said twice can hide what nobody reads."""
    said = dict(pairs)
    if len(said) < len(pairs):
        raise ValueError("a key is there twice")
    return said


def _why_not(data: bytes) -> str:
    try:
        wrong = misfit(json.loads(data, object_pairs_hook=_each_once), _SCHEMA)
    except (ValueError, RecursionError) as err:
        return f"it has to be JSON, as schemas/{_SCHEMA} says ({err})"
    return wrong.words if wrong else ""


def _flaws(
    skill: str, number: str, said: Mapping[str, Any], known: KnownPrivate
) -> Iterator[Finding]:
    example = Example.of(said)
    used = list(dict.fromkeys(example.tools))
    if digest(example.observed) != number or said["tools"] != used:
        what = "its content is not what its digest says"
        yield _wrong(skill, number, what, "evidence is a record: capture it again")
    if left := remains({key: it for key, it in said.items() if key != "raw"}, known):
        counts = ", ".join(f"{count} {kind}" for kind, count in left.items())
        what = f"it holds what should have been redacted ({counts})"
        yield _wrong(skill, number, what, "redact it: capture it again")


def _wrong_split(skill: str, fresh: Said) -> Iterator[Finding]:
    """One in three, by digest: whoever drafts does not choose what tests the draft."""
    expected = split({number: Example.of(said) for number, said in fresh.items()})
    for number, said in fresh.items():
        if bool(said.get("held_out")) != (number in expected):
            what = "it should be held out" if number in expected else "it is held out"
            hint = "every third is, by digest: `skillforge draft` does it"
            yield _wrong(skill, number, what, hint)


def _too_few(policy: Policy, skill: Skill, read: Said) -> Iterator[Finding]:
    every = {number: Example.of(said) for number, said in read.items()}
    good = {n: it for n, it in every.items() if it.counts and it.has_succeeded}
    runs = {_run(example): number for number, example in good.items()}
    sessions = {_session(good[it], it) for it in runs.values()}
    page = skill.document
    about = frozenset(terms(f"{page.words('description')} {page.body}" if page else ""))
    strange = sum(about.isdisjoint(terms(good[it].task)) for it in runs.values())
    if len(runs) < policy.least_examples:
        yield _lacking(
            f"it rests on {plural(len(runs), 'approved example')} whose success was "
            f"verified; an agent's skill needs {policy.least_examples}"
        )
    if len(sessions) < policy.least_sessions:
        yield _lacking(
            f"its examples are from {plural(len(sessions), 'session')}; a skill by an "
            f"agent needs {policy.least_sessions}"
        )
    if strange * 2 > len(runs):
        yield _lacking("most of its examples are about something else")


def _run(example: Example) -> str:
    """Equal for one run under several names: no other gets the same answers."""
    about = ("session", "raw", "started", "environment")
    said = {key: it for key, it in example.observed.items() if key not in about}
    answers = sum(step.kind is StepKind.OBSERVATION for step in example.steps)
    return digest(said if answers >= _TELLING else example.observed)


def _session(example: Example, number: str) -> str:
    """What people write down may name none; each is then of its own."""
    is_plain = example.format == "plain"
    return example.session.strip() or (number if is_plain else "")


def _lacking(what: str) -> Finding:
    return Finding(RULE, Severity.ERROR, what, hint=_MORE)


def _wrong(skill: str, number: str, what: str, hint: str) -> Finding:
    path = f"../../{EVIDENCE}/{skill}/{number}.json"
    return Finding(RULE, Severity.ERROR, what, path, hint=hint)


CHECK = Check("evidence", _findings)
