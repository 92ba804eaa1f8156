"""From a pattern to a draft: the skill's files, and the evidence it rests on."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from skillforge import worker_pool
from skillforge.checks.path_policy import is_skill_name
from skillforge.checks.private_names import private_to
from skillforge.checks.rules.anti_learning import ONE_OCCASION
from skillforge.errors import ConflictError, RequestError
from skillforge.learn import patterns, scoring
from skillforge.learn.patterns import Pattern
from skillforge.learn.skill_contract import Contract, contract
from skillforge.learn.skill_extension import extend
from skillforge.learn.skill_writer import skill_md
from skillforge.library import Library
from skillforge.model import (
    EVIDENCE,
    SKILL_FILE,
    Draft,
    DraftFile,
    Example,
    Layout,
    Origin,
    OutcomeStatus,
)
from skillforge.model.example import split
from skillforge.redact import KnownPrivate, warm_up
from skillforge.report import plural

FEWEST = 3  # verified successes that a draft is made from
_LONGEST_NAME = 64
_BATCH = 8  # examples, for which another process pays off
ORIGIN = Origin.AGENT_BACKGROUND


@dataclass(frozen=True, slots=True)
class LearnedDraft:
    """A draft and its contract; `held_out` examples were not used to write it."""

    draft: Draft
    contract: Contract
    pattern: Pattern
    shown: Mapping[str, Example]
    held_out: Mapping[str, Example]
    is_edit: bool = False

    @property
    def text(self) -> str:
        """The SKILL.md."""
        return self.draft.files[SKILL_FILE].data.decode("utf-8", "replace")


def from_pattern(
    library: Library, pattern: Pattern, name: str = "", into: str = ""
) -> LearnedDraft:
    """Draft a new skill from a pattern, or extend the existing skill `into`."""
    for skill in filter(None, (name, into)):
        _refuse_name(library.layout, skill)
    examples = _evidence(library, pattern)
    _refuse_few(pattern, examples.values())
    committed = _committed_evidence(library, into) if into else {}
    fresh = {key: value for key, value in examples.items() if key not in committed}
    held_before = {
        key for key, file in committed.items() if file.get("held_out") is True
    }
    held = split(fresh) | (held_before & examples.keys())
    shown = {key: value for key, value in examples.items() if key not in held}
    terms = contract(list(shown.values()))
    skill = into or library.layout.placed(name or terms.name)
    terms = replace(terms, name=skill.rpartition("/")[2])
    text = extend(library, into, terms) if into else skill_md(terms, ORIGIN)
    skill_file = DraftFile(text.encode("utf-8", "surrogateescape"))
    draft = Draft(
        skill,
        {**_files(library, into), SKILL_FILE: skill_file},
        {key: evidence_file(value, key in held) for key, value in fresh.items()},
        tuple(examples),
        origin=ORIGIN,
        why=_reason(pattern, examples.values()),
    )
    held_out = {key: examples[key] for key in sorted(held)}
    return LearnedDraft(draft, terms, pattern, shown, held_out, bool(into))


def evidence_file(example: Example, is_held_out: bool) -> bytes:
    content = example.record | {"held_out": is_held_out}
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    return text.encode() + b"\n"


def _evidence(library: Library, pattern: Pattern) -> dict[str, Example]:
    """The verified examples, redacted again: the policy may name more by now."""
    members = patterns.full_examples(library, pattern.members)
    examples = [example for example in members if example.counts]
    warm_up()  # before worker processes start
    parts = worker_pool.spread(partial(_redact, private_to(library)), examples, _BATCH)
    return dict(sorted((example.id, example) for part in parts for example in part))


def _redact(known: KnownPrivate, examples: Sequence[Example]) -> list[Example]:
    redacted = []
    for example in examples:
        clean, _ = scoring.redact(example, known)
        counts = Counter(example.redacted) + Counter(clean.redacted)
        redacted.append(replace(clean, redacted=dict(sorted(counts.items()))))
    return redacted


def _refuse_name(layout: Layout, name: str) -> None:
    is_valid = is_skill_name(name) and len(name) <= _LONGEST_NAME
    if (
        not is_valid
        or not layout.has_name(layout.placed(name))
        or ONE_OCCASION.search(name)
    ):
        raise RequestError(
            f"{name!r} is not a valid skill name",
            hint="use a-z, 0-9 and single hyphens, such as csv-tables; no date, no "
            "ticket, no fix-",
        )


def _refuse_few(pattern: Pattern, examples: Iterable[Example]) -> None:
    successes = sum(example.has_succeeded for example in examples)
    if successes < FEWEST:
        raise ConflictError(
            f"pattern {pattern.id} has too few verified successes: {successes}; a "
            f"draft needs {FEWEST}",
            hint="capture and approve more of them: skillforge examples list --status "
            "pending",
            facts={"pattern": pattern.id, "successes": successes},
        )


def _committed_evidence(
    library: Library, skill: str
) -> dict[str, Mapping[str, object]]:
    """A skill's evidence on main; an unreadable file counts as empty."""
    evidence: dict[str, Mapping[str, object]] = {}
    for number, data in library.evidence_at(library.tip, skill).items():
        try:
            content = json.loads(data)
        except (ValueError, RecursionError):
            content = None
        evidence[number] = content if isinstance(content, dict) else {}
    return evidence


def _files(library: Library, skill: str) -> dict[str, DraftFile]:
    """The files that an edited skill has on main."""
    if not skill:
        return {}
    repo = library.repository()
    entries = repo.files_in(f"{library.tip}:{library.path_of(skill)}")
    entries = library.layout.own_files(skill, entries)
    for path, entry in entries.items():
        if not entry.mode.startswith("100"):
            raise ConflictError(
                f"{skill}/{path} is not a regular file", hint="edit the skill by hand"
            )
    return {
        path: DraftFile(blob.data, entry.mode == "100755")
        for path, entry in entries.items()
        if (blob := repo.find(entry.object)) is not None
    }


def _reason(pattern: Pattern, examples: Iterable[Example]) -> str:
    outcomes = Counter(example.outcome.status for example in examples)
    bad = outcomes[OutcomeStatus.FAILURE]
    failed = f" and {plural(bad, 'failure')}" if bad else ""
    return (
        f"Learned from {outcomes[OutcomeStatus.SUCCESS]} verified successes{failed} of "
        f"pattern {pattern.id}, from {plural(pattern.sessions, 'session')}"
    )


def library_files(draft: Draft, folder: str) -> dict[str, DraftFile]:
    """A draft's files by their path in the library; the SKILL.md comes last.

    `folder` is that of its skill.
    """
    evidence = {
        f"{EVIDENCE}/{draft.skill}/{number}.json": DraftFile(data)
        for number, data in draft.evidence.items()
    }
    files = {f"{folder}/{p}": file for p, file in draft.files.items()}
    main = f"{folder}/{SKILL_FILE}"
    last = {main: files.pop(main)} if main in files else {}
    return evidence | files | last
