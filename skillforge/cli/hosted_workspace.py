""""""

from typing import TYPE_CHECKING

from skillforge.cli.base import (
    GlobalOptions,
)

if TYPE_CHECKING:
    from skillforge.forge.github import GitHubForge
    from skillforge.propose.workspace import Workspace


def github_workspace(settings: GlobalOptions) -> "tuple[Workspace, GitHubForge]":
    """A desk whose forge is GitHub, whatever the policy says."""
    from skillforge.forge.github import GitHubForge
    from skillforge.forge.resolve import GITHUB, Choice
    from skillforge.propose.workspace import Workspace

    desk = Workspace.at(settings.start, None, Choice(GITHUB, settings.host))
    assert isinstance(desk.forge, GitHubForge)
    return desk, desk.forge
