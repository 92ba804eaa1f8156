"""Update the console blocks of pages from real runs.

Every scene is run as the tests run it. What a command prints now replaces what the
page shows, if they differ. A command that fails is reported, and changes nothing.
"""

import multiprocessing
import os
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from skillforge import sandbox
from tests.conftest import isolate_environment
from tests.docs.reading import ROOT, Scene, pages, scenes
from tests.docs.rewrite import Edit, apply, edits
from tests.docs.run import new_world


class Ran(NamedTuple):
    """The edits that a scene's run asks for, and why it could not be finished."""

    edits: list[Edit]
    problem: str = ""


def update_pages(names: list[str]) -> int:
    """Update the named pages, or all; the exit code is 1 if a command failed."""
    chosen = [Path(name).resolve() for name in names] or pages()
    spawn = multiprocessing.get_context("spawn")
    has_problem = False
    with ProcessPoolExecutor(os.cpu_count(), mp_context=spawn) as pool:
        running = {
            page: [pool.submit(run, scene) for scene in scenes(page)] for page in chosen
        }
        for page, futures in running.items():
            has_problem |= _update(page, futures)
    return int(has_problem)


def run(scene: Scene) -> Ran:
    """Run a scene in a home of its own, in a process of its own."""
    found: list[Edit] = []
    if scene.needs_sandbox and sandbox.choose()[0] is None:
        return Ran(found, f"{scene.id}: skipped, as no sandbox works here")
    with (
        TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        isolate_environment(patch, Path(folder))
        try:
            with new_world(Path(folder), patch) as world:
                found.extend(edits(scene, world))
        except AssertionError as err:
            return Ran(found, f"{scene.id}: {err}")
    return Ran(found)


def _update(page: Path, futures: list[Future[Ran]]) -> bool:
    """Apply what the runs of a page ask for; whether one had a problem."""
    results = [_result(future) for future in futures]
    changes = [edit for ran in results for edit in ran.edits]
    problems = [ran.problem for ran in results if ran.problem]
    name = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page
    if changes:
        apply(page, changes)
    for edit in changes:
        command = edit.command.partition("\n")[0]
        sys.stdout.write(f"{name}:{edit.line}: updated: {command}\n")
    for problem in problems:
        sys.stderr.write(f"error: {problem}\n")
    if not changes and not problems:
        sys.stdout.write(f"{name}: up to date\n")
    return bool(problems)


def _result(future: Future[Ran]) -> Ran:
    crash = future.exception()
    return Ran([], f"{crash!r}") if crash else future.result()
