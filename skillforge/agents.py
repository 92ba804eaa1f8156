"""Where agents look for skills: in a user's home, or in a project."""

import os
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ConfigError, ToolError


class AgentFolder(NamedTuple):
    """The folders of one agent; `variable` names its home where that was moved."""

    variable: str
    home: str
    project: str


AGENTS = {
    "claude": AgentFolder("CLAUDE_CONFIG_DIR", ".claude", ".claude"),
    "codex": AgentFolder("CODEX_HOME", ".codex", ".agents"),
    "hermes": AgentFolder("HERMES_HOME", ".hermes", ".hermes"),
    "agents": AgentFolder("", ".agents", ".agents"),
}
# Where skills of a project may be without its user naming the folder.
PROJECT_FOLDERS = frozenset(f"{place.project}/skills" for place in AGENTS.values())


def skills_folder(agent: str, project: Path | None = None) -> Path:
    """Where an agent looks for skills of its user, or for those of a project."""
    place = AGENTS[agent]
    if project is not None:
        return _project_folder(project, f"{place.project}/skills")
    if moved := os.environ.get(place.variable, ""):
        return Path(moved) / "skills"
    try:
        return Path.home() / place.home / "skills"
    except RuntimeError as err:
        raise ToolError(
            "this user has no home", hint="--to DIR names a folder"
        ) from err


def _project_folder(project: Path, folder: str) -> Path:
    """An agent's folder in a project: a link may lead to another agent's, no further.

    The project may come from anyone, and so may the link.
    """
    top, there = real(project), real(project / folder)
    if there not in {top / known for known in PROJECT_FOLDERS}:
        raise ConfigError(
            f"{project / folder} is a link to {there}",
            hint=f"--to {there} names that folder, if it is the right one",
        )
    return there


def named_folder(folder: str) -> Path:
    """The folder that a user names; git's own are for git alone."""
    there = real(Path(folder))
    if is_of_git(there):
        raise ConfigError(
            f"{there} is inside a git directory", hint="--to DIR names another folder"
        )
    return there


def is_of_git(path: Path) -> bool:
    """Whether a path leads into a `.git`, in any spelling that a system accepts."""
    names = {part.rstrip(". ").casefold() for part in path.parts}
    return not names.isdisjoint((".git", "git~1"))


def real(path: Path) -> Path:
    """A path without links, whether there is anything or not."""
    return Path(os.path.realpath(path))
