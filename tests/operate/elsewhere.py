"""What tests of agents' folders have other processes do: quick to import."""

import sys
from pathlib import Path

from skillforge.gitrepo import GitRepo
from skillforge.library import Library
from skillforge.operate import materialize
from skillforge.operate.folder_sync import SyncAction, sync
from skillforge.operate.tree_hash import folder_state


def laid_out_tree(repo: GitRepo, name: str, tree: str) -> str:
    """The tree that is in a folder as soon as it is said to be laid out."""
    return folder_state(str(materialize.cached_folder(repo, name, tree)), tree).tree


def synced(library: Library, agent: Path) -> bool:
    return sync(library, "k", agent).ok


def synced_beside_an_edit(library: Library, agent: Path, name: str) -> list[str]:
    """Which skills are kept when one is edited just before it is moved away."""
    page = agent / name / "SKILL.md"

    def edit_first(event: str, args: tuple[object, ...]) -> None:
        if event == "os.rename" and args[0] == str(agent / name):
            page.write_text(page.read_text() + "Mine.\n")

    sys.addaudithook(edit_first)
    return sync(library, "k", agent).names(SyncAction.KEPT)
