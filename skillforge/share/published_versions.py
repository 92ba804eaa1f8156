"""The published history of skills: every version up to a tag."""

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
    """Two releases: the trees of their skills, and the commits between them."""

    trees: "Collection[str]"
    commits: "Collection[str]"


def history_facts(
    library: "Library", commit: str, notes: str, only: "Span | None" = None
) -> "HistoryFacts":
    """Every version of every skill up to a commit, and which of them were tested.

    The result depends on `commit` and the notes commit `notes` only, so every clone
    gives the same; one that lacks a part is refused. With a span, other versions are
    omitted, and none has a diff.
    """
    from skillforge.history.steps import reproducible_steps
    from skillforge.share.hub_contents import HistoryFacts

    repo = library.repository()
    _refuse_partial(repo, notes)
    steps = reproducible_steps(library, commit, notes)
    lineage: dict[str, list[PublishedVersion]] = defaultdict(list)
    for name, version in _versions(library, commit, steps, only):
        lineage[name].append(version)
    newest_first = {name: tuple(steps[::-1]) for name, steps in lineage.items()}
    return HistoryFacts(newest_first, frozenset(_tested(repo, steps)))


def _refuse_partial(repo: "GitRepo", notes: str) -> None:
    if repo.shallow_commits():
        raise ConflictError(
            "this clone is shallow: its history is incomplete",
            hint="git fetch --unshallow",
        )
    if notes and not repo.name_of(f"{notes}^{{tree}}"):
        raise ConflictError(
            "this clone lacks the notes on merges that the release refers to",
            hint="git fetch origin 'refs/notes/*:refs/notes/*'",
        )


def _versions(
    library: "Library",
    commit: str,
    steps: "list[HistoryStep]",
    only: "Span | None",
) -> "Iterator[tuple[str, PublishedVersion]]":
    """The versions of all skills, oldest first."""
    from skillforge.checks.private_names import known_to
    from skillforge.gitrepo import trailers
    from skillforge.gitrepo.diff import diffs
    from skillforge.share.hub import PublishedVersion
    from skillforge.share.redact_history import person_name, redact

    repo = library.repository()
    known = known_to(library.policy(commit))
    redacted = cache(partial(redact, known=known))  # many reasons are equal
    changes = [
        (step, name, change)
        for step in steps
        for name, change in step.skills.items()
        if only is None or step.name in only.commits or change.after in only.trees
    ]
    trees = sorted({change.after for _, _, change in changes if change.after})
    readable = _readable_versions(
        repo, [tree for tree in trees if only is None or tree in only.trees]
    )
    pairs = [(c.before, c.after) for _, _, c in changes if c.before and c.after]
    shown = diffs(repo, pairs, SKILL_FILE) if only is None else {}
    reverts = {
        (other.name, name): step.name
        for step in steps
        for other in step.reverts
        for name in step.skills.keys() & other.skills.keys()
    }
    before, adopted = _adoption(library, commit, steps)
    for step, name, change in changes:
        diff = shown.get((change.before, change.after), "")
        yield (
            name,
            PublishedVersion(
                version=readable.get(change.after, ""),
                tree=change.after,
                commit=step.name,
                date=step.date,
                action=step.action,
                origin=trailers.first(step.draft_trailers, "Origin"),
                author=person_name(step.author),
                approvers=tuple(map(person_name, step.approvers)),
                proposal=step.number or step.pull_request,
                why=redacted(_reason(step), is_reason=True),
                reverted_by=reverts.get((step.name, name), ""),
                diff=redacted(diff) if diff else "",
                adopted=adopted if step.name in before else "",
            ),
        )


def _adoption(
    library: "Library", commit: str, steps: "list[HistoryStep]"
) -> tuple[set[str], str]:
    """The commits from before the library was under review, and when that began."""
    from skillforge.errors import ConfigError
    from skillforge.history import audit_baseline

    try:
        before = audit_baseline.adopted(library, steps, commit)
    except ConfigError:  # the audit reports it
        return set(), ""
    dates = [step.date for step in steps if step.name in before]
    return before, dates[-1] if dates else ""


def _readable_versions(repo: "GitRepo", trees: list[str]) -> dict[str, str]:
    """The `metadata.version` of skills, by tree."""
    from skillforge.history import readable_version

    blobs = repo.find_all([f"{tree}:{SKILL_FILE}" for tree in trees])
    return {
        tree: readable_version.of(blob.data)
        for tree, blob in zip(trees, blobs, strict=True)
        if blob is not None and blob.kind == "blob"
    }


def _reason(step: "HistoryStep") -> str:
    """The reason of a step; without a proposal, the commit's subject."""
    return step.reason or ("" if step.is_promotion else step.commit.subject)


def _tested(repo: "GitRepo", steps: "list[HistoryStep]") -> "Iterator[str]":
    """The trees that passed a gate with the check `test`."""
    from skillforge.errors import ConfigError
    from skillforge.gitrepo import trailers
    from skillforge.policy import Policy, read_policy

    runs_cases: dict[str, bool] = {"none": "test" in Policy().checks}
    for step in steps:
        # A rollback runs no cases: its tree was tested when it was first merged.
        is_checked = "Checks-Digest" in step.trailers and step.action != Action.ROLLBACK
        if not step.is_promotion or not is_checked:
            continue
        policy = trailers.first(step.trailers, "Policy")
        if policy not in runs_cases:
            blob = repo.find(policy)
            try:
                checks = read_policy(blob.data).checks if blob else ()
            except ConfigError:
                checks = ()
            runs_cases[policy] = "test" in checks
        if runs_cases[policy]:
            yield from (c.after for c in step.skills.values() if c.after)
