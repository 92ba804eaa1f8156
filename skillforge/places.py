"""Where agents look for skills: in a user's home, or in a project."""

import os
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ToolError


class Place(NamedTuple):
    """The folders of one agent; `variable` names its home where that was moved."""

    variable: str
    home: str
    project: str


AGENTS = {
    "claude": Place("CLAUDE_CONFIG_DIR", ".claude", ".claude"),
    "codex": Place("CODEX_HOME", ".codex", ".agents"),
    "hermes": Place("HERMES_HOME", ".hermes", ".hermes"),
    "agents": Place("", ".agents", ".agents"),
}


def skills_folder(agent: str, project: Path | None = None) -> Path:
    """Where an agent looks for skills of its user, or for those of a project."""
    place = AGENTS[agent]
    if project is not None:
        return project / place.project / "skills"
    if moved := os.environ.get(place.variable, ""):
        return Path(moved) / "skills"
    try:
        return Path.home() / place.home / "skills"
    except RuntimeError as err:
        raise ToolError(
            "this user has no home", hint="--to DIR names a folder"
        ) from err
