"""`skillforge demo`: the whole loop on a temporary library."""

import sys
from contextlib import redirect_stdout
from pathlib import Path

import click

from skillforge.cli.base import CommandResult, GlobalOptions, common_options


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
    from skillforge.cli.demo_run import run_demo

    # A script gets one object; the story goes where words for people go.
    with redirect_stdout(sys.stderr if settings.json else sys.stdout):
        return run_demo(Path(keep) if keep else None, is_paused=pause)
