"""The demo: real commands on a temporary library, each with its real output."""

import contextlib
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from skillforge import proc
from skillforge.cli import tour_steps
from skillforge.cli.base import Answer
from skillforge.cli.tour_steps import PATTERN, Step
from skillforge.errors import RequestError

_WHO = ("AUTHOR", "COMMITTER")


def tour(keep: Path | None) -> Answer:
    """Run all steps; the answer is a no as soon as one ends otherwise than told."""
    with _folder(keep) as root, _identity():
        steps = [
            *tour_steps.checking(root),
            *tour_steps.learning(root),
            *tour_steps.proposing(),
            *tour_steps.proving(root),
            *tour_steps.worsening(root),
            *tour_steps.looking_back(),
            *tour_steps.sharing(),
        ]
        for step in steps:
            step.before()
            code = _run(step)
            if code != step.exit_code:
                told = f"`{step.line}` ended with {code}, not {step.exit_code}"
                return Answer({"steps": len(steps)}, f"the demo failed: {told}", False)
    kept = f"; the library is in {keep}" if keep else ""
    return Answer({"steps": len(steps)}, f"\nall {len(steps)} steps went as told{kept}")


def _run(step: Step) -> int:
    from skillforge.cli import run

    line = step.line.replace(PATTERN, _pattern() if PATTERN in step.line else "")
    if step.say:
        click.echo(f"\n# {step.say}")
    click.echo(f"$ {line}")
    line, _, source = line.partition(" < ")
    program, *arguments = shlex.split(line)
    if program != "skillforge":
        return proc.run([program, *arguments]).code
    with Path(source or os.devnull).open(encoding="utf-8") as stdin:
        before, sys.stdin = sys.stdin, stdin
        try:
            return run(arguments)
        finally:
            sys.stdin = before


def _pattern() -> str:
    """The id of the pattern with most successes."""
    from skillforge.learn import patterns
    from skillforge.library import Library

    return patterns.find(Library.open(Path())).patterns[0].id


@contextlib.contextmanager
def _identity() -> Iterator[None]:
    """Somebody for git to name, on a machine where it knows nobody yet."""
    names = [f"GIT_{who}_{what}" for who in _WHO for what in ("NAME", "EMAIL")]
    before = {name: os.environ.get(name) for name in names}
    for name in names:
        os.environ[name] = "Ada" if name.endswith("NAME") else "ada@example.org"
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


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
