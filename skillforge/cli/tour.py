"""The demo: real commands on a temporary library, each with its real output."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click

from skillforge.cli.base import Answer
from skillforge.errors import RequestError

_BROKEN = """\
---
name: Pdf_Tables
description: Use this when: a PDF holds tables
tags: pdf
---
See [the guide](references/guide.md).
"""


class Step(NamedTuple):
    """A command, the exit code it must have, and what is done before it."""

    say: str
    arguments: list[str]
    exit_code: int
    before: Callable[[], None] = lambda: None


def tour(keep: Path | None) -> Answer:
    """Run all steps; the answer is a no as soon as one ends otherwise than told."""
    with _folder(keep) as root:
        steps = _steps(root)
        for step in steps:
            step.before()
            code = _run(step)
            if code != step.exit_code:
                told = f"{step.arguments[0]} ended with {code}, not {step.exit_code}"
                return Answer({"steps": len(steps)}, f"the demo failed: {told}", False)
    kept = f"; the library is in {keep}" if keep else ""
    return Answer({"steps": len(steps)}, f"\nall {len(steps)} steps went as told{kept}")


def _steps(root: Path) -> list[Step]:
    skill = root / "skills" / "Pdf_Tables"

    def add_broken_skill() -> None:
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(_BROKEN, encoding="utf-8")

    def rename() -> None:
        text = (skill / "SKILL.md").read_text(encoding="utf-8")
        skill.rename(skill.with_name("pdf-tables"))
        good = text.replace("Pdf_Tables", "pdf-tables").replace("See [the", "Read the")
        good = good.replace("](references/guide.md)", " of your PDF library")
        (skill.with_name("pdf-tables") / "SKILL.md").write_text(good, encoding="utf-8")

    return [
        Step("Make a library.", ["init"], 0),
        Step("Add a skill from the template, and check all.", ["new", "csv-tables"], 0),
        Step("", ["validate"], 0),
        Step(
            "An agent writes a skill with what goes wrong most often.",
            ["validate"],
            1,
            add_broken_skill,
        ),
        Step("Mend what needs no judgement.", ["validate", "--fix", "--write"], 1),
        Step(
            "The rest takes a person: the name, and a link to nowhere.",
            ["rules", "name-characters"],
            0,
            rename,
        ),
        Step("", ["validate"], 0),
    ]


def _run(step: Step) -> int:
    from skillforge.cli import run

    if step.say:
        click.echo(f"\n# {step.say}")
    click.echo(f"$ skillforge {' '.join(step.arguments)}")
    return run(step.arguments)


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """An empty folder to be in, which is gone afterwards unless it is to be kept."""
    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise RequestError(f"{keep} is not empty", hint="name a new folder with --keep")
    before = Path.cwd()
    with contextlib.ExitStack() as stack:
        if keep is None:
            root = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        else:
            keep.mkdir(parents=True, exist_ok=True)
            root = keep.absolute()
        os.chdir(root)
        try:
            yield root
        finally:
            os.chdir(before)
