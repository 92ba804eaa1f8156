"""Publish to ClawHub with its own program, one skill at a time."""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from skillforge import processes
from skillforge.errors import RequestError, ToolError
from skillforge.share import hub_formats, semver
from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.hub_build import write_files

_PROGRAM = "clawhub"
_LICENSE = "MIT-0"  # of everything on ClawHub
_ON_GITHUB = re.compile(r"(?:https://github\.com/)?([\w.-]+/[\w.-]+?)(?:\.git)?/?")


class ClawHubResult(NamedTuple):
    """The status of a skill on ClawHub, or why it was skipped."""

    skill: str
    version: str
    status: str


def publish(hub: Hub, *, dry_run: bool) -> Iterator[ClawHubResult]:
    """Publish each skill of a hub; a dry run shows what ClawHub would do.

    Safe to repeat: ClawHub keeps published versions.
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
            reason = f"skipped: its license is {skill.license}, not {_LICENSE}"
            yield ClawHubResult(skill.name, skill.version, reason)
            continue
        with tempfile.TemporaryDirectory(prefix="skillforge-") as folder:
            write_files(Path(folder), skill.files.items())
            command = [program, *_arguments(hub, skill, folder, source)]
            command += ["--dry-run"] if dry_run else []
            done = processes.run(command, cwd=Path(folder))
        yield _result(skill, _version(hub, skill), done)


def _source(hub: Hub) -> str:
    """The repository on GitHub that skills are pinned to."""
    if match := _ON_GITHUB.fullmatch(hub.repository):
        return match[1]
    raise RequestError(
        "ClawHub needs the library's repository on GitHub, and none is known",
        hint="--repository https://github.com/OWNER/NAME",
    )


def _arguments(hub: Hub, skill: PublishedSkill, folder: str, source: str) -> list[str]:
    why = next((v.why for v in skill.versions if v.tree == skill.tree), "")
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
        f"--source-path={skill.path}",
        "--json",
    ]


def _version(hub: Hub, skill: PublishedSkill) -> str:
    return str(semver.find(skill.version) or semver.read(hub.tag))


def _result(
    skill: PublishedSkill, version: str, done: processes.ProcessResult
) -> ClawHubResult:
    output = done.out.decode("utf-8", "replace").strip()
    if done.code:
        raise ToolError(
            f"ClawHub rejected {skill.name}: {done.complaint or output}",
            hint="fix the problem and publish again; published skills are kept",
        )
    try:
        status = str(json.loads(output).get("status") or "done")
    except (ValueError, AttributeError):
        status = "done"
    return ClawHubResult(skill.name, version, status)
