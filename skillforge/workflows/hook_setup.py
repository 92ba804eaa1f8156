"""Install and remove the hooks of agents, and report what they did."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillforge.errors import ConfigError
from skillforge.learn.hooks import AGENTS
from skillforge.library import Library
from skillforge.workflows import hooks
from skillforge.workflows.hooks import ConfigChange


@dataclass(frozen=True, slots=True)
class HookChange:
    """The configuration files that changed, or would change in a dry run."""

    changes: tuple[ConfigChange, ...]
    backups: tuple[Path, ...] = ()
    note: str = ""  # what the user still has to do
    is_dry_run: bool = False


@dataclass(frozen=True, slots=True)
class AgentHook:
    """Whether an agent has our hook; None if its configuration cannot be read."""

    agent: str
    is_installed: bool | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class HookStatus:
    """The hook of every agent, and the log entry of the last `hook run`."""

    agents: tuple[AgentHook, ...]
    last: dict[str, Any] | None


def install(
    library: Library, agent: str, extras: hooks.Extras, *, dry_run: bool = False
) -> HookChange:
    """Add our hook to an agent's configuration; a dry run writes nothing."""
    changes = hooks.installed(AGENTS[agent], library, extras)
    if extras.layout and not dry_run:
        hooks.lay_out(library, os.environ.get("SKILLFORGE_KEY") or "hermes")
    return _apply(changes, AGENTS[agent].note, is_dry_run=dry_run)


def remove(library: Library, agent: str, *, dry_run: bool = False) -> HookChange:
    """Remove our hook from an agent's configuration; a dry run writes nothing."""
    return _apply(hooks.removed(AGENTS[agent], library), "", is_dry_run=dry_run)


def _apply(changes: list[ConfigChange], note: str, *, is_dry_run: bool) -> HookChange:
    needed = tuple(change for change in changes if change.is_needed)
    backups = [] if is_dry_run else hooks.apply(changes)
    return HookChange(needed, tuple(backups), note, is_dry_run)


def run(
    library: Library, agent: str, session: str, transcript: str, message: str = ""
) -> dict[str, Any]:
    """Capture a session that ended, from options or the agent's message; logged."""
    call = hooks.HookCall(session, transcript)
    if not any(call):
        call = hooks.HookCall.of(message)
    return hooks.see_to(AGENTS[agent], library, call)


def status(library: Library) -> HookStatus:
    agents = []
    for name, agent in AGENTS.items():
        try:
            agents.append(AgentHook(name, hooks.is_installed(agent)))
        except ConfigError as err:
            agents.append(AgentHook(name, None, err.message))
    return HookStatus(tuple(agents), hooks.last_outcome(library))
