"""Every command that a page shows is run, in order, and prints what the page shows."""

import re
from pathlib import Path

import pytest

from tests.docs.command_check import misuse
from tests.docs.comparison import difference
from tests.docs.machine import Machine
from tests.docs.page_parser import (
    DEFAULT,
    ROOT,
    RUN,
    Scene,
    blocks,
    inline_commands,
    pages,
    scenes,
)
from tests.docs.run import NOT_RUN, run_scene, shows_error
from tests.docs.situations import SITUATIONS

NOT_COMMANDS = {"", "json", "markdown", "python", "text", "toml", "yaml"}
SCENES = [scene for page in pages() for scene in scenes(page)]
OTHERS = [
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs" / "reference").glob("*.md")),
    *sorted((ROOT / "skills").glob("*/*.md")),
]


@pytest.mark.parametrize(
    "scene",
    [
        pytest.param(
            scene,
            id=scene.id,
            marks=[pytest.mark.needs_sandbox] if scene.needs_sandbox else [],
        )
        for scene in SCENES
    ],
)
def test_a_page_shows_what_its_commands_print(scene: Scene, machine: Machine) -> None:
    for step, output in run_scene(scene, machine):
        if step.shows is not None:
            wrong = difference(step.shows, output.text, machine.hashes)
            where = f"{scene.page}:{step.line}: {step.command}"
            assert not wrong, f"{where}\n{wrong}\n`make docs` updates the page"


@pytest.mark.parametrize(
    "page", [*pages(), *OTHERS], ids=lambda page: str(page.relative_to(ROOT))
)
def test_every_command_on_a_page_exists(page: Path) -> None:
    typed = [
        (step.line, step.command)
        for scene in scenes(page)
        for step in scene.steps
        if step.command.startswith("skillforge ") and not shows_error(step)
    ]
    wrong = [
        f"{page.name}:{line}: {command}: {why}"
        for line, command in [*typed, *inline_commands(page)]
        if (why := misuse(command))
    ]

    assert wrong == []


def test_every_command_that_is_not_run_is_on_some_page() -> None:
    typed = [step.command for scene in SCENES for step in scene.steps]

    assert all(any(command.startswith(start) for command in typed) for start in NOT_RUN)


def test_every_situation_is_on_some_page() -> None:
    used = {scene.given for scene in SCENES}
    used |= {name for scene in SCENES for step in scene.steps for name in step.before}

    assert {DEFAULT} | used >= SITUATIONS.keys()


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_commands_are_only_in_blocks_that_are_run(page: Path) -> None:
    wrong = [
        f"{page.name}:{line}"
        for line, language, text in blocks(page)
        if language not in RUN
        if language not in NOT_COMMANDS or re.search(r"^\$ ", text, re.M)
    ]

    assert wrong == [], "mark it as `console` or `sh`"
