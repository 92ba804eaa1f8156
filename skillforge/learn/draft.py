"""From a pattern to a draft: the skill's files, and the evidence that it rests on."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from skillforge import worker_pool
from skillforge.checks.path_policy import is_name
from skillforge.checks.private_names import private_to
from skillforge.checks.rules.anti_learning import ONE_OCCASION
from skillforge.errors import ConflictError, RequestError
from skillforge.learn import patterns, scoring
from skillforge.learn.patterns import Pattern
from skillforge.learn.skill_contract import Contract, contract
from skillforge.learn.skill_extension import extended
from skillforge.learn.skill_writer import skill_md
from skillforge.library import Library
from skillforge.model import (
    EVIDENCE,
    SKILL_FILE,
    SKILLS,
    Draft,
    DraftFile,
    Example,
    Origin,
    OutcomeStatus,
)
from skillforge.model.example import split
from skillforge.redact import KnownPrivate, warm_up
from skillforge.report import plural

FEWEST = 3  # verified successes that a draft is made from
_LONGEST_NAME = 64
_FEWEST_AT_ONCE = 8  # examples, for which another process is worth it
ORIGIN = Origin.AGENT_BACKGROUND


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft, what it says, and which examples its author did not see."""

    draft: Draft
    contract: Contract
    pattern: Pattern
    shown: Mapping[str, Example]
    held: Mapping[str, Example]
    is_edit: bool = False


def drafted(
    library: Library, pattern: Pattern, name: str = "", into: str = ""
) -> Drafted:
    """Write the skill that a pattern shows, or add to one what it shows."""
    for given in filter(None, (name, into)):
        _refuse_name(given)
    examples = _evidence(library, pattern)
    _refuse_few(pattern, examples.values())
    before = _committed(library, into) if into else {}
    held_before = {it for it, said in before.items() if said.get("held_out") is True}
    fresh = {it: example for it, example in examples.items() if it not in before}
    held = split(fresh) | (held_before & examples.keys())
    shown = {it: example for it, example in examples.items() if it not in held}
    said = contract(list(shown.values()))
    said = replace(said, name=into or name or said.name)
    text = extended(library, into, said) if into else skill_md(said, ORIGIN)
    return Drafted(
        Draft(
            said.name,
            {
                **_files(library, into),
                SKILL_FILE: DraftFile(text.encode("utf-8", "surrogateescape")),
            },
            {it: written(example, it in held) for it, example in fresh.items()},
            tuple(examples),
            origin=ORIGIN,
            why=_why(pattern, examples.values()),
        ),
        said,
        pattern,
        shown,
        {it: examples[it] for it in sorted(held)},
        bool(into),
    )


def written(example: Example, is_held_out: bool) -> bytes:
    """An example as a file of evidence."""
    said = example.record | {"held_out": is_held_out}
    return (
        json.dumps(said, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"
    )


def _evidence(library: Library, pattern: Pattern) -> dict[str, Example]:
    """What counts of a pattern, redacted once more: the policy may know more by now."""
    every = [it for it in patterns.full(library, pattern.members) if it.counts]
    warm_up()  # before there are two of us
    parts = worker_pool.spread(
        partial(_cleaned, private_to(library)), every, _FEWEST_AT_ONCE
    )
    return dict(sorted((it.id, it) for part in parts for it in part))


def _cleaned(known: KnownPrivate, examples: Sequence[Example]) -> list[Example]:
    found = []
    for example in examples:
        clean, _ = scoring.redact(example, known)
        counts = Counter(example.redacted) + Counter(clean.redacted)
        found.append(replace(clean, redacted=dict(sorted(counts.items()))))
    return found


def _refuse_name(name: str) -> None:
    is_fit = is_name(name) and len(name) <= _LONGEST_NAME
    if not is_fit or ONE_OCCASION.search(name):
        raise RequestError(
            f"{name!r} cannot be a skill's name",
            hint="use a-z, 0-9 and single hyphens, such as csv-tables; no date, no "
            "ticket, no fix-",
        )


def _refuse_few(pattern: Pattern, examples: Iterable[Example]) -> None:
    good = sum(example.has_succeeded for example in examples)
    if good < FEWEST:
        raise ConflictError(
            f"pattern {pattern.id} has too few verified successes: {good}; a draft "
            f"needs {FEWEST}",
            hint="capture and approve more of the kind: skillforge examples list "
            "--status pending",
            facts={"pattern": pattern.id, "successes": good},
        )


def _committed(library: Library, skill: str) -> dict[str, dict[str, object]]:
    """The evidence that a skill has on main, as far as it can be read."""
    found = {}
    for number, data in library.evidence_at(library.tip, skill).items():
        try:
            said = json.loads(data)
        except (ValueError, RecursionError):
            said = None
        found[number] = said if isinstance(said, dict) else {}
    return found


def _files(library: Library, skill: str) -> dict[str, DraftFile]:
    """The files that an edited skill has, as they are on main."""
    if not skill:
        return {}
    repo = library.repository()
    found = repo.files_in(f"{library.tip}:{SKILLS}/{skill}")
    if odd := next((p for p, it in found.items() if not it.mode.startswith("100")), ""):
        raise ConflictError(
            f"{skill}/{odd} is no ordinary file", hint="edit the skill by hand"
        )
    return {
        path: DraftFile(blob.data, entry.mode == "100755")
        for path, entry in found.items()
        if (blob := repo.find(entry.object)) is not None
    }


def _why(pattern: Pattern, examples: Iterable[Example]) -> str:
    every = list(examples)
    good = sum(example.has_succeeded for example in every)
    bad = sum(example.outcome.status is OutcomeStatus.FAILURE for example in every)
    failed = f" and {plural(bad, 'failure')}" if bad else ""
    return (
        f"Learned from {good} verified successes{failed} of pattern {pattern.id}, from "
        f"{plural(pattern.sessions, 'session')}"
    )


def paths(draft: Draft) -> dict[str, DraftFile]:
    """Where each file of a draft belongs in a library; the SKILL.md comes last."""
    evidence = {
        f"{EVIDENCE}/{draft.skill}/{number}.json": DraftFile(data)
        for number, data in draft.evidence.items()
    }
    files = {f"{SKILLS}/{draft.skill}/{p}": file for p, file in draft.files.items()}
    last = f"{SKILLS}/{draft.skill}/{SKILL_FILE}"
    ordered = evidence | {path: it for path, it in files.items() if path != last}
    return ordered | {last: files[last]} if last in files else ordered
