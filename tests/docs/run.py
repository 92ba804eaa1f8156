"""Run the commands of a scene, one after the other, on a reader's machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.docs.machine import Machine, Output
from tests.docs.page_parser import Scene, Step
from tests.docs.situations import SITUATIONS

# Commands that no test can run, by how they begin, and why. All others are run.
NOT_RUN = {
    "pip install": "needs the network",
    "claude ": "another project's program",
    "make ": "runs this very test, or needs the network: see the Makefile",
    "skillforge mcp": "serves until it is stopped; tests/mcp_server talks to it",
}
# First words of the commands that may run on the machine of the tests' user.
ALLOWED = {"skillforge", "git", "pre-commit", "echo", "cat", "if", "chmod"}
_ERROR_PREFIXES = ("skillforge: ", "error: ")


@contextmanager
def new_machine(tmp: Path, patch: pytest.MonkeyPatch) -> Iterator[Machine]:
    machine = Machine(tmp, patch)
    machine.set_up()
    with machine.stack:
        yield machine


def run_scene(scene: Scene, machine: Machine) -> Iterator[tuple[Step, Output]]:
    """Run every command of a scene; yield each with its output.

    Fails if a situation is unknown, a command may not be run, or its exit code does
    not fit what the page shows.
    """
    _arrange(scene.given, machine)
    for step in scene.steps:
        for name in step.before:
            _arrange(name, machine)
        if not step.command.startswith(tuple(NOT_RUN)):
            yield step, _run_step(scene.page, step, machine)


def shows_error(step: Step) -> bool:
    return (step.shows or [""])[0].startswith(_ERROR_PREFIXES)


def _arrange(name: str, machine: Machine) -> None:
    assert name in SITUATIONS, f"tests/docs/situations has no {name!r}"
    SITUATIONS[name](machine)


def _run_step(page: str, step: Step, machine: Machine) -> Output:
    where = f"{page}:{step.line}: {step.command}"
    assert step.command.split()[0] in ALLOWED, f"{where}\nsee ALLOWED and NOT_RUN"
    output = machine.run(step.command)
    if step.shows is None:
        expected: tuple[int, ...] = (0,)
    else:
        expected = (2, 3, 4) if shows_error(step) else (0, 1)
    assert output.code in expected, f"{where}\nexits {output.code}\n{output.text}"
    return output
