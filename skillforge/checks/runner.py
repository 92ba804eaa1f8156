"""Check skills of a checkout or a revision: all, or some of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from skillforge import processes, worker_pool
from skillforge.checks import Ruleset
from skillforge.checks.baseline import Baseline
from skillforge.checks.registry import Check, Subject
from skillforge.gitrepo import TreeFile
from skillforge.library import Library, read_folder
from skillforge.model import Finding, Layout, Report, Skill

if TYPE_CHECKING:
    import os

    from skillforge.checks.result_cache import ResultCache

WORTH_CACHING = 200  # skills; for fewer, reading all is faster than asking git
WORTH_SPREADING = 1000  # skills for each process
_NONE_KNOWN = Baseline()


class CheckedSkill(NamedTuple):
    """The result for one skill, its folders and the number of its files."""

    name: str
    findings: list[Finding]
    folders: Mapping[str, int]
    files: int


def check_skills(
    ruleset: Ruleset, skills: Iterable[Skill], known: Baseline = _NONE_KNOWN
) -> Report:
    """Check skills that are already read; findings in the baseline are known."""
    findings: list[Finding] = []
    paths: list[str] = []
    for skill in skills:
        paths.append(skill.path)
        found = known.marked(_check(ruleset, skill), skill)
        findings.extend(f.under(skill.path) for f in found)
    return Report(tuple(findings), tuple(paths))


@processes.without_cycles
def check_commit(
    library: Library,
    ruleset: Ruleset,
    commit: str,
    names: Iterable[str] | None = None,
    known: Baseline = _NONE_KNOWN,
) -> Report:
    """Check skills of a commit: all of them, or those in `names`."""
    listing = library.listing(commit, names)
    work = partial(_check_listed, library, ruleset, known)
    return Report.joined(
        worker_pool.spread(work, list(listing.items()), WORTH_SPREADING)
    )


@processes.without_cycles
def check_checkout(
    library: Library,
    ruleset: Ruleset,
    worth: int = WORTH_CACHING,
    known: Baseline = _NONE_KNOWN,
) -> Report:
    """Check all skills in the checkout, and read only those without cached results."""
    folders, layout = library.folders(), library.checkout_layout
    cached = _result_cache(library, ruleset, folders) if len(folders) >= worth else None
    results = cached.recall() if cached else {}
    fresh = [(name, e.path) for name, e in folders.items() if name not in results]
    parts = worker_pool.spread(
        partial(_check_folders, ruleset, layout), fresh, WORTH_SPREADING
    )
    checked = [result for part in parts for result in part]
    if cached:
        cached.remember(checked)
    results.update((result.name, result.findings) for result in checked)
    for name in known.counts.keys() & folders.keys():
        skill = read_folder(folders[name].path, name, layout.path_of(name))
        results[name] = known.marked(results[name], skill)
    return _report(layout, folders, results)


def _result_cache(
    library: Library, ruleset: Ruleset, folders: "Mapping[str, os.DirEntry[str]]"
) -> "ResultCache | None":
    """The cached results of the skills; None for a library that is not in git.

    With other folders than the usual, git would have to be asked once for each.
    """
    from skillforge.checks.result_cache import ResultCache

    if library.repo is None or not library.checkout_layout.is_default:
        return None
    return ResultCache(library.repo, ruleset.fingerprint, folders)


def _report(
    layout: Layout, names: Iterable[str], results: dict[str, list[Finding]]
) -> Report:
    paths = {name: layout.path_of(name) for name in names}
    findings = (f.under(path) for name, path in paths.items() for f in results[name])
    return Report(tuple(findings), tuple(paths.values()))


def _check(ruleset: Ruleset, skill: Skill) -> list[Finding]:
    findings = ruleset.check(skill)
    return sorted(findings, key=lambda f: (f.path, f.line)) if findings else findings


def _check_listed(
    library: Library,
    ruleset: Ruleset,
    known: Baseline,
    listed: Sequence[tuple[str, list[TreeFile]]],
) -> Report:
    return check_skills(ruleset, library.read_listed(dict(listed)), known)


def _check_folders(
    ruleset: Ruleset, layout: Layout, folders: Sequence[tuple[str, str]]
) -> list[CheckedSkill]:
    return [_check_folder(ruleset, layout, name, path) for name, path in folders]


def _check_folder(
    ruleset: Ruleset, layout: Layout, name: str, path: str
) -> CheckedSkill:
    skill = read_folder(path, name, name)
    if nested := layout.nested(layout.path_of(name), skill.files):
        skill = replace(skill, nested=nested)
    return CheckedSkill(name, _check(ruleset, skill), skill.folders, len(skill.files))


def _findings(subject: Subject) -> list[Finding]:
    if subject.skill is None:
        return []
    policy = subject.policy
    return _check(Ruleset(policy.profile, policy.rules), subject.skill)


CHECK = Check("validate", _findings)
