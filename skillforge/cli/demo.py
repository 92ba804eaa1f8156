"""`skillforge demo`: the whole loop on a temporary library."""

import sys
from contextlib import redirect_stdout
from pathlib import Path

import click

from skillforge.cli import demo_run
from skillforge.cli.base import CommandResult, GlobalOptions, common_options


@click.command()
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Keep the library in DIR.",
)
@click.option("--pause", is_flag=True, help="Wait for Enter after each step.")
@common_options
@click.pass_obj
def demo(settings: GlobalOptions, keep: Path | None, pause: bool) -> CommandResult:
    """Show the whole loop on a temporary library: real commands, real output.

    Agents' transcripts become skills. The gate refuses a poisoned draft and one that
    fails on held-out examples; a worse edit is detected in use and rolled back; a
    release is built, installed and verified. Needs no network and no key.

    \b
    skillforge demo --pause           step by step
    skillforge demo --keep tour       then continue by hand in tour/library

    Exits 1 if a step doesn't end as expected.
    """
    # With --json, standard output gets one object, and the steps go to standard error.
    with redirect_stdout(sys.stderr if settings.json else sys.stdout):
        return demo_run.run_demo(keep, is_paused=pause)
