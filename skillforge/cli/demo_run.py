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

_INTERRUPTED = 130
_OF_USERS = ("SKILLFORGE_LIBRARY", "SKILLFORGE_KEY")


class TypedStep(NamedTuple):
    """A step with the command as it is typed; the first of a chapter has its title."""

    title: str
    step: DemoStep
    typed: str


class Played(NamedTuple):
    """A command that was run, and all that it printed."""

    line: TypedStep
    output: str
    code: int

    @property
    def plain(self) -> str:
        return click.unstyle(self.output)

    @property
    def problem(self) -> str:
        """What is not as told; empty if all is."""
        typed, step = self.line.typed, self.line.step
        if self.code != step.exit_code:
            return f"`{typed}` ended with {self.code}, not {step.exit_code}"
        missing = (it for it in step.shows if not re.search(it, self.plain))
        lacking = next(missing, "")
        return f"`{typed}` did not print {lacking!r}" if lacking else ""

    @property
    def told(self) -> dict[str, str]:
        """What later lines refer to, by name."""
        found = (re.search(it, self.plain) for it in self.line.step.shows)
        return {k: v for it in found if it for k, v in it.groupdict().items()}


def run_demo(keep: Path | None, *, is_paused: bool) -> CommandResult:
    """Show all steps; the answer is a no as soon as one ends otherwise than told."""
    if is_paused and (sys.stdin is None or not sys.stdin.isatty()):
        raise RequestError(
            "--pause waits for Enter, and there is no terminal to press it on",
            hint="skillforge demo does not wait",
        )
    told: dict[str, str] = {}
    count, problem = 0, ""

    def announce(line: TypedStep) -> None:
        if is_paused and count:
            _wait()
        output.emit("\n".join(_words(line)))

    with stage(keep) as root:
        for done in played(root, announce):
            if done.output:
                output.emit(done.output.rstrip("\n"))
            count, problem = count + 1, done.problem
            told |= done.told
    library = str(keep.absolute() / "library") if keep else None
    to_do = _to_go_on(library, told) if library and not problem else []
    words = _failed(problem, library) if problem else _end(count, library, to_do)
    data = {"steps": count, "problem": problem or None, "library": library}
    return CommandResult(data | {"next": to_do}, words, ok=not problem)


def played(
    root: Path, announce: Callable[[TypedStep], None] = lambda _line: None
) -> Iterator[Played]:
    """Run the steps on a `stage`, one by one; none after one that is not as told.

    Before a step runs, `announce` gets it.
    """
    told: dict[str, str] = {}
    for title, steps in demo_steps.chapters(root):
        for number, step in enumerate(steps):
            line = TypedStep("" if number else title, step, step.line.format_map(told))
            announce(line)
            with _writing(root):
                step.before()
            done = Played(line, *_ran(line.typed))
            yield done
            if done.problem:
                return
            told |= done.told


@contextlib.contextmanager
def stage(keep: Path | None) -> Iterator[Path]:
    """A folder to be in, with transcripts and drafts; gone afterwards, unless kept."""
    before, world = Path.cwd(), dict(os.environ)
    with contextlib.ExitStack() as stack:
        root = _kept(keep) if keep else Path(stack.enter_context(_temporary()))
        with _writing(root):
            _lay_out(root)
        try:
            _forget_user(root)
            os.chdir(root)
            yield root
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(world)


def _temporary() -> "tempfile.TemporaryDirectory[str]":
    try:
        return tempfile.TemporaryDirectory(prefix="skillforge-demo-")
    except OSError as err:
        raise unwritable(tempfile.gettempdir(), err) from err


def _kept(keep: Path) -> Path:
    with _writing(keep):
        if keep.exists() and not keep.is_dir():
            raise _taken(f"{keep} is no folder")
        if keep.is_dir() and any(keep.iterdir()):
            raise _taken(f"{keep} is not empty")
        keep.mkdir(parents=True, exist_ok=True)
        try:
            (keep / "library").mkdir()
        except FileExistsError as err:  # of two at once, one is first
            raise _taken(f"{keep} is not empty") from err
    return keep.resolve()


def _taken(why: str) -> RequestError:
    return RequestError(why, hint="name a new folder with --keep")


@contextlib.contextmanager
def _writing(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as err:
        raise unwritable(place, err) from err


def _lay_out(root: Path) -> None:
    for name, data in resources.demo_files().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if data.startswith(b"#!"):  # a wheel does not say what can be executed
            path.chmod(0o755)


def _forget_user(root: Path) -> None:
    """Let nothing in that a user has set for git, or for a library of their own."""
    for name in list(os.environ):
        is_of_git = name.startswith("GIT_") and name != "GIT_EXEC_PATH"
        if is_of_git or name in _OF_USERS:
            del os.environ[name]
    os.environ |= {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PATH": os.pathsep.join((f"{root / 'agents'}", os.environ.get("PATH", ""))),
    }


def _ran(typed: str) -> tuple[str, int]:
    """What a command printed, and its exit code."""
    typed, _, source = typed.partition(" < ")
    program, *arguments = shlex.split(typed)
    if program == "cd":
        os.chdir(arguments[0])
        return "", 0
    if program == "skillforge":
        return _ran_here(arguments, source or os.devnull)
    done = processes.run([program, *arguments])
    return (done.out + done.err).decode("utf-8", "replace"), done.code


class _Screen(io.StringIO):
    """Keeps what is printed; commands colour it as they would on the reader's own."""

    def __init__(self, *, is_coloured: bool) -> None:
        super().__init__()
        self._is_coloured = is_coloured

    def isatty(self) -> bool:
        return self._is_coloured


def _ran_here(arguments: list[str], source: str) -> tuple[str, int]:
    """Run one of our own commands in this process, which is quicker than a new one."""
    from skillforge.cli import run

    said = _Screen(is_coloured=output.use_colour())
    before = sys.stdin
    with Path(source).open(encoding="utf-8") as stdin:
        sys.stdin = stdin
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                code = run(arguments)
        finally:
            sys.stdin = before
    if code == _INTERRUPTED:
        raise KeyboardInterrupt
    return said.getvalue(), code


def _words(line: TypedStep) -> Iterator[str]:
    """What stands above a command's output."""
    if line.title:
        heading = f"== {line.title}"
        bright = click.style(heading, fg="cyan", bold=True)
        yield from ("", bright if output.use_colour() else heading)
    if line.step.say:
        yield ""
        yield from (f"# {said}" for said in line.step.say.splitlines())
    yield f"$ {line.typed}"


def _wait() -> None:
    click.echo("    (Enter goes on, Ctrl-C ends) ", nl=False, err=True)
    try:
        is_over = not sys.stdin.readline()
    except KeyboardInterrupt:
        is_over = True
    if is_over:
        click.echo(err=True)
        raise click.Abort


def _to_go_on(library: str, told: Mapping[str, str]) -> list[str]:
    """Commands for whoever wants to try it: one pattern has no skill yet."""
    return [
        f"cd {shlex.quote(library)}",
        f"skillforge patterns show {told['update']}",
        f"skillforge draft {told['update']} --name update-dependency --propose",
        f"skillforge review {int(told['back']) + 1}",
    ]


def _failed(problem: str, library: str | None) -> str:
    kept = f"; the library is in {library}" if library else ""
    return f"\nthe demo failed: {problem}{kept}"


def _end(count: int, library: str | None, to_do: list[str]) -> str:
    words = f"\nall {count} steps went as told"
    if library is None:
        return f"{words}; --keep DIR keeps the library to go on with"
    lines = [words, f"the library is in {library}; one pattern has no skill yet, so"]
    return "\n".join([*lines, *(f"    {line}" for line in to_do)])
