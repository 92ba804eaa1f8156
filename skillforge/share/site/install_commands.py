"""The command with which each client installs a skill from this hub."""

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.render.html import visible
from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.inert import is_inert

_ON_GITHUB = re.compile(
    r"(?:(?:https://|ssh://git@)github\.com/|git@github\.com:)?"
    r"([A-Za-z0-9][\w.-]*/[\w.-]+?)(?:\.git)?/?",
    re.ASCII,
)


class InstallLine(NamedTuple):
    """A client, the command to run, and what to know about it."""

    client: str
    command: str
    note: str = ""


def install_lines(hub: Hub, skill: PublishedSkill) -> list[InstallLine]:
    """One command for each client that can install from this hub's address."""
    return [
        *_skillforge(hub, skill),
        *_npx_skills(hub, skill),
        *_openskills(hub, skill),
        *_gh(hub, skill),
        *_claude_code(hub),
        *_hermes(hub, skill),
    ]


def _skillforge(hub: Hub, skill: PublishedSkill) -> Iterator[InstallLine]:
    """From the hub if its address is known, because that install is verified."""
    if hub.url:
        source = hub.url
    elif hub.repository:
        source = f"{_git_url(hub)}#{hub.tag}"
    else:
        source = "HUB"
    note = (
        "Replace HUB with the folder that contains these pages."
        if source == "HUB"
        else ""
    )
    line = _line("skillforge install", f"{source}@{skill.name}")
    yield InstallLine("Skillforge", line, note)


def _npx_skills(hub: Hub, skill: PublishedSkill) -> Iterator[InstallLine]:
    if hub.repository:
        source = f"{_on_github(hub) or hub.repository}#{hub.tag}"
    else:
        source = hub.url
    if source:
        line = _line("npx skills add", source, "--skill", skill.name)
        yield InstallLine("npx skills", line)


def _openskills(hub: Hub, skill: PublishedSkill) -> Iterator[InstallLine]:
    if repository := _on_github(hub):
        source = f"{repository}/skills/{skill.name}"
        yield InstallLine(
            "OpenSkills",
            _line("npx openskills install", source),
            "Installs the latest version on the default branch.",
        )
    elif hub.repository:
        yield InstallLine(
            "OpenSkills",
            _line("npx openskills install", hub.repository),
            f"Then select {visible(skill.name)}.",
        )


def _gh(hub: Hub, skill: PublishedSkill) -> Iterator[InstallLine]:
    if repository := _on_github(hub):
        named = f"{skill.name}@{hub.tag}"
        yield InstallLine("GitHub CLI", _line("gh skill install", repository, named))


def _claude_code(hub: Hub) -> Iterator[InstallLine]:
    if hub.repository:
        source = _on_github(hub) or hub.repository
        yield InstallLine(
            "Claude Code",
            _line("/plugin marketplace add", source),
            "If the default branch holds the built hub; then select it in /plugin.",
        )


def _hermes(hub: Hub, skill: PublishedSkill) -> Iterator[InstallLine]:
    if hub.url and is_inert(skill.files):  # it downloads files one by one
        source = f"well-known:{hub.url}.well-known/skills/{skill.name}"
        yield InstallLine("Hermes", _line("hermes skills install", source))
    if repository := _on_github(hub):
        yield InstallLine(
            "Hermes tap",
            _line("hermes skills tap add", repository),
            "Tracks the default branch.",
        )


def _on_github(hub: Hub) -> str:
    """`owner/name` if the repository is on GitHub, else empty."""
    found = _ON_GITHUB.fullmatch(hub.repository)
    return found[1] if found else ""


def _git_url(hub: Hub) -> str:
    repository = _on_github(hub)
    return f"https://github.com/{repository}" if repository else hub.repository


def _line(command: str, *arguments: str) -> str:
    """A command with its arguments quoted for a shell."""
    shown = (visible(" ".join(argument.split())) for argument in arguments)
    return " ".join([command, *map(shlex.quote, shown)])
