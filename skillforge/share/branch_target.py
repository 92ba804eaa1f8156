"""Publish a hub to a branch, such as `gh-pages`, without touching the checkout."""

from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.gitrepo import GitRepo, checkout, remote, trailers
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange
from skillforge.gitrepo.remote import Remote
from skillforge.share import hub_layout
from skillforge.share.atomic_folder import ExistingHub, parse_hub, refuse_other
from skillforge.share.hub import Hub
from skillforge.share.hub_formats import read_sums


class BranchTarget(NamedTuple):
    """The branch, the committer, and the remote to push to, if any."""

    branch: str
    by: Signature
    remote: Remote | None = None

    @property
    def ref(self) -> str:
        return f"refs/heads/{self.branch}"


class PublishedBranch(NamedTuple):
    """The commit with the hub, and whether it is new."""

    commit: str
    created: bool


def publish(
    repo: GitRepo, hub: Hub, built: Path, target: BranchTarget
) -> PublishedBranch:
    """Commit the files of a built hub on the branch, and push it to the remote.

    Other files on the branch stay, such as a CNAME. Safe to repeat: it completes what
    an earlier run left undone.
    """
    _refuse_unusable(repo, target)
    pushed = _fetched(repo, target)
    local = repo.ref(target.ref)
    base = _newer(repo, target.branch, local, pushed)
    commit = _committed(repo, hub, built, target, base)
    if commit != local and not repo.move_refs(RefUpdate(target.ref, commit, local)):
        raise ConflictError(
            f"another process moved {target.branch} meanwhile", hint="try again"
        )
    if target.remote is not None and commit != pushed:
        remote.push(repo, target.remote, RefUpdate(target.ref, commit, pushed))
    return PublishedBranch(commit, commit != base)


def _refuse_unusable(repo: GitRepo, target: BranchTarget) -> None:
    name = target.branch
    if repo.run("check-ref-format", "--branch", name).code or name.startswith("skill/"):
        raise RequestError(
            f"{name!r} is not a valid branch", hint="--to branch:gh-pages"
        )
    if checkout.showing(repo, name):
        raise ConflictError(
            f"{name} is checked out, and its files would not be updated",
            hint="git switch to another branch first",
        )


def _fetched(repo: GitRepo, target: BranchTarget) -> str:
    """The remote's commit of the branch, fetched; empty if there is none."""
    if target.remote is None:
        return ""
    commit = remote.heads(repo, target.remote, target.ref).get(target.ref, "")
    if commit:
        remote.fetch(repo, target.remote, [target.ref])
    return commit


def _newer(repo: GitRepo, branch: str, local: str, pushed: str) -> str:
    """The newer one of the local and the remote's commit."""
    if not local or not pushed or repo.is_ancestor(local, pushed):
        return pushed or local
    if repo.is_ancestor(pushed, local):
        return local
    raise ConflictError(
        f"{branch} and the remote's {branch} have diverged",
        hint=f"to use the remote's: git fetch origin +{branch}:{branch}",
    )


def _committed(
    repo: GitRepo, hub: Hub, built: Path, target: BranchTarget, base: str
) -> str:
    """A commit of the hub on top of `base`; `base` itself if nothing changes."""
    changes = _changes(built)
    paths = {change.path for change in changes}
    if base:
        refuse_other(_existing(repo, base), hub, built, target.branch)
        changes += [file for file in _other_files(repo, base) if file.path not in paths]
    about = [("Release", hub.tag), ("Commit", hub.commit)]
    message = trailers.message(f"Publish {hub.tag}", "", about)
    with repo.making(hub.commit) as commits:
        tree = commits.tree(changes)
        if base and tree == repo.name_of(f"{base}^{{tree}}"):
            return base
        parents = [base] if base else []
        return commits.branch_commit(NewCommit(parents, message, target.by, tree=tree))


def _changes(built: Path) -> list[TreeChange]:
    files = sorted(path for path in built.rglob("*") if path.is_file())
    return [
        TreeChange(
            path.relative_to(built).as_posix(),
            path.read_bytes(),
            "100755" if path.stat().st_mode & 0o100 else "100644",
        )
        for path in files
    ]


def _existing(repo: GitRepo, commit: str) -> ExistingHub:
    """The hub on a branch; an error if the branch has anything else."""
    manifest, sums = repo.find_all(
        [f"{commit}:{hub_layout.MANIFEST}", f"{commit}:{hub_layout.SUMS}"]
    )
    existing = parse_hub(manifest.data if manifest else b"", sums.data if sums else b"")
    if existing is None:
        raise ConflictError(
            "the branch exists and has no hub; it is not overwritten",
            hint="publish to a new branch: --to branch:NAME",
        )
    return existing


def _other_files(repo: GitRepo, commit: str) -> list[TreeChange]:
    """The files of a branch that are not part of its hub."""
    sums = repo.find(f"{commit}:{hub_layout.SUMS}")
    ours = {hub_layout.SUMS, *read_sums(sums.data if sums else b"")}
    return [
        TreeChange(file.path, mode=file.mode, object=file.object)
        for file in repo.files(commit)
        if file.path not in ours
    ]
