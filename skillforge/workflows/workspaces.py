"""Open a library, with its forge and a user: what other workflows work on."""

from pathlib import Path

from skillforge.forge import HostedForge
from skillforge.forge.registry import ForgeChoice as ForgeChoice
from skillforge.forge.registry import hosted
from skillforge.library import Library
from skillforge.propose.workspace import Workspace


def open_library(start: Path) -> Library:
    """The library at or above a folder, as it is in this clone."""
    return Library.open(start)


def open_workspace(
    start: Path,
    user: str | None = None,
    *,
    forge: str = "",
    host: str = "",
    will_write: bool = False,
) -> Workspace:
    """The workspace of the library at or above a folder.

    `user` is `Name <mail>`, by default git's. `will_write` looks that one up meanwhile.
    """
    choice = ForgeChoice(forge, host)
    open_at = Workspace.at_work if will_write else Workspace.at
    return open_at(start, user, choice)


def open_hosted(start: Path, host: str = "") -> tuple[Workspace, HostedForge]:
    """The workspace and its shared forge, even if the policy says `local`."""
    choice = ForgeChoice("", host, needs_hosted=True)
    workspace = Workspace.at(start, None, choice)
    return workspace, hosted(workspace.forge)
