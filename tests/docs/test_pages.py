"""Every command that a page shows is typed, in order, and says what the page shows."""

import re
from pathlib import Path

import pytest

from tests.docs.calling import misuse
from tests.docs.comparing import difference
from tests.docs.reading import (
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
from tests.docs.situations import NAMED
from tests.docs.world import World

SHOWN = {"", "json", "markdown", "python", "text", "toml", "yaml"}  # what is only read
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
def test_what_a_page_shows_is_what_happens(scene: Scene, world: World) -> None:
    for step, came in run_scene(scene, world):
        if step.shows is not None:
            wrong = difference(step.shows, came.said, world.ids)
            where = f"{scene.page}:{step.line}: {step.command}"
            assert not wrong, f"{where}\n{wrong}\n`make docs` shows what is printed now"


@pytest.mark.parametrize(
    "page", [*pages(), *OTHERS], ids=lambda page: str(page.relative_to(ROOT))
)
def test_every_command_that_a_page_mentions_is_there(page: Path) -> None:
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


def test_what_is_not_run_is_on_some_page() -> None:
    typed = [step.command for scene in SCENES for step in scene.steps]

    assert all(any(it.startswith(start) for it in typed) for start in NOT_RUN)


def test_every_situation_is_on_some_page() -> None:
    told = {scene.given for scene in SCENES}
    told |= {name for scene in SCENES for step in scene.steps for name in step.before}

    assert {DEFAULT} | told >= NAMED.keys()


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_a_command_stands_only_where_it_is_run(page: Path) -> None:
    wrong = [
        f"{page.name}:{line}"
        for line, language, text in blocks(page)
        if language not in RUN
        if language not in SHOWN or re.search(r"^\$ ", text, re.M)
    ]

    assert wrong == [], "mark it as `console` or `sh`"
