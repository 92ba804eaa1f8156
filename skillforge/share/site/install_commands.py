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


def install_lines(hub: Hub, skill: PublishedSkill) -> Iterator[InstallLine]:
    """One command for each client that can install from this hub's address."""
    name, github = skill.name, _on_github(hub)
    yield _skillforge(hub, name)
    if hub.repository or hub.url:
        source = f"{github or hub.repository}#{hub.tag}" if hub.repository else hub.url
        line = _line("npx skills add", source, "--skill", name)
        yield InstallLine("npx skills", line)
    if hub.repository:
        source = f"{github}/skills/{name}" if github else hub.repository
        note = f"Then select {visible(name)}."
        if github:
            note = "Installs the latest version on the default branch."
        yield InstallLine("OpenSkills", _line("npx openskills install", source), note)
    if github:
        line = _line("gh skill install", github, f"{name}@{hub.tag}")
        yield InstallLine("GitHub CLI", line)
    if hub.repository:
        yield InstallLine(
            "Claude Code",
            _line("/plugin marketplace add", github or hub.repository),
            "If the default branch holds the built hub; then select it in /plugin.",
        )
    if hub.url and is_inert(skill.files):  # Hermes downloads files one by one
        source = f"well-known:{hub.url}.well-known/skills/{name}"
        yield InstallLine("Hermes", _line("hermes skills install", source))
    if github:
        line = _line("hermes skills tap add", github)
        yield InstallLine("Hermes tap", line, "Tracks the default branch.")


def _skillforge(hub: Hub, name: str) -> InstallLine:
    """From the hub if its address is known, because that install is verified."""
    note = ""
    if hub.url:
        source = hub.url
    elif hub.repository:
        github = _on_github(hub)
        url = f"https://github.com/{github}" if github else hub.repository
        source = f"{url}#{hub.tag}"
    else:
        source = "HUB"
        note = "Replace HUB with the folder that contains these pages."
    line = _line("skillforge install", f"{source}@{name}")
    return InstallLine("Skillforge", line, note)


def _on_github(hub: Hub) -> str:
    """`owner/name` if the repository is on GitHub, else empty."""
    match = _ON_GITHUB.fullmatch(hub.repository)
    return match[1] if match else ""


def _line(command: str, *arguments: str) -> str:
    """A command with its arguments quoted for a shell."""
    shown = (visible(" ".join(argument.split())) for argument in arguments)
    return " ".join([command, *map(shlex.quote, shown)])
