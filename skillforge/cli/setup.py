"""The commands of the Set up stage."""

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.completions import SHELLS, VARIABLE
from skillforge.report import printable

if TYPE_CHECKING:
    from skillforge.doctor import DoctorItem
    from skillforge.workflows.repair import Fault


@click.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--force", is_flag=True, help="Overwrite files that exist already.")
@click.option("--github", is_flag=True, help="Write workflows and issue forms, too.")
@common_options
@click.pass_obj
def init(
    settings: GlobalOptions, folder: str | None, force: bool, github: bool
) -> CommandResult:
    """Make a skill library here, in an empty folder or an existing repository.

    Writes a policy, .gitignore, a pre-commit configuration and one sample skill. Asks
    nothing and overwrites nothing; run it again whenever a file is missing.

    With --github also .github/: the gate, its report, what notes promotions, the weekly
    health run and releases; then `skillforge protect` sets the repository up.
    """
    from skillforge import scaffold

    start = Path(folder) if folder else settings.start
    made = scaffold.init(start, force=force, github=github)
    lines = [f"wrote {path}" for path in made.written]
    lines += [f"kept  {path} (--force overwrites it)" for path in made.kept]
    then = "commit, push, skillforge protect" if github else "skillforge validate"
    to_complete = [scaffold.TOOL_FILE] if scaffold.names_no_tool(made.root) else []
    for path in to_complete:
        lines += [
            f"complete {path}: the workflows fail until it names a tool to install"
        ]
        then = f"edit {path}, {then}"
    if made.is_branch_unnamed:
        lines += [
            f"add `branch: {made.branch}` to skillforge.yaml: every clone needs it"
        ]
    lines += [f"{made.root} is a skill library; next: {then}"]
    data = {
        "root": str(made.root),
        "written": made.written,
        "kept": made.kept,
        "to_complete": to_complete,
        "branch": made.branch,
    }
    return CommandResult(data, "\n".join(lines))


@click.command()
@click.option("--fix", is_flag=True, help="Repair what can be repaired without loss.")
@common_options
@click.pass_obj
def doctor(settings: GlobalOptions, fix: bool) -> CommandResult:
    """Check this machine's setup and the repository, and say how to fix problems.

    In the repository: HEAD, packed-refs, damaged refs, missing objects, locks that are
    left over, branches without a proposal and the reverse, checkouts that lag behind.

    Exits 0 if all that is required is there and nothing is wrong, 1 if not.
    """
    from skillforge.doctor import examine
    from skillforge.workflows import repair

    repository = repair.examine(settings.start, should_fix=fix)
    items = examine(settings.start)
    lines = [line for item in items for line in _item_lines(item)]
    faults = repository.faults if repository else []
    fixed = repository.fixed if repository else []
    lines += [f"{'fixed':<8}{fault.name:<19} {fault.detail}" for fault in fixed]
    lines += [line for fault in faults for line in _fault_lines(fault)]
    if repository and not faults:
        lines.append(f"{'ok':<8}{'repository':<20}no damage found")
    if any(fault.fix for fault in faults) and not fix:
        lines.append("skillforge doctor --fix repairs what it can without loss")
    ok = all(item.ok for item in items if item.required) and not faults
    data = {
        "items": [item._asdict() for item in items],
        "faults": [_fault_data(fault) for fault in faults],
        "fixed": [_fault_data(fault) for fault in fixed],
    }
    return CommandResult(data, "\n".join(map(printable, lines)), ok)


def _item_lines(item: "DoctorItem") -> Iterator[str]:
    signs = {(True, True): "ok", (True, False): "ok", (False, True): "MISSING"}
    sign = signs.get((item.ok, item.required), "absent")
    yield f"{sign:<8}{item.name:<20}{item.detail}"
    if not item.ok and item.hint:
        yield f"{'':<28}{item.hint}"
    yield from (f"{'':<28}weakness: {words}" for words in item.weaknesses)


def _fault_lines(fault: "Fault") -> Iterator[str]:
    yield f"{'WRONG':<8}{fault.name:<19} {fault.detail}"
    yield f"{'':<28}{fault.hint}"


def _fault_data(fault: "Fault") -> dict[str, object]:
    about = {"name": fault.name, "detail": fault.detail, "hint": fault.hint}
    return about | {"fixable": fault.fix is not None}


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@common_options
@click.pass_obj
def completion(_settings: GlobalOptions, shell: str) -> CommandResult:
    """Print what makes a shell complete commands, skills and proposals.

    \b
    eval "$(skillforge completion bash)"         in ~/.bashrc
    eval "$(skillforge completion zsh)"          in ~/.zshrc, after compinit
    skillforge completion fish | source          in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    from skillforge.cli import cli

    made = get_completion_class(shell)
    assert made is not None
    script = made(cli, {}, "skillforge", VARIABLE).source()
    return CommandResult({"shell": shell, "script": script}, document=script)


@click.command()
@click.option(
    "--keep", metavar="DIR", type=click.Path(), help="Keep the library there."
)
@click.option("--pause", is_flag=True, help="Wait for Enter after each step.")
@common_options
@click.pass_obj
def demo(settings: GlobalOptions, keep: str | None, pause: bool) -> CommandResult:
    """Show the whole loop on a temporary library: real commands, real output.

    Agents' transcripts become skills. The gate refuses a poisoned draft and one that
    fails on held-out examples; a worse edit is caught in use and taken back; a release
    is built, installed and verified. Needs no network and no key.

    \b
    skillforge demo --pause           step by step
    skillforge demo --keep tour       then go on by hand in tour/library

    Exits 1 if anything is not as told.
    """
    from skillforge.cli.tour import tour

    # A script gets one object; the story goes where words for people go.
    with redirect_stdout(sys.stderr if settings.json else sys.stdout):
        return tour(Path(keep) if keep else None, is_paused=pause)
