"""The demo: real commands on a temporary library, each with its real output."""

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import click

from skillforge import processes, resources
from skillforge.cli import demo_steps, output
from skillforge.cli.base import CommandResult
from skillforge.cli.demo_steps import DemoStep
from skillforge.errors import RequestError, unwritable
from skillforge.report import styled

_INTERRUPTED = 130
_USER_VARIABLES = ("SKILLFORGE_LIBRARY", "SKILLFORGE_KEY")


class TypedStep(NamedTuple):
    """A step with the command as typed; the first of a chapter has its title."""

    title: str
    step: DemoStep
    command: str


class StepResult(NamedTuple):
    """A command that was run, and all that it printed."""

    typed: TypedStep
    output: str
    code: int

    @property
    def plain(self) -> str:
        """The output without colours."""
        return click.unstyle(self.output)

    @property
    def problem(self) -> str:
        """How the result differs from what the step expects; empty if it doesn't."""
        command, step = self.typed.command, self.typed.step
        if self.code != step.exit_code:
            return f"`{command}` exited with {self.code}, not {step.exit_code}"
        for pattern in step.shows:
            if not re.search(pattern, self.plain):
                return f"`{command}` did not print {pattern!r}"
        return ""

    @property
    def values(self) -> dict[str, str]:
        """The values that later commands use, by name."""
        matches = (re.search(pattern, self.plain) for pattern in self.typed.step.shows)
        return {
            k: v for match in matches if match for k, v in match.groupdict().items()
        }


def run_demo(keep: Path | None, *, is_paused: bool) -> CommandResult:
    """Show all steps, up to one that doesn't end as expected."""
    if is_paused and (sys.stdin is None or not sys.stdin.isatty()):
        raise RequestError(
            "--pause needs a terminal",
            hint="without --pause, skillforge demo doesn't wait for Enter",
        )
    values: dict[str, str] = {}
    count, problem = 0, ""

    def announce(typed: TypedStep) -> None:
        if is_paused and count:
            _wait()
        output.emit("\n".join(_heading(typed)))

    with folder(keep) as root:
        for result in run_steps(root, announce):
            if result.output:
                output.emit(result.output.rstrip("\n"))
            count, problem = count + 1, result.problem
            values |= result.values
    library = str(keep.absolute() / "library") if keep else None
    commands = _next_commands(library, values) if library and not problem else []
    text = _failure(problem, library) if problem else _end(count, library, commands)
    data = {"steps": count, "problem": problem or None, "library": library}
    return CommandResult(data | {"next": commands}, text, ok=not problem)


def run_steps(
    root: Path, announce: Callable[[TypedStep], None] = lambda _typed: None
) -> Iterator[StepResult]:
    """Run the steps in a `folder`, up to one with a problem.

    `announce` gets each step before it runs.
    """
    values: dict[str, str] = {}
    for title, steps in demo_steps.chapters(root):
        for number, step in enumerate(steps):
            command = step.line.format_map(values)
            typed = TypedStep("" if number else title, step, command)
            announce(typed)
            with _write_errors(root):
                step.before()
            result = StepResult(typed, *_run(command))
            yield result
            if result.problem:
                return
            values |= result.values


@contextlib.contextmanager
def folder(keep: Path | None) -> Iterator[Path]:
    """Work in a folder with transcripts and drafts; temporary, unless kept.

    The user's settings for git and Skillforge have no effect there.
    """
    before, environment = Path.cwd(), dict(os.environ)
    with contextlib.ExitStack() as stack:
        root = _new_folder(keep) if keep else Path(stack.enter_context(_temporary()))
        with _write_errors(root):
            _write_files(root)
        try:
            _isolate(root)
            os.chdir(root)
            yield root
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(environment)


def _temporary() -> "tempfile.TemporaryDirectory[str]":
    try:
        return tempfile.TemporaryDirectory(prefix="skillforge-demo-")
    except OSError as err:
        raise unwritable(tempfile.gettempdir(), err) from err


def _new_folder(keep: Path) -> Path:
    hint = "name a new folder with --keep"
    with _write_errors(keep):
        if keep.exists() and not keep.is_dir():
            raise RequestError(f"{keep} is not a folder", hint=hint)
        not_empty = RequestError(f"{keep} is not empty", hint=hint)
        if keep.is_dir() and any(keep.iterdir()):
            raise not_empty
        keep.mkdir(parents=True, exist_ok=True)
        try:
            (keep / "library").mkdir()
        except FileExistsError as err:  # another demo was first
            raise not_empty from err
    return keep.resolve()


@contextlib.contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as err:
        raise unwritable(path, err) from err


def _write_files(root: Path) -> None:
    for name, data in resources.demo_files().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if data.startswith(b"#!"):  # a wheel doesn't record executable bits
            path.chmod(0o755)


def _isolate(root: Path) -> None:
    """Remove the user's variables for git and Skillforge from the environment."""
    for name in list(os.environ):
        is_of_git = name.startswith("GIT_") and name != "GIT_EXEC_PATH"
        if is_of_git or name in _USER_VARIABLES:
            del os.environ[name]
    os.environ |= {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PATH": os.pathsep.join((f"{root / 'agents'}", os.environ.get("PATH", ""))),
    }


def _run(command: str) -> tuple[str, int]:
    """The output of a command, and its exit code."""
    command, _, source = command.partition(" < ")
    program, *arguments = shlex.split(command)
    if program == "cd":
        os.chdir(arguments[0])
        return "", 0
    if program == "skillforge":
        return _run_here(arguments, source or os.devnull)
    process = processes.run([program, *arguments])
    return (process.out + process.err).decode("utf-8", "replace"), process.code


class _Screen(io.StringIO):
    """Captures output; commands use colours if the user's terminal has them."""

    def __init__(self, *, is_coloured: bool) -> None:
        super().__init__()
        self._is_coloured = is_coloured

    def isatty(self) -> bool:
        return self._is_coloured


def _run_here(arguments: list[str], source: str) -> tuple[str, int]:
    """Run one of our own commands in this process, which is faster."""
    from skillforge.cli import run  # which imports us

    screen = _Screen(is_coloured=output.use_colour())
    before = sys.stdin
    with Path(source).open(encoding="utf-8") as stdin:
        sys.stdin = stdin
        try:
            with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
                code = run(arguments)
        finally:
            sys.stdin = before
    if code == _INTERRUPTED:
        raise KeyboardInterrupt
    return screen.getvalue(), code


def _heading(typed: TypedStep) -> Iterator[str]:
    """The lines above a command's output."""
    if typed.title:
        title = f"== {typed.title}"
        yield from ("", styled(title, output.use_colour(), fg="cyan", bold=True))
    if typed.step.say:
        yield ""
        yield from (f"# {line}" for line in typed.step.say.splitlines())
    yield f"$ {typed.command}"


def _wait() -> None:
    click.echo("    (Enter continues, Ctrl-C ends) ", nl=False, err=True)
    try:
        is_closed = not sys.stdin.readline()
    except KeyboardInterrupt:
        is_closed = True
    if is_closed:
        click.echo(err=True)
        raise click.Abort


def _next_commands(library: str, values: Mapping[str, str]) -> list[str]:
    """Commands to continue with: one pattern has no skill yet."""
    return [
        f"cd {shlex.quote(library)}",
        f"skillforge patterns show {values['update']}",
        f"skillforge draft {values['update']} --name update-dependency --propose",
        f"skillforge review {int(values['back']) + 1}",
    ]


def _failure(problem: str, library: str | None) -> str:
    where = f"; the library is in {library}" if library else ""
    return f"\nthe demo failed: {problem}{where}"


def _end(count: int, library: str | None, commands: list[str]) -> str:
    summary = f"\nall {count} steps ended as expected"
    if library is None:
        return f"{summary}; to continue by hand, keep the library with --keep DIR"
    lines = [
        summary,
        f"the library is in {library}; to turn its last pattern into a skill:",
    ]
    return "\n".join([*lines, *(f"    {command}" for command in commands)])
