"""Add and remove our hook in agents' configuration, beside other hooks.

These functions take and return texts; the caller reads and writes the files.
"""

import re
import shlex
from typing import NamedTuple

from skillforge.errors import ConfigError

SECONDS = 10  # an agent's limit for a hook; ours takes less than one


class Agent(NamedTuple):
    """Where an agent configures the hook that runs when a session or answer ends."""

    name: str
    home: str  # the agent's name in `skillforge.agents`
    file: str  # in its home
    event: str
    note: str = ""  # what the user has to do as well


AGENTS = {
    "claude-code": Agent("claude-code", "claude", "settings.json", "SessionEnd"),
    "codex": Agent(
        "codex",
        "codex",
        "hooks.json",
        "Stop",
        "Codex asks you to trust a new hook: run /hooks",
    ),
    "hermes": Agent(
        "hermes",
        "hermes",
        "config.yaml",
        "on_session_end",
        "Hermes asks for consent at its next start (or run hermes --accept-hooks)",
    ),
}


def command(program: list[str], agent: str, library: str) -> str:
    """The command line that an agent runs, with or without a shell."""
    return shlex.join([*program, "hook", "run", agent, "--library", library])


def is_ours(line: object, agent: str) -> bool:
    """Whether a configured command is our hook."""
    if not isinstance(line, str) or "skillforge" not in line:
        return False
    return re.search(rf"\bhook run {re.escape(agent)}\b", line) is not None


def cannot_change(file: str, why: str, what: str) -> ConfigError:
    """The error for a configuration that we cannot change safely."""
    return ConfigError(
        f"{file} {why}", hint=f"nothing was changed; fix it, or by hand: {what}"
    )
