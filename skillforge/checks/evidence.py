"""The check `evidence`: an agent's skill needs approved, verified, redacted runs."""

import json
from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any, TypeAlias

from skillforge import redact
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
from skillforge.report import plural
from skillforge.schema_errors import misfit
from skillforge.text import terms

Contents: TypeAlias = Mapping[str, Mapping[str, Any]]
RULE = "evidence"
_OF_PEOPLE = ("email", "phone", "card", "iban", "credentials", "secret")
_SCHEMA = "example.schema.json"
_DISTINCTIVE = 3  # results of tools that make a run unique
_MORE = "skillforge capture, examples approve and draft produce evidence"


def _findings(subject: Subject) -> Iterator[Finding]:
    """Check the examples that a proposal adds, and whether there are enough."""
    skill = subject.skill
    if skill is None:
        return
    evidence = subject.library.evidence_at(subject.head, skill.name)
    before = subject.library.evidence_at(subject.base, skill.name)
    is_new = subject.before is None
    is_needed = skill.says_agent or (is_new and is_of_agent(skill.origin))
    known = cache(partial(known_to, subject.policy))  # often not needed
    yield from _other_files(subject, skill.name)
    contents: dict[str, dict[str, Any]] = {}
    for example_id, data in sorted(evidence.items()):
        content = _read(data)
        if content is None:
            if is_needed and example_id not in before:
                yield _wrong(skill.name, example_id, "not an example", _why_not(data))
            continue
        contents[example_id] = content
        if example_id not in before:
            yield from _flaws(skill.name, example_id, content, known())
    fresh = {
        example_id: content
        for example_id, content in contents.items()
        if example_id not in before
    }
    yield from _wrong_split(skill.name, fresh)
    if is_needed:
        yield from private(skill, known())
        yield from _too_few(subject.policy, skill, contents)


def private(skill: Skill, known: "redact.KnownPrivate") -> Iterator[Finding]:
    """A finding for private data in a SKILL.md."""
    page = skill.document
    private = redact.remains(page.text, known) if page else {}
    personal = {kind: count for kind, count in private.items() if kind in _OF_PEOPLE}
    listed = sum(1 for _ in known.find(page.text)) if page else 0
    if personal or listed:
        counts = ", ".join(f"{count} {kind}" for kind, count in private.items())
        hint = "remove it; a skill is written for all users"
        message = f"contains private data ({counts})"
        yield Finding(RULE, Severity.ERROR, message, hint=hint)


def _other_files(subject: Subject, skill: str) -> Iterator[Finding]:
    """Findings for files beside the examples, which no reviewer would read."""
    repo = subject.library.repository()
    for name in repo.tree(f"{subject.head}:{EVIDENCE}/{skill}"):
        if not name.endswith(".json"):
            path = f"/{EVIDENCE}/{skill}/{name}"
            what = "not an example"
            yield Finding(RULE, Severity.ERROR, what, path, hint="remove it")


def known_to(policy: Policy) -> "redact.KnownPrivate":
    """The names and ids that a policy lists as private."""
    return redact.KnownPrivate.of({"NAME": policy.private_names}, policy.private_ids)


def _read(data: bytes) -> dict[str, Any] | None:
    """An example that conforms to its schema; None otherwise."""
    try:
        content = json.loads(data, object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError):
        return None
    is_example = isinstance(content, dict) and misfit(content, _SCHEMA) is None
    return content if is_example else None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse duplicate keys: parsers disagree on which one counts."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("duplicate key")
    return content


def _why_not(data: bytes) -> str:
    try:
        wrong = misfit(json.loads(data, object_pairs_hook=_without_duplicates), _SCHEMA)
    except (ValueError, RecursionError) as err:
        return f"it must be JSON that conforms to schemas/{_SCHEMA} ({err})"
    return wrong.words if wrong else ""


def _flaws(
    skill: str,
    example_id: str,
    content: Mapping[str, Any],
    known: "redact.KnownPrivate",
) -> Iterator[Finding]:
    example = Example.of(content)
    used = list(dict.fromkeys(example.tools))
    if digest(example.observed) != example_id or content["tools"] != used:
        what = "the content does not match the digest"
        yield _wrong(
            skill, example_id, what, "evidence is never edited: capture it again"
        )
    if left := redact.remains(
        {key: value for key, value in content.items() if key != "raw"}, known
    ):
        counts = ", ".join(f"{count} {kind}" for kind, count in left.items())
        what = f"contains private data that is not redacted ({counts})"
        yield _wrong(skill, example_id, what, "redact it: capture it again")


def _wrong_split(skill: str, fresh: Contents) -> Iterator[Finding]:
    """Every third by digest: the author does not choose what tests the draft."""
    expected = split(
        {example_id: Example.of(content) for example_id, content in fresh.items()}
    )
    for example_id, content in fresh.items():
        if bool(content.get("held_out")) != (example_id in expected):
            what = (
                "should be held out"
                if example_id in expected
                else "must not be held out"
            )
            hint = "every third example is, by digest; `skillforge draft` does it"
            yield _wrong(skill, example_id, what, hint)


def _too_few(policy: Policy, skill: Skill, read: Contents) -> Iterator[Finding]:
    examples = {example_id: Example.of(content) for example_id, content in read.items()}
    runs = {
        _run(example): (example_id, example)
        for example_id, example in examples.items()
        if example.counts and example.has_succeeded
    }
    sessions = {_session(example, example_id) for example_id, example in runs.values()}
    page = skill.document
    about = frozenset(terms(f"{page.words('description')} {page.body}" if page else ""))
    strange = sum(about.isdisjoint(terms(run.task)) for _, run in runs.values())
    if len(runs) < policy.least_examples:
        yield _lacking(
            f"has {plural(len(runs), 'approved example')} with verified success; "
            f"a skill by an agent needs {policy.least_examples}"
        )
    if len(sessions) < policy.least_sessions:
        yield _lacking(
            f"has examples from {plural(len(sessions), 'session')}; "
            f"a skill by an agent needs {policy.least_sessions}"
        )
    if strange * 2 > len(runs):
        yield _lacking("most examples are unrelated to the skill")


def _run(example: Example) -> str:
    """Equal for copies of one run: no other run gets the same results."""
    about = ("session", "raw", "started", "environment")
    content = {
        key: value for key, value in example.observed.items() if key not in about
    }
    answers = sum(step.kind is StepKind.OBSERVATION for step in example.steps)
    return digest(content if answers >= _DISTINCTIVE else example.observed)


def _session(example: Example, example_id: str) -> str:
    """The session; each handwritten example without one counts as its own."""
    is_plain = example.format == "plain"
    return example.session.strip() or (example_id if is_plain else "")


def _lacking(what: str) -> Finding:
    return Finding(RULE, Severity.ERROR, what, hint=_MORE)


def _wrong(skill: str, example_id: str, what: str, hint: str) -> Finding:
    path = f"/{EVIDENCE}/{skill}/{example_id}.json"
    return Finding(RULE, Severity.ERROR, what, path, hint=hint)


CHECK = Check("evidence", _findings)
