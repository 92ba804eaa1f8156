"""Write all skills of main to an agent's folder, in the versions that a key gets."""

from dataclasses import dataclass
from pathlib import Path

from skillforge.library import Library
from skillforge.operate import assignment, folder_sync
from skillforge.operate.folder_sync import SyncResult


@dataclass(frozen=True, slots=True)
class FolderSync:
    """What happened to each skill in a folder.

    `unwritten` is why the versions could not be remembered for `record`.
    """

    result: SyncResult
    is_dry: bool
    unwritten: str = ""


def sync(library: Library, key: str, folder: Path, *, dry: bool = False) -> FolderSync:
    """Make a folder hold what a key gets; with `dry`, only report the changes."""
    result = folder_sync.sync(library, key, folder, dry=dry)
    if dry:
        return FolderSync(result, is_dry=True)
    unwritten = assignment.remember(library, result.assigned, key)
    return FolderSync(result, is_dry=False, unwritten=unwritten)
