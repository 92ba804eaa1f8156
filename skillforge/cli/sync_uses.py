"""`skillforge sync-uses`: uses and rollouts, exchanged with other machines."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from skillforge.cli.base import CommandResult, GlobalOptions, forge_options

if TYPE_CHECKING:
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows.record import Looked
from skillforge.cli.record import judged_rollouts, open_workspace


@click.command("sync-uses")
@click.option(
    "--remote",
    default="",
    metavar="NAME|URL",
    help="The repository to exchange with [default: origin].",
)
@forge_options
@click.pass_obj
def sync_uses(settings: GlobalOptions, remote: str) -> CommandResult:
    """Exchange recorded uses and rollouts with other machines, through git refs.

    Each clone writes a log of its own (refs/skillforge/uses/<node>) and reads those of
    all others; a use counts once, however often it comes. What is pushed: outcomes,
    versions, times and redacted pitfalls. Keys are digests, and notes stay here.
    """
    from skillforge.operate import rollout_sync, rollouts, usage_sync
    from skillforge.workflows.canary import automatic, heard

    desk, by = open_workspace(settings), automatic()
    library = desk.library
    other = _other(desk, remote)
    sent = usage_sync.send(library, other, by)
    with _so_far(sent=sent):
        shared = usage_sync.receive(library, other, by.seconds)
    with _so_far(sent=sent, received=shared.received):
        exchanged = rollout_sync.agree(library, other, by)
        looked = heard(desk, sorted(rollouts.every(library.repository()).sound))
        if any(not judged.rollout.is_running for judged, _ in looked):
            rollout_sync.agree(library, other, by)  # so that others hear of it now
    return _synced(sent, shared, exchanged, looked)


@contextmanager
def _so_far(**counts: int) -> Iterator[None]:
    """Have an error report what was exchanged before it."""
    from skillforge.errors import SkillforgeError
    from skillforge.report import plural

    try:
        yield
    except SkillforgeError as err:
        done = ", ".join(f"{verb} {plural(n, 'use')}" for verb, n in counts.items())
        err.hint = f"before that: {done}; {err.hint}"
        err.facts |= counts
        raise


def _other(desk: "Workspace", named: str) -> Any:
    """The repository to exchange with: one that is named, else the forge's own."""
    from skillforge.errors import RequestError
    from skillforge.gitrepo import remote as remotes

    if not named and not desk.forge.is_here:
        from skillforge.forge.github import GitHubForge

        assert isinstance(desk.forge, GitHubForge)
        return desk.forge.hosted.remote
    name = named or remotes.origin(desk.library.repository())[0]
    if not name:
        raise RequestError(
            "this library has no remote to exchange uses with",
            hint="git remote add origin URL, or --remote URL",
        )
    if name.startswith("-"):
        raise RequestError(f"{name!r} is no repository", hint="--remote NAME or URL")
    return remotes.Remote(name)


def _synced(sent: int, shared: Any, exchanged: Any, looked: "Looked") -> CommandResult:
    from skillforge.report import plural, printable

    lines = [
        f"sent {plural(sent, 'use')}, received {plural(shared.received, 'use')} of "
        f"{plural(shared.nodes, 'other clone')}"
    ]
    if shared.unread:
        lines.append(f"{plural(shared.unread, 'line')} of others could not be read")
    if shared.ahead:
        lines.append(
            f"{plural(shared.ahead, 'use')} of the future: a clock is wrong somewhere"
        )
    refused = exchanged.refused.values()
    lines += [printable(f"not taken from the remote: {why}") for why in refused]
    data = {
        "sent": sent,
        "received": shared.received,
        "nodes": shared.nodes,
        "unread": shared.unread,
        "ahead": shared.ahead,
        "changed": exchanged.changed,
        "refused": exchanged.refused,
        "rollouts": judged_rollouts(looked, lines),
    }
    return CommandResult(data, "\n".join(lines))
