"""Exchange uses and rollouts with other clones, and decide rollouts by all of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from skillforge.errors import RequestError, SkillforgeError
from skillforge.forge.github import GitHubForge
from skillforge.gitrepo import remote as remotes
from skillforge.gitrepo.remote import Remote
from skillforge.operate import rollout_sync, rollouts, usage_sync
from skillforge.operate.rollout_sync import RolloutExchange
from skillforge.operate.usage_sync import ReceivedUses
from skillforge.propose.workspace import Workspace
from skillforge.report import plural
from skillforge.workflows.canary import CanaryCheck, automatic, check_all


@dataclass(frozen=True, slots=True)
class UseSync:
    """Uses sent and received, rollouts exchanged, and those checked after that."""

    sent: int
    received: ReceivedUses
    exchange: RolloutExchange
    rollouts: tuple[CanaryCheck, ...]


def sync_uses(workspace: Workspace, remote: str = "") -> UseSync:
    """Exchange uses and rollouts with a remote, by default the forge's own."""
    library, by = workspace.library, automatic()
    other = _remote(workspace, remote)
    sent = usage_sync.send(library, other, by)
    with _progress_in_errors(sent=sent):
        received = usage_sync.receive(library, other, by.seconds)
    with _progress_in_errors(sent=sent, received=received.uses):
        exchange = rollout_sync.exchange(library, other, by)
        names = sorted(rollouts.read_all(library.repository()).valid)
        checks = check_all(workspace, names)
        if any(not check.judgement.rollout.is_running for check in checks):
            rollout_sync.exchange(library, other, by)  # other clones learn of it now
    return UseSync(sent, received, exchange, checks)


@contextmanager
def _progress_in_errors(**counts: int) -> Iterator[None]:
    """Add to an error what was exchanged before it."""
    try:
        yield
    except SkillforgeError as err:
        done = ", ".join(f"{verb} {plural(n, 'use')}" for verb, n in counts.items())
        err.hint = f"before that: {done}; {err.hint}"
        err.facts |= counts
        raise


def _remote(workspace: Workspace, name: str) -> Remote:
    """The repository to exchange with: the one named, else the forge's own."""
    if not name and not workspace.forge.is_local:
        assert isinstance(workspace.forge, GitHubForge)
        return workspace.forge.hosted.remote
    name = name or remotes.origin(workspace.library.repository())[0]
    if not name:
        raise RequestError(
            "this library has no remote to exchange uses with",
            hint="git remote add origin URL, or --remote URL",
        )
    if name.startswith("-"):
        raise RequestError(f"invalid remote {name!r}", hint="--remote NAME or URL")
    return Remote(name)
