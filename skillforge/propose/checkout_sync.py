"""Update the checkouts of main when main moves, without losing unsaved changes.

Before main moves, the move is noted in a file; the note is removed when every checkout
has followed. If a process dies in between, the next command that moves main finishes
its work. Otherwise, a checkout that lags behind would look like a staged revert.
"""

import json
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError, unwritable
from skillforge.gitrepo import GitRepo, checkout, diff
from skillforge.gitrepo.checkout import Unsaved
from skillforge.gitrepo.damage import lock_hint
from skillforge.gitrepo.object_reader import blob_name
from skillforge.gitrepo.ref_update import RefUpdate
from skillforge.history import readable_version
from skillforge.library import Library
from skillforge.model import SKILL_FILE
from skillforge.propose.workspace import Workspace


class Move(NamedTuple):
    """Where main moved from, and the number of the proposal that was merged, or 0."""

    base: str
    proposal: int


def prepare(library: Library, move: Move, head: str) -> None:
    """Note a move of main; raise if a checkout of main can't follow.

    Call it before main moves, and `bring_along` afterwards.
    """
    checkouts = checkout.showing(library.repository(), library.main)
    for place in checkouts:
        drafts = _draft_files(place, move.base, head)
        if not drafts and (why := checkout.follow_error(place, move.base, head)):
            raise _cannot_follow(place, why)
    if checkouts:
        _write_note(library, move)


def finish(workspace: Workspace) -> Move | None:
    """Finish and return the move of main that another process left unfinished.

    Every command that moves main calls this first.
    """
    library = workspace.library
    if _read_note(library) is None:
        return None
    with workspace.forge.exclusive():  # the process may still be running
        move = _read_note(library)
        tip = library.repository().ref(f"refs/heads/{library.main}")
        if move is None or move.base == tip:
            _note_path(library).unlink(missing_ok=True)
            return None
        bring_along(library, move.base, tip)
        return move


def bring_along(
    library: Library, base: str, merge: str, *, is_prepared: bool = False
) -> list[Path]:
    """Update the checkouts of main; returns those that could not follow.

    Right after `prepare`, only the files that change are checked again.
    """
    left = []
    for place in checkout.showing(library.repository(), library.main):
        if not checkout.staged(place, merge):
            continue  # it is up to date
        try:
            drafts = _draft_files(place, base, merge, only_changed=is_prepared)
        except ConflictError:
            left.append(place.root)
            continue
        if not checkout.follow(place, base, merge, drafts):
            left.append(place.root)
    if not left:
        _note_path(library).unlink(missing_ok=True)
    return left


def catch_up(library: Library) -> list[Path]:
    """Move this clone's main to the shared one, if nothing is lost.

    Returns the checkouts that could not follow.
    """
    repo, ref, tip = library.repository(), f"refs/heads/{library.main}", library.tip
    before = repo.ref(ref)
    roots = [place.root for place in checkout.showing(repo, library.main)]
    if not before or before == tip:
        return []
    try:
        prepare(library, Move(before, 0), tip)
    except ConflictError:
        return roots
    is_behind = repo.is_ancestor(before, tip)
    if not is_behind or not repo.move_refs(RefUpdate(ref, tip, before)):
        _note_path(library).unlink(missing_ok=True)
        return roots
    return bring_along(library, before, tip, is_prepared=True)


def _write_note(library: Library, move: Move) -> None:
    path = _note_path(library)
    try:
        path.parent.mkdir(exist_ok=True)
        temporary = path.with_suffix(".new")
        temporary.write_text(json.dumps(move._asdict()))
        temporary.replace(path)
    except OSError as err:
        raise unwritable(path.parent, err) from err


def _read_note(library: Library) -> Move | None:
    try:
        note = json.loads(_note_path(library).read_bytes())
        return Move(str(note["base"]), int(note["proposal"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _note_path(library: Library) -> Path:
    return library.repository().common_dir / "skillforge" / "move.json"


def _draft_files(
    place: GitRepo, base: str, head: str, *, only_changed: bool = False
) -> list[str]:
    """Files of a checkout that equal the draft; raise if other changes would be lost.

    A draft that was proposed from the checkout is still there. Main is about to bring
    the same files, except for the version, so nothing is lost when they are replaced.
    """
    if lock := checkout.index_lock(place):
        raise _cannot_follow(place, "another git process is using it", lock_hint(lock))
    changed = {path for path, *_ in diff.changed_files(place, base, head)}
    unsaved = checkout.unsaved(place, base, changed, only_near=only_changed)
    if lost := _lost(place, unsaved, changed, head):
        shown = ", ".join(lost[:3]) + (" and more" if len(lost) > 3 else "")
        raise _cannot_follow(place, f"unsaved changes: {shown}")
    return sorted((unsaved.tracked | unsaved.untracked) & changed)


def _cannot_follow(place: GitRepo, why: str, hint: str = "") -> ConflictError:
    keep = "git stash --include-untracked, or keep the changes on another branch: git "
    keep += "switch -c work"
    return ConflictError(
        f"the checkout {place.root} can't be updated: {why}",
        hint=f"{hint or keep}; nothing was changed",
    )


def _lost(place: GitRepo, unsaved: Unsaved, changed: set[str], head: str) -> list[str]:
    """The unsaved files that an update of the checkout would lose."""
    edited = (unsaved.tracked | unsaved.untracked) & changed
    lost = unsaved.unwatched & changed
    lost |= {path for path in edited if not _is_draft(place, unsaved, head, path)}
    lost |= {path for path in unsaved.untracked - changed if _blocks(path, changed)}
    return sorted(lost)


def _blocks(path: str, changed: set[str]) -> bool:
    """Whether a file is where a new folder goes, or the other way round."""
    name = path.rstrip("/")
    return any(
        other.startswith(f"{name}/") or name.startswith(f"{other}/")
        for other in changed
    )


def _is_draft(place: GitRepo, unsaved: Unsaved, head: str, path: str) -> bool:
    """Whether a file, and its index entry, equal a commit's except for the version."""
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
        version = readable_version.of(committed)
        return readable_version.stamped(data, version) == committed
    except RequestError:
        return False
