"""ClawHub, through its own program: one skill at a time, pinned to its source."""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from skillforge import processes
from skillforge.errors import RequestError, ToolError
from skillforge.model import SKILLS
from skillforge.share import hub_formats, semver
from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.hub_build import write_files

_PROGRAM = "clawhub"
_LICENSE = "MIT-0"  # of all that is published there
_ON_GITHUB = re.compile(r"(?:https://github\.com/)?([\w.-]+/[\w.-]+?)(?:\.git)?/?")


class ClawHubResult(NamedTuple):
    """What ClawHub said of a skill; or why it was not asked."""

    skill: str
    version: str
    status: str


def publish(hub: Hub, *, really: bool) -> Iterator[ClawHubResult]:
    """Publish each skill of a hub, or let ClawHub say what it would do.

    What is there already is left alone by ClawHub, so it is safe to repeat.
    """
    program = shutil.which(_PROGRAM)
    if program is None:
        raise ToolError(
            f"{_PROGRAM} is not installed",
            hint="npm install --global clawhub, then clawhub login",
        )
    source = _source(hub)
    for skill in hub_formats.installable(hub):
        if skill.license and skill.license != _LICENSE:
            why = f"left out: its license is {skill.license}, and ClawHub's {_LICENSE}"
            yield ClawHubResult(skill.name, skill.version, why)
            continue
        with tempfile.TemporaryDirectory(prefix="skillforge-") as folder:
            write_files(Path(folder), skill.files.items())
            line = [program, *_arguments(hub, skill, folder, source)]
            line += [] if really else ["--dry-run"]
            done = processes.run(line, cwd=Path(folder))
        yield _sent(skill, _version(hub, skill), done)


def _source(hub: Hub) -> str:
    """The repository that skills are pinned to."""
    if found := _ON_GITHUB.fullmatch(hub.repository):
        return found[1]
    raise RequestError(
        "ClawHub pins a skill to a repository on GitHub, and none is known",
        hint="--repository https://github.com/OWNER/NAME",
    )


def _arguments(hub: Hub, skill: PublishedSkill, folder: str, source: str) -> list[str]:
    why = next((it.why for it in skill.versions if it.tree == skill.tree), "")
    return [
        "--no-input",
        "skill",
        "publish",
        folder,
        f"--slug={skill.name}",
        f"--version={_version(hub, skill)}",
        f"--changelog={' '.join(why.split())[:1000]}",
        "--tags=latest",
        f"--source-repo={source}",
        f"--source-commit={hub.commit}",
        f"--source-ref=refs/tags/{hub.tag}",
        f"--source-path={SKILLS}/{skill.name}",
        "--json",
    ]


def _version(hub: Hub, skill: PublishedSkill) -> str:
    found = semver.find(skill.version) or semver.read(hub.tag)
    return str(found)


def _sent(
    skill: PublishedSkill, version: str, done: processes.ProcessResult
) -> ClawHubResult:
    said = done.out.decode("utf-8", "replace").strip()
    if done.code:
        raise ToolError(
            f"ClawHub does not take {skill.name}: {done.complaint or said}",
            hint="mend this and run it again: what is published stays as it is",
        )
    try:
        answer = json.loads(said)
        status = str(answer.get("status") or "done")
    except (ValueError, AttributeError):
        status = "done"
    return ClawHubResult(skill.name, version, status)
