"""Find damage and leftovers in a repository, and repair what is safe."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from skillforge import store
from skillforge.errors import RequestError, SkillforgeError
from skillforge.forge import Forge, restore
from skillforge.forge.local import BRANCHES, LocalForge
from skillforge.forge.registry import ForgeChoice
from skillforge.gitrepo import GitRepo, checkout, damage, refs
from skillforge.gitrepo.checkout import Lag
from skillforge.gitrepo.ref_update import RefUpdate
from skillforge.library import Library
from skillforge.model import Proposal
from skillforge.propose import checkout_sync
from skillforge.propose.workspace import Workspace

_ROUNDS = 3  # a repair may uncover another fault
_BUSY = 60  # seconds before a lock is reported
_SHOWN = 3


class Fault(NamedTuple):
    """A fault of a repository; `fix` repairs it without losing anything."""

    name: str
    detail: str
    hint: str
    fix: Callable[[], object] | None = None


class Examination(NamedTuple):
    """The faults that remain, and those that were fixed."""

    faults: list[Fault]
    fixed: list[Fault]


def examine(start: Path, *, should_fix: bool = False) -> Examination | None:
    """Find faults, and fix those that are safe to fix; None without a repository.

    A repair never loses work: the hint of every other fault is what to do.
    """
    library = Library.find(start)
    if library is None or library.repo is None:
        return None
    fixed: list[Fault] = []
    for _ in range(_ROUNDS):
        faults = list(_faults(Library.open(start)))
        repaired = [fault for fault in faults if should_fix and _is_fixed(fault)]
        fixed += repaired
        if not repaired:
            break
    return Examination(faults, fixed)


def _is_fixed(fault: Fault) -> bool:
    try:
        if fault.fix is not None:
            fault.fix()
    except (OSError, SkillforgeError):
        return False
    return fault.fix is not None


def _faults(library: Library) -> Iterator[Fault]:
    repo = library.repository()
    git_dir = repo.root if repo.is_bare else repo.root / ".git"
    is_plain = git_dir.is_dir()  # git finds that of a linked worktree itself
    unusable = list(_unusable(git_dir)) if is_plain else []
    if unusable:
        yield from unusable
        return  # no git command works
    for check in (_locks, _refs, _objects, _proposals, _checkouts):
        try:
            yield from check(library)
        except RequestError:
            continue  # there is no commit yet, or it is missing
        except SkillforgeError as err:
            yield Fault("repository", err.message, err.hint)


def _unusable(git_dir: Path) -> Iterator[Fault]:
    """Damage that stops every git command."""
    if damage.is_head_damaged(git_dir):
        branch = damage.likely_head(git_dir)
        shown = f"ref: refs/heads/{branch or 'BRANCH'}"
        hint = f"echo '{shown}' > {git_dir / 'HEAD'}"
        fix = (lambda: (git_dir / "HEAD").write_text(f"{shown}\n")) if branch else None
        yield Fault("HEAD", "it names neither a branch nor a commit", hint, fix)
    if bad := damage.bad_packed_lines(git_dir):
        lines = "; ".join(repr(line) for line in bad[:_SHOWN])
        yield Fault(
            "packed-refs",
            f"{git_dir / 'packed-refs'} has lines that are not refs: {lines}",
            "--fix removes them, and keeps a copy as packed-refs.damaged",
            lambda: damage.without_bad_lines(git_dir),
        )


def _locks(library: Library) -> Iterator[Fault]:
    repo = library.repository()
    is_busy = damage.is_git_running(repo.root)
    for lock in damage.locks(repo.common_dir):
        if lock.age < _BUSY:
            continue
        is_left = lock.is_stale and not is_busy
        yield Fault(
            "lock",
            f"{lock.path} is {damage.shown_age(lock.age)} old",
            f"if no git is running there: rm {lock.path}",
            lock.path.unlink if is_left else None,
        )
    held = store.holder(repo.common_dir)
    if held is not None and held.seconds > _BUSY:
        age = damage.shown_age(held.seconds)
        detail = f"process {held.process} has held it for {age}"
        hint = f"if it hangs: kill {held.process}"
        yield Fault("skillforge's lock", detail, hint)


def _refs(library: Library) -> Iterator[Fault]:
    repo = library.repository()
    for ref, why in refs.read(repo, "refs/").broken.items():
        if ref.startswith("refs/skillforge/proposals/"):
            continue  # _proposals reports it
        remove = refs.removal(repo, ref)
        before = damage.last_logged(repo.common_dir, ref)
        if before and repo.name_of(f"{before}^{{commit}}"):
            hint = (
                f"its reflog ends at {before}: {remove}; git update-ref {ref} {before}"
            )
            yield Fault(ref, why, hint, _rewrite(repo, ref, before))
        else:
            hint = f"fetch it again, or take it from another clone, or {remove}"
            yield Fault(ref, why, hint)


def _rewrite(repo: GitRepo, ref: str, commit: str) -> Callable[[], object]:
    def rewrite() -> None:
        (repo.common_dir / ref).unlink(missing_ok=True)
        repo.move_refs(RefUpdate(ref, commit, repo.ref(ref)))

    return rewrite


def _objects(library: Library) -> Iterator[Fault]:
    line = ("fsck", "--connectivity-only", "--no-dangling", "--no-progress")
    done = library.repository().run(*line)
    lines = done.out.decode("utf-8", "replace").splitlines()
    missing = [line for line in lines if line.startswith("missing ")]
    if missing:
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        hint = "take them from another clone: git fetch --refetch origin"
        yield Fault("objects", ", ".join(missing[:_SHOWN]) + more, hint)


def _proposals(library: Library) -> Iterator[Fault]:
    """Damaged records, branches without a proposal, and proposals without a branch."""
    forge = Workspace(library, None, ForgeChoice()).forge
    if not isinstance(forge, LocalForge):
        return
    known = {proposal.branch: proposal for proposal in forge.proposals()}
    yield from _damaged(forge)
    repo, heads = library.repository(), BRANCHES.removesuffix("skill/")
    tips = {
        ref.removeprefix(heads): tip for ref, (tip, _) in repo.refs(BRANCHES).items()
    }
    for branch in sorted(tips.keys() - {n for n, p in known.items() if p.is_open}):
        if not checkout.showing(repo, branch):
            yield _branch_left(repo, branch, tips[branch], known.get(branch))
    for branch, proposal in known.items():
        if proposal.is_open and branch not in tips:
            detail = f"proposal {proposal.number} is open, and has no branch {branch}"
            hint = f"git branch {branch} {proposal.head}"
            yield Fault("branch", detail, hint, partial(forge.keep, proposal))


def _branch_left(
    repo: GitRepo, branch: str, tip: str, proposal: Proposal | None
) -> Fault:
    """A branch without an open proposal: a leftover, or a user's work."""
    if proposal is not None and tip in (proposal.head, proposal.made):
        detail = (
            f"{branch} is left over from proposal {proposal.number} ({proposal.state})"
        )
        update = RefUpdate(f"refs/heads/{branch}", "", tip)
        remove = f"git branch -D {branch}"
        return Fault("branch", detail, remove, partial(repo.move_refs, update))
    hint = (
        f"to keep it: git branch -m {branch} NAME; to drop it: git branch -D {branch}"
    )
    return Fault("branch", f"{branch} belongs to no proposal", hint)


def _damaged(forge: LocalForge) -> Iterator[Fault]:
    """Proposals whose record can't be read, with the record that they had before.

    The reflog of their ref names it. Without a reflog, a single unreferenced record
    must be that of a single damaged proposal.
    """
    damaged = dict(forge.unreadable)
    logged = {number: restore.logged_record(forge, number) for number in damaged}
    unknown = [number for number in damaged if not logged[number]]
    lost = list(restore.lost_records(forge)) if unknown else []
    lost = [commit for commit in lost if commit not in logged.values()]
    is_sure = len(unknown) == len(lost) == 1
    for number, err in damaged.items():
        commit = logged[number] or (lost[0] if is_sure else "")
        fix = partial(restore.restore, forge, number, commit) if commit else None
        is_guess = lost and not commit
        may_be = f"; its record may be {', '.join(lost[:_SHOWN])}" if is_guess else ""
        yield Fault(f"proposal {number}", err.message, f"{err.hint}{may_be}", fix)


def _checkouts(library: Library) -> Iterator[Fault]:
    forge = Workspace(library, None, ForgeChoice()).forge
    for lag in checkout.lags(library.repository(), library.main):
        hint = f"git -C {lag.root} read-tree -m -u {lag.commit} {lag.tip}"
        yield Fault("checkout", str(lag), hint, _update(library, forge, lag))


def _update(library: Library, forge: Forge, lag: Lag) -> Callable[[], object]:
    def update() -> None:
        with forge.alone():
            checkout_sync.bring_along(library, lag.commit, lag.tip)

    return update
