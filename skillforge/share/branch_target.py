"""A hub on a branch of its own, such as `gh-pages`: a commit made from objects."""

from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.gitrepo import GitRepo, checkout, remote, trailers
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange
from skillforge.gitrepo.remote import Remote
from skillforge.share import hub_layout
from skillforge.share.atomic_folder import ExistingHub, refuse_other, standing
from skillforge.share.hub import Hub
from skillforge.share.hub_formats import read_sums


class BranchTarget(NamedTuple):
    """The branch, who commits, and where it is pushed to, if it is."""

    branch: str
    by: Signature
    remote: Remote | None = None

    @property
    def ref(self) -> str:
        return f"refs/heads/{self.branch}"


class PublishedBranch(NamedTuple):
    """The commit that holds a hub, and whether it had to be made."""

    commit: str
    created: bool


def publish(
    repo: GitRepo, hub: Hub, made: Path, target: BranchTarget
) -> PublishedBranch:
    """Put what is in the folder `made` on the branch, and push it if told to.

    Files that no hub brought there stay, such as a CNAME. Run again, it finds what
    was done, and does the rest.
    """
    _refuse_taken(repo, target)
    there = _there(repo, target)
    here = repo.ref(target.ref)
    base = _joined(repo, target.branch, here, there)
    commit = _committed(repo, hub, made, target, base)
    if commit != here and not repo.move_refs(RefUpdate(target.ref, commit, here)):
        raise ConflictError(
            f"somebody else moved {target.branch} meanwhile", hint="run it again"
        )
    if target.remote is not None and commit != there:
        remote.push(repo, target.remote, RefUpdate(target.ref, commit, there))
    return PublishedBranch(commit, commit != base)


def _refuse_taken(repo: GitRepo, target: BranchTarget) -> None:
    name = target.branch
    if repo.run("check-ref-format", "--branch", name).code or name.startswith("skill/"):
        raise RequestError(f"{name!r} cannot be a branch", hint="--to branch:gh-pages")
    if checkout.showing(repo, name):
        raise ConflictError(
            f"{name} is checked out, and its files would not follow",
            hint="git switch to another branch first",
        )


def _there(repo: GitRepo, target: BranchTarget) -> str:
    """What the branch is at elsewhere; that is then here, too."""
    if target.remote is None:
        return ""
    there = remote.heads(repo, target.remote, target.ref).get(target.ref, "")
    if there:
        remote.fetch(repo, target.remote, [target.ref])
    return there


def _joined(repo: GitRepo, branch: str, here: str, there: str) -> str:
    """The later of two ends of a branch."""
    if not here or not there or repo.is_ancestor(here, there):
        return there or here
    if repo.is_ancestor(there, here):
        return here
    raise ConflictError(
        f"{branch} here and on the remote are two histories",
        hint=f"git fetch origin +{branch}:{branch} takes the remote's",
    )


def _committed(
    repo: GitRepo, hub: Hub, made: Path, target: BranchTarget, base: str
) -> str:
    """A commit of the hub on top of another; that one, if it holds the same."""
    puts = [*_puts(made)]
    paths = {put.path for put in puts}
    if base:
        refuse_other(_standing(repo, base), hub, made, target.branch)
        puts += [put for put in _kept(repo, base) if put.path not in paths]
    about = [("Release", hub.tag), ("Commit", hub.commit)]
    message = trailers.message(f"Publish {hub.tag}", "", about)
    with repo.object_writer(hub.commit) as commits:
        tree = commits.tree(puts)
        if base and tree == repo.name_of(f"{base}^{{tree}}"):
            return base
        parents = [base] if base else []
        return commits.branch_commit(NewCommit(parents, message, target.by, tree=tree))


def _puts(made: Path) -> list[TreeChange]:
    files = sorted(path for path in made.rglob("*") if path.is_file())
    return [
        TreeChange(
            path.relative_to(made).as_posix(),
            path.read_bytes(),
            "100755" if path.stat().st_mode & 0o100 else "100644",
        )
        for path in files
    ]


def _standing(repo: GitRepo, commit: str) -> ExistingHub:
    """The hub that a branch holds; one that holds anything else is refused."""
    manifest, sums = repo.find_all(
        [f"{commit}:{hub_layout.MANIFEST}", f"{commit}:{hub_layout.SUMS}"]
    )
    found = standing(manifest.data if manifest else b"", sums.data if sums else b"")
    if found is None:
        raise ConflictError(
            "the branch holds no hub of ours, and is not overwritten",
            hint="publish to a branch that does not exist yet: --to branch:NAME",
        )
    return found


def _kept(repo: GitRepo, commit: str) -> list[TreeChange]:
    """What others put on the branch."""
    found = repo.find(f"{commit}:{hub_layout.SUMS}")
    ours = {hub_layout.SUMS, *read_sums(found.data if found else b"")}
    return [
        TreeChange(file.path, mode=file.mode, object=file.object)
        for file in repo.files(commit)
        if file.path not in ours
    ]
