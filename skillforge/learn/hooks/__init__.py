"""Hooks in the configuration of agents: put there and taken away, beside others.

Pure: texts in, texts out. Whoever calls reads and writes the files.
"""

import re
import shlex
from typing import NamedTuple

from skillforge.errors import ConfigError

SECONDS = 10  # that an agent may wait for a hook; ours is done in less than one


class Agent(NamedTuple):
    """How one agent is told to call us when a session, or an answer, has ended."""

    name: str
    home: str  # as `places` calls it
    file: str  # in its home
    event: str
    note: str = ""  # what the user has to do, too


AGENTS = {
    "claude-code": Agent("claude-code", "claude", "settings.json", "SessionEnd"),
    "codex": Agent(
        "codex",
        "codex",
        "hooks.json",
        "Stop",
        "Codex asks you to trust a new hook: /hooks shows it",
    ),
    "hermes": Agent(
        "hermes",
        "hermes",
        "config.yaml",
        "on_session_end",
        "Hermes asks for consent at its next start (hermes --accept-hooks gives it)",
    ),
}


def command(program: list[str], agent: str, library: str) -> str:
    """The line that an agent runs; a shell reads it, and Hermes without one."""
    return shlex.join([*program, "hook", "run", agent, "--library", library])


def is_ours(line: object, agent: str) -> bool:
    """Whether a command of a configuration is the hook that we have put there."""
    if not isinstance(line, str) or "skillforge" not in line:
        return False
    return re.search(rf"\bhook run {re.escape(agent)}\b", line) is not None


def by_hand(file: str, why: str, what: str) -> ConfigError:
    """What to say of a configuration that we do not understand well enough."""
    return ConfigError(
        f"{file} {why}", hint=f"nothing was changed; mend it, or by hand: {what}"
    )
