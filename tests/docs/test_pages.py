"""Every command that a page shows is typed, in order, and says what the page shows."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.calling import misuse
from tests.docs.comparing import difference
from tests.docs.reading import (
    DEFAULT,
    ROOT,
    RUN,
    Scene,
    Step,
    blocks,
    inline_commands,
    pages,
    scenes,
)
from tests.docs.situations import NAMED
from tests.docs.world import World

# What no test can type, by how it begins, and why. Everything else is run.
NOT_RUN = {
    "pip install": "the network",
    "claude ": "a program of others",
    "make ": "this very test, or the network: see the Makefile",
    "skillforge mcp": "serves until it is stopped; tests/mcp_server talks to it",
}
# What may be typed on the machine of whoever runs the tests, by its first word.
TYPED = {"skillforge", "git", "pre-commit", "echo", "if", "chmod"}
SHOWN = {"", "json", "markdown", "python", "text", "toml", "yaml"}  # what is only read
SCENES = [scene for page in pages() for scene in scenes(page)]
OTHERS = [
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs" / "reference").glob("*.md")),
    *sorted((ROOT / "skills").glob("*/*.md")),
]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    made = World(tmp_path, monkeypatch)
    made.settle()
    with made.stack:
        yield made


def _is_run(step: Step) -> bool:
    return not step.command.startswith(tuple(NOT_RUN))


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
    _arrange(scene.given, world)
    for step in scene.steps:
        for happens in step.before:
            _arrange(happens, world)
        if _is_run(step):
            _type(scene.page, step, world)


def _arrange(name: str, world: World) -> None:
    assert name in NAMED, f"tests/docs/situations has no {name!r}"
    NAMED[name](world)


def _type(page: str, step: Step, world: World) -> None:
    where = f"{page}:{step.line}: {step.command}"
    assert step.command.split()[0] in TYPED, f"{where}\nsee TYPED and NOT_RUN"
    came = world.types(step.command)
    if step.shows is None:
        assert came.code == 0, f"{where}\nexits {came.code}\n{came.said}"
        return
    expected = (2, 3, 4) if _is_error(step) else (0, 1)
    assert came.code in expected, f"{where}\nexits {came.code}\n{came.said}"
    wrong = difference(step.shows, came.said, world.ids)
    assert not wrong, f"{where}\n{wrong}"


def _is_error(step: Step) -> bool:
    return (step.shows or [""])[0].startswith("skillforge: ")


@pytest.mark.parametrize(
    "page", [*pages(), *OTHERS], ids=lambda page: str(page.relative_to(ROOT))
)
def test_every_command_that_a_page_mentions_is_there(page: Path) -> None:
    typed = [
        (step.line, step.command)
        for scene in scenes(page)
        for step in scene.steps
        if step.command.startswith("skillforge ") and not _is_error(step)
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
