"""Agents by name: where each looks for skills, and how it rewrites a draft.

Other packages register theirs as entry points in the group `skillforge.agents`.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from skillforge.errors import ConfigError, RequestError, ToolError
from skillforge.plugins import load, plugins, unsuitable

GROUP = "skillforge.agents"


@dataclass(frozen=True, slots=True)
class AgentProfile:
    """What Skillforge knows about an agent.

    `command` runs it without a terminal: it reads a prompt on standard input and edits
    files in the current folder. Empty if the agent has no such command.
    """

    home: str  # its folder in the user's home
    project: str  # its folder in a project
    variable: str = ""  # the environment variable that overrides `home`
    command: tuple[str, ...] = ()


BUILT_IN = {
    "claude": AgentProfile(
        ".claude",
        ".claude",
        "CLAUDE_CONFIG_DIR",
        ("claude", "-p", "--permission-mode", "acceptEdits"),
    ),
    "codex": AgentProfile(
        ".codex",
        ".agents",
        "CODEX_HOME",
        ("codex", "exec", "--sandbox", "workspace-write", "--skip-git-repo-check", "-"),
    ),
    "hermes": AgentProfile(".hermes", ".hermes", "HERMES_HOME"),
    "agents": AgentProfile(".agents", ".agents"),
}


def names() -> tuple[str, ...]:
    """The names of all agents: the built-in ones first, then those of plugins."""
    return tuple(dict.fromkeys((*BUILT_IN, *plugins(GROUP))))


def profile(agent: str) -> AgentProfile:
    """The profile of an agent by name."""
    if agent in BUILT_IN:
        return BUILT_IN[agent]
    if agent not in plugins(GROUP):
        known = ", ".join(names())
        raise RequestError(f"no agent {agent!r}", hint=f"choose one of {known}")
    plugin = load(GROUP, agent)
    if not isinstance(plugin, AgentProfile):
        raise unsuitable(GROUP, agent, "is not an AgentProfile")
    return plugin


def project_folders() -> set[str]:
    """Where a project's skills may be without the user naming the folder.

    A plugin that cannot be loaded adds none.
    """
    folders = set()
    for name in names():
        try:
            folders.add(f"{profile(name).project}/skills")
        except ToolError:
            continue
    return folders


def skills_folder(agent: str, project: Path | None = None) -> Path:
    """Where an agent looks for its user's skills, or for those of a project."""
    agent_profile = profile(agent)
    if project is not None:
        return _project_folder(project, f"{agent_profile.project}/skills")
    if home := os.environ.get(agent_profile.variable, ""):
        return Path(home) / "skills"
    try:
        return Path.home() / agent_profile.home / "skills"
    except RuntimeError as err:
        raise ToolError(
            "this user has no home directory", hint="name a folder with --to DIR"
        ) from err


def _project_folder(project: Path, folder: str) -> Path:
    """An agent's folder in a project; it may link to another agent's, no further.

    The project, and so the link, may come from anyone.
    """
    top, target = real(project), real(project / folder)
    if target not in {top / known for known in project_folders()}:
        raise ConfigError(
            f"{project / folder} is a link to {target}",
            hint=f"to use that folder, name it: --to {target}",
        )
    return target


def named_folder(folder: str) -> Path:
    """The folder that a user names; never one inside a git directory."""
    target = real(Path(folder))
    if is_of_git(target):
        raise ConfigError(
            f"{target} is inside a git directory", hint="name another: --to DIR"
        )
    return target


def is_of_git(path: Path) -> bool:
    """Whether a path leads into a `.git`, in any spelling that a system accepts."""
    parts = {part.rstrip(". ").casefold() for part in path.parts}
    return not parts.isdisjoint((".git", "git~1"))


def real(path: Path) -> Path:
    """A path with links resolved, whether or not it exists."""
    return Path(os.path.realpath(path))
