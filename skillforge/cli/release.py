"""`skillforge release`: tag main as a release, with notes on every skill."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.progress import progress
from skillforge.render import data, text


@click.command()
@click.argument("version", required=False)
@click.option("--yes", is_flag=True, help="Release the suggested version.")
@click.option("--dry-run", is_flag=True, help="Print the notes and make no tag.")
@common_options
@click.pass_obj
def release(
    settings: GlobalOptions, version: str | None, yes: bool, dry_run: bool
) -> CommandResult:
    """Tag main as a release, with notes on every skill; or suggest the next version.

    The tag is annotated, and signed if tag.gpgSign is set in git. It is
    created only if the audit passes, every skill is valid, the scan finds no attack and
    no leak, every skill passes its cases, and none failed its last health run or its
    canary. Nothing is pushed.

    \b
    skillforge release                show what changed, and the next version
    skillforge release 1.4.0          release it
    skillforge release --yes          release the suggested version
    skillforge release --dry-run      read the notes first

    Removing a skill bumps the major version, adding one the minor, any other change
    the patch. Also exits 0 if the version was released before; 1 if a check fails; 4 if
    another commit has the version.
    """
    workspace = settings.workspace(will_write=True)
    if version or yes or dry_run:
        with progress(settings.json) as bar:
            result = workflows.release.release(
                workspace, version or "", bar, dry_run=dry_run
            )
    else:
        result = workflows.release.suggest(workspace)
    return CommandResult(
        data.release.release(result), text.release.release(result), result.ok
    )
