"""Record the findings that a library already has, and count down as they are fixed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import NamedTuple

from skillforge import worker_pool
from skillforge.checks import Ruleset
from skillforge.checks.baseline import (
    Baseline,
    BaselineEntry,
    Key,
    entries_of,
    library_baseline,
)
from skillforge.checks.cases import case_check
from skillforge.checks.registry import Subject, checks
from skillforge.errors import RequestError
from skillforge.library import Library, no_such_skill, replace_file
from skillforge.model import BASELINE_FILE, Finding, Skill
from skillforge.policy import Policy
from skillforge.share.release_scan import scan_commit

_SKILLS_PER_PROCESS = 20
_OTHERWISE = ("validate", "scan", "test")  # how these are run here


class BaselineRow(NamedTuple):
    """The known findings of a skill and rule: still there, fixed, and new ones."""

    skill: str
    rule: str
    known: int
    fixed: int
    new: int


@dataclass(frozen=True, slots=True)
class BaselineReport:
    """The baseline beside the findings of a commit.

    `added` and `removed` count what was written to the file. `is_new` is True if there
    was no file before.
    """

    commit: str
    rows: tuple[BaselineRow, ...]
    added: int = 0
    removed: int = 0
    is_new: bool = False

    @property
    def known(self) -> int:
        return sum(row.known for row in self.rows)

    @property
    def fixed(self) -> int:
        return sum(row.fixed for row in self.rows)

    @property
    def new(self) -> int:
        return sum(row.new for row in self.rows)


def baseline(
    library: Library,
    names: Sequence[str] = (),
    *,
    add: bool = False,
    prune: bool = False,
) -> BaselineReport:
    """Compare the baseline with the findings at HEAD; `names` limits it to some skills.

    The first call records all findings. Later ones change the file only with `add`,
    which adds new findings, and `prune`, which drops those that were fixed.
    """
    repo = library.repository()
    commit = repo.resolve("HEAD")
    library = library if repo.is_bare else library.as_in_checkout()
    if repo.is_bare and (add or prune):
        raise RequestError(
            f"{library.root} is a bare repository, which has no files",
            hint="run it in a clone, and commit the file there",
        )
    is_new = not repo.is_bare and not (library.root / BASELINE_FILE).exists()
    before = library_baseline(library, commit if repo.is_bare else None)
    known = library.listing(commit)
    for name in names:
        if name not in known:
            raise no_such_skill(name, known, "the library")
    current = _entries(library, commit)
    after = _changed(before, current, names, add=add or is_new, prune=prune)
    if after != before or is_new:
        replace_file(library.root / BASELINE_FILE, after.text().encode())
    return BaselineReport(
        commit,
        tuple(_rows(after, current, names)),
        sum((_counts(after) - _counts(before)).values()),
        sum((_counts(before) - _counts(after)).values()),
        is_new,
    )


def adopt(library: Library) -> int:
    """Write the first baseline if HEAD has findings, and return their number."""
    library = library.as_in_checkout()  # main's policy may not have the globs yet
    found = Baseline.of(_entries(library, library.repository().resolve("HEAD")))
    if found.size:
        replace_file(library.root / BASELINE_FILE, found.text().encode())
    return found.size


def _counts(entries: "Baseline | Sequence[BaselineEntry]") -> Counter[Key]:
    listed = entries.entries if isinstance(entries, Baseline) else entries
    return Counter({entry.key: entry.number for entry in listed})


def _changed(
    before: Baseline,
    current: Sequence[BaselineEntry],
    names: Sequence[str],
    *,
    add: bool,
    prune: bool,
) -> Baseline:
    """The baseline with new findings added, and fixed ones dropped."""
    listed = {entry.key: entry for entry in current}
    listed |= {entry.key: entry for entry in before.entries}  # never reworded
    was, now = _counts(before), _counts(current)
    after = Counter(was)
    for key in listed:
        if names and key.skill not in names:
            continue
        if add:
            after[key] = max(after[key], now[key])
        if prune:
            after[key] = min(after[key], now[key])
    return Baseline.of(
        entry._replace(number=after[key])
        for key, entry in listed.items()
        if after[key] > 0
    )


def _rows(
    baseline: Baseline, current: Sequence[BaselineEntry], names: Sequence[str]
) -> Iterator[BaselineRow]:
    was, now = _counts(baseline), _counts(current)
    counts = {
        "known": was & now,
        "fixed": was - now,
        "new": now - was,
    }
    totals: dict[tuple[str, str], Counter[str]] = {}
    for kind, keys in counts.items():
        for key, number in keys.items():
            if not names or key.skill in names:
                totals.setdefault(key[:2], Counter())[kind] += number
    for (skill, rule), total in sorted(totals.items()):
        yield BaselineRow(skill, rule, *(total[kind] for kind in counts))


def _entries(library: Library, commit: str) -> list[BaselineEntry]:
    """All findings at a commit that could block an edit or a release."""
    policy = library.policy(None if _has_checkout(library) else commit)
    skills = list(library.read_at(commit))
    scanned = scan_commit(library, commit, date.today(), skills)
    names = [skill.name for skill in skills]
    work = partial(_found, library, policy, commit)
    found: dict[str, list[Finding]] = {}
    for part in worker_pool.spread(work, names, _SKILLS_PER_PROCESS):
        found |= part
    return [
        entry
        for skill in skills
        for entry in entries_of(
            [*found[skill.name], *scanned.findings[skill.name]], skill
        )
    ]


def _has_checkout(library: Library) -> bool:
    return not library.repository().is_bare


def _found(
    library: Library, policy: Policy, commit: str, names: Sequence[str]
) -> dict[str, list[Finding]]:
    """What the gate would find in skills if somebody edited another part of them."""
    rules = Ruleset(policy.profile, policy.rules)
    return {
        skill.name: [*rules.check(skill), *_of_checks(library, policy, commit, skill)]
        for skill in library.read_at(commit, names)
    }


def _of_checks(
    library: Library, policy: Policy, commit: str, skill: Skill
) -> Iterator[Finding]:
    subject = Subject(library, policy, commit, commit, skill, skill)
    if "test" in policy.checks:
        yield from case_check.lasting(subject, skill)
    for name, check in checks(policy.checks).items():
        if name in policy.checks and name not in _OTHERWISE and not check.missing():
            yield from check.run(subject)
