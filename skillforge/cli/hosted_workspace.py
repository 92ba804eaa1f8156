"""The workspace of commands that need a forge which others share, such as GitHub."""

from typing import TYPE_CHECKING

from skillforge.cli.base import GlobalOptions

if TYPE_CHECKING:
    from skillforge.forge import HostedForge
    from skillforge.propose.workspace import Workspace


def hosted_workspace(
    settings: GlobalOptions, kind: str = ""
) -> "tuple[Workspace, HostedForge]":
    """The workspace and its forge, by the remote even if the policy says `local`."""
    from skillforge.forge.registry import ForgeChoice, hosted
    from skillforge.propose.workspace import Workspace

    choice = ForgeChoice(kind, settings.host, needs_hosted=True)
    workspace = Workspace.at(settings.start, None, choice)
    return workspace, hosted(workspace.forge)
