"""The checkouts of main when main moves: they follow, and nothing in them is lost."""

from pathlib import Path

from skillforge.errors import ConflictError, RequestError
from skillforge.forge import Forge
from skillforge.gitrepo import GitRepo, checkout, diff
from skillforge.gitrepo.checkout import Unsaved
from skillforge.gitrepo.damage import lock_hint
from skillforge.gitrepo.object_reader import blob_name
from skillforge.gitrepo.ref_update import RefUpdate
from skillforge.history import readable_version
from skillforge.library import Library
from skillforge.model import SKILL_FILE
from skillforge.propose import move_journal
from skillforge.propose.move_journal import Move


def prepare(library: Library, move: Move, head: str) -> None:
    """Stop where a checkout of main could not follow; note the move if all of them can.

    Call it before main moves, and `bring_along` afterwards.
    """
    places = checkout.showing(library.repository(), library.main)
    for place in places:
        drafts = _drafts_in(place, move.base, head)
        if not drafts and (why := checkout.follow_error(place, move.base, head)):
            raise _stop(place, why)
    if places:
        move_journal.begin(library, move)


def finish(library: Library, forge: Forge) -> Move | None:
    """Finish a move of main that an earlier process died over; the answer is that move.

    Every command that moves main calls this first.
    """
    if move_journal.unfinished(library) is None:
        return None
    with forge.exclusive():  # whoever noted it may be at work
        move = move_journal.unfinished(library)
        tip = library.repository().ref(f"refs/heads/{library.main}")
        if move is None or move.base == tip:
            move_journal.end(library)
            return None
        bring_along(library, move.base, tip)
        return move


def bring_along(
    library: Library, base: str, merge: str, *, is_prepared: bool = False
) -> list[Path]:
    """Let checkouts of main follow; the answer is those that are left behind.

    Right after `prepare`, only what is to change is looked at again.
    """
    left = []
    for place in checkout.showing(library.repository(), library.main):
        if not checkout.staged(place, merge):
            continue  # it is there already
        try:
            drafts = _drafts_in(place, base, merge, only_changed=is_prepared)
        except ConflictError:
            left.append(place.root)
            continue
        if not checkout.follow(place, base, merge, drafts):
            left.append(place.root)
    if not left:
        move_journal.end(library)
    return left


def catch_up(library: Library) -> list[Path]:
    """Let the main of this clone follow the one that others see, if nothing is lost.

    The answer is the checkouts that are left behind.
    """
    repo, ref, tip = library.repository(), f"refs/heads/{library.main}", library.tip
    before = repo.ref(ref)
    places = [place.root for place in checkout.showing(repo, library.main)]
    if not before or before == tip:
        return []
    try:
        prepare(library, Move(before, 0), tip)
    except ConflictError:
        return places
    is_behind = repo.is_ancestor(before, tip)
    if not is_behind or not repo.move_refs(RefUpdate(ref, tip, before)):
        move_journal.end(library)
        return places
    return bring_along(library, before, tip, is_prepared=True)


def _drafts_in(
    place: GitRepo, base: str, head: str, *, only_changed: bool = False
) -> list[str]:
    """Files of a checkout that hold the draft itself; anything else unsaved is a stop.

    A draft that was proposed from the checkout still lies there. What main is about to
    bring is the same but for the version, so nothing is lost when main's comes.
    """
    if lock := checkout.index_lock(place):
        raise _stop(place, "another git is at work there", lock_hint(lock))
    changed = {path for path, *_ in diff.changed_files(place, base, head)}
    unsaved = checkout.unsaved(place, base, changed, only_near=only_changed)
    lost = _lost(place, unsaved, changed, head)
    if lost:
        shown = ", ".join(lost[:3]) + (" and more" if len(lost) > 3 else "")
        raise _stop(place, f"unsaved changes: {shown}")
    return sorted((unsaved.tracked | unsaved.untracked) & changed)


def _stop(place: GitRepo, why: str, hint: str = "") -> ConflictError:
    usual = "git stash --include-untracked, or take it along to another branch: git "
    usual += "switch -c work"
    return ConflictError(
        f"the checkout {place.root} of the branch to be moved cannot follow: {why}",
        hint=f"{hint or usual}; nothing was changed",
    )


def _lost(place: GitRepo, unsaved: Unsaved, changed: set[str], head: str) -> list[str]:
    """What a user would miss if the checkout followed."""
    mine = (unsaved.tracked | unsaved.untracked) & changed
    lost = unsaved.tracked - changed
    lost |= unsaved.unwatched & changed
    lost |= {path for path in mine if not _is_draft(place, unsaved, head, path)}
    lost |= {path for path in unsaved.untracked - changed if _blocks(path, changed)}
    return sorted(lost)


def _blocks(path: str, changed: set[str]) -> bool:
    """Whether a file has the place of a folder that comes, or the other way round."""
    name = path.rstrip("/")
    return any(it.startswith(f"{name}/") or name.startswith(f"{it}/") for it in changed)


def _is_draft(place: GitRepo, unsaved: Unsaved, head: str, path: str) -> bool:
    """Whether a file is what a commit holds, but for the version, also in the index."""
    file = place.root / path
    if file.is_symlink():
        return False
    committed = place.find(f"{head}:{path}")
    try:
        data = file.read_bytes() if file.exists() else None
    except OSError:
        return False
    if data is None or committed is None:
        return data is None and committed is None
    if path in unsaved.staged:
        blob = checkout.staged_blob(place, path)
        if blob != blob_name(data, committed.name):
            return False
    return _is_same(data, committed.data, path)


def _is_same(data: bytes, committed: bytes, path: str) -> bool:
    if data == committed or not path.endswith(f"/{SKILL_FILE}"):
        return data == committed
    try:
        return (
            readable_version.stamped(data, readable_version.of(committed)) == committed
        )
    except RequestError:
        return False
