"""`skillforge propose`: open proposals for drafts."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
    origin_option,
)
from skillforge.cli.output import use_colour
from skillforge.render import data, text

if TYPE_CHECKING:
    from skillforge.workflows.submit import SubmissionBatch


@click.command()
@click.argument(
    "targets",
    nargs=-1,
    metavar="[SKILL|FOLDER]...",
    shell_complete=completions.targets,
)
@click.option("--why", default=None, help="The reason, for the reviewer and history.")
@click.option(
    "--example",
    "examples",
    multiple=True,
    metavar="ID|FILE",
    help="An example it was learned from: an id in evidence/, or a JSON file.",
)
@origin_option
@click.option("--session", metavar="ID", help="The agent session it comes from.")
@click.option("--model", metavar="ID", help="The model that wrote it.")
@click.option(
    "--bump",
    type=click.Choice(("patch", "minor", "major")),
    help="Which part of the version to bump [default: patch].",
)
@click.option("--draft", is_flag=True, help="Mark it as not ready to be promoted.")
@click.option("--delete", is_flag=True, help="Propose to remove the skill.")
@click.option("--supersede", is_flag=True, help="Close another proposal for the skill.")
@as_option
@forge_options
@click.pass_obj
def propose(
    settings: GlobalOptions, /, targets: tuple[str, ...], **options: Any
) -> CommandResult:
    """Propose drafts for review: skills of the checkout, or any folders.

    Each draft is checked, then committed on its own branch with a proposal to merge it.
    If one of several drafts fails, none is proposed. Your checkout, index and current
    branch stay as they are.

    \b
    skillforge propose csv-tables --why "Tables with merged cells"
    skillforge propose /tmp/draft --origin agent-foreground --session 42
    skillforge propose csv-tables --delete --why "Nobody uses it"
    skillforge propose < batch.json      a JSON batch of operations, one proposal

    \b
    A batch is {"operations": [...], "why": ...} with up to 20 operations on one skill:
    create (content), edit (content), patch (old_string, new_string, file_path,
    version), delete (absorbed_into), write_file (file_path, file_content), remove_file.

    Also exits 0 if the same draft was proposed before; 1 if the draft is not valid; 4
    if it conflicts with another proposal or a similar skill.
    """
    workspace = settings.workspace(options["speaks_for"], will_write=True)
    if targets in ((), ("-",)):
        draft, batch = workflows.submit.batch_draft(workspace, _read_batch())
        drafts, options = [draft], _merged(options, batch)
    elif options["delete"]:
        drafts = workflows.submit.removals(workspace.library, targets)
    else:
        drafts = workflows.submit.folder_drafts(workspace, targets)
    request = workflows.submit.ProposalOptions.of(options)
    return submitted(workflows.submit.submit_drafts(workspace, drafts, request))


def submitted(result: "SubmissionBatch", **more: Any) -> CommandResult:
    """The result of each command that proposes drafts, with more keys of its own."""
    return CommandResult(
        data.proposals.submission(result) | more,
        text.proposals.submission(result, colour=use_colour()),
        ok=result.ok,
    )


def _merged(options: dict[str, Any], batch: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the command line take precedence over the batch's own."""
    return {**options, **batch, **{k: v for k, v in options.items() if v}}


def _read_batch() -> str:
    content = ""
    if sys.stdin is not None and not sys.stdin.isatty():
        try:
            content = sys.stdin.buffer.read().decode()
        except (OSError, UnicodeDecodeError) as err:
            raise click.UsageError(f"cannot read standard input: {err}") from err
    if not content.strip():
        raise click.UsageError("name a skill or a folder, or send a batch on stdin")
    return content
