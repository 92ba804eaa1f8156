"""What history says of skills, handed from `propose` to `share` as values."""

from collections import defaultdict
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from skillforge.errors import ConflictError
from skillforge.model import SKILL_FILE, Action

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from skillforge.gitrepo import GitRepo
    from skillforge.history.steps import HistoryStep
    from skillforge.library import Library
    from skillforge.share.hub import PublishedVersion
    from skillforge.share.hub_contents import HistoryFacts


class Span(NamedTuple):
    """What lies between two releases: the trees of skills in both, and the commits."""

    trees: "Collection[str]"
    commits: "Collection[str]"


def told(
    library: "Library", commit: str, notes: str, only: "Span | None" = None
) -> "HistoryFacts":
    """Every version of every skill up to a commit, and which of them were tested.

    From the commit and one state of the notes alone, so that every clone tells the
    same; one that lacks a part of that is refused. With `only` a span, other versions
    are left out, and none has a diff.
    """
    from skillforge.history.steps import reproducible_steps
    from skillforge.share.hub_contents import HistoryFacts

    repo = library.repository()
    _refuse_partial(repo, notes)
    steps = reproducible_steps(library, commit, notes)
    lineage: dict[str, list[PublishedVersion]] = defaultdict(list)
    for name, version in _versions(library, commit, steps, only):
        lineage[name].append(version)
    newest_first = {name: tuple(found[::-1]) for name, found in lineage.items()}
    return HistoryFacts(newest_first, frozenset(_tested(repo, steps)))


def _refuse_partial(repo: "GitRepo", notes: str) -> None:
    if repo.shallow_commits():
        raise ConflictError(
            "this clone is shallow: history is not all here",
            hint="git fetch --unshallow",
        )
    if notes and not repo.name_of(f"{notes}^{{tree}}"):
        raise ConflictError(
            "the notes on merges that the release was made with are not here",
            hint="git fetch origin 'refs/notes/*:refs/notes/*'",
        )


def _versions(
    library: "Library",
    commit: str,
    steps: "list[HistoryStep]",
    only: "Span | None",
) -> "Iterator[tuple[str, PublishedVersion]]":
    """The versions of all skills, the oldest first."""
    from skillforge.checks.evidence import known_to
    from skillforge.gitrepo.diff import diffs
    from skillforge.history import readable_version
    from skillforge.share.redact_history import masked

    repo = library.repository()
    known = known_to(library.policy(commit))
    mask = cache(partial(masked, known=known))  # reasons are often the same
    changes = [
        (step, name, change)
        for step in steps
        for name, change in step.skills.items()
        if only is None or step.name in only.commits or change.after in only.trees
    ]
    trees = sorted({it.after for _, _, it in changes if it.after})
    trees = [it for it in trees if only is None or it in only.trees]
    pages = repo.find_all([f"{tree}:{SKILL_FILE}" for tree in trees])
    readable = {
        tree: readable_version.of(page.data)
        for tree, page in zip(trees, pages, strict=True)
        if page is not None and page.kind == "blob"
    }
    pairs = [(it.before, it.after) for _, _, it in changes if it.before and it.after]
    shown = diffs(repo, pairs, SKILL_FILE) if only is None else {}
    taken_back = {
        (other.name, name): step.name
        for step in steps
        for other in step.reverts
        for name in step.skills.keys() & other.skills.keys()
    }
    for step, name, change in changes:
        diff = shown.get((change.before, change.after), "")
        why = mask(_why(step), is_reason=True)
        end = taken_back.get((step.name, name), "")
        about = (readable.get(change.after, ""), change.after, why, end)
        yield name, _version(step, *about, mask(diff) if diff else "")


def _version(  # noqa: PLR0913, PLR0917 - the parts of a version
    step: "HistoryStep", readable: str, tree: str, why: str, reverted_by: str, diff: str
) -> "PublishedVersion":
    from skillforge.gitrepo import trailers
    from skillforge.share.hub import PublishedVersion
    from skillforge.share.redact_history import name_of

    return PublishedVersion(
        version=readable,
        tree=tree,
        commit=step.name,
        date=step.date,
        action=step.action,
        origin=trailers.first(step.draft_trailers, "Origin"),
        author=name_of(step.author),
        approvers=tuple(map(name_of, step.approvers)),
        proposal=step.number or step.pull_request,
        why=why,
        reverted_by=reverted_by,
        diff=diff,
    )


def _why(step: "HistoryStep") -> str:
    """The reason; of a commit that is no proposal's, at least its title."""
    return step.reason or ("" if step.is_promotion else step.commit.subject)


def _tested(repo: "GitRepo", steps: "list[HistoryStep]") -> "Iterator[str]":
    """The trees that a gate passed which runs the cases of a skill."""
    from skillforge.errors import ConfigError
    from skillforge.gitrepo import trailers
    from skillforge.policy import Policy, read_policy

    runs_cases: dict[str, bool] = {"none": "test" in Policy().checks}
    for step in steps:
        # A rollback does not wait for cases: its tree was tested when it came first.
        is_judged = "Checks-Digest" in step.trailers and step.action != Action.ROLLBACK
        if not step.is_promotion or not is_judged:
            continue
        policy = trailers.first(step.trailers, "Policy")
        if policy not in runs_cases:
            found = repo.find(policy)
            try:
                checks = read_policy(found.data).checks if found else ()
            except ConfigError:
                checks = ()
            runs_cases[policy] = "test" in checks
        if runs_cases[policy]:
            yield from (it.after for it in step.skills.values() if it.after)
