"""Which forge a library works with: what is asked for, its policy, or its remote."""

from typing import NamedTuple

from skillforge.errors import RequestError
from skillforge.forge import Forge
from skillforge.forge.local import LocalForge
from skillforge.gitrepo import GitRepo, remote

LOCAL, GITHUB = "local", "github"


class Choice(NamedTuple):
    """What the command line says of the forge; empty where it says nothing."""

    kind: str = ""
    host: str = ""


def choose(repo: GitRepo, main: str, choice: Choice, policy: str) -> Forge:
    """The forge; nothing is asked of any network."""
    kind = choice.kind or (GITHUB if choice.host else "") or policy
    name, url = ("", "") if kind == LOCAL else remote.origin(repo)
    note = ""
    if url:
        # Most libraries need none of this.
        from skillforge.forge.github import GitHubForge
        from skillforge.forge.github_address import find, is_github
        from skillforge.forge.github_clone import GitHubClone

        place = find(url, choice.host)
        if place is not None and (kind or is_github(place)):
            is_named = bool(choice.host)
            hosted = GitHubClone(repo, place, main, origin=name, is_named=is_named)
            return GitHubForge(hosted)
        if place is not None:
            note = (
                f"kept in this repository alone: {place.host} is not known as a GitHub "
                "(GH_HOST or --host names it; `forge: local` in the policy ends this)"
            )
    if kind in ("", LOCAL):
        return LocalForge(repo, main, note)
    raise RequestError(
        f"the remote {remote.shown(url)} is no repository on GitHub"
        if url
        else "this clone has no remote called origin",
        hint="git remote add origin https://github.com/OWNER/NAME; or --forge local",
    )
