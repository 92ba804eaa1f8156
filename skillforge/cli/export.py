"""`skillforge export`: approved examples as training data.export."""

from pathlib import Path

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
)
from skillforge.render import data, text


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--force", is_flag=True, help="Replace an earlier export.")
@common_options
@click.pass_obj
def export(settings: GlobalOptions, folder: Path, force: bool) -> CommandResult:
    """Export approved examples as training data, to a FOLDER outside the library.

    sharegpt.jsonl contains the verified successes as conversations, dpo.jsonl pairs of
    a success and a failure of the same pattern, manifest.json counts and digests. All
    of it is redacted.
    """
    result = workflows.export.export(settings.open_library(), folder, force=force)
    return CommandResult(data.export.export(result), text.export.export(result))
