"""`skillforge export`: approved examples as training data."""

from pathlib import Path

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--force", is_flag=True, help="Replace an earlier export.")
@common_options
@click.pass_obj
def export(settings: GlobalOptions, folder: Path, force: bool) -> CommandResult:
    """Write approved examples down to train a model: FOLDER outside the library.

    sharegpt.jsonl holds the verified successes as conversations, dpo.jsonl pairs of a
    success and a failure of the same pattern, manifest.json their number and digests.
    All of it is redacted.
    """
    from skillforge.learn.export import export as write
    from skillforge.library import Library
    from skillforge.report import plural

    done = write(Library.open(settings.start), folder, force=force)
    data = {
        "folder": str(done.folder),
        "conversations": done.conversations,
        "pairs": done.pairs,
        "sha256": done.files,
    }
    counts = (
        f"{plural(done.conversations, 'conversation')}, {plural(done.pairs, 'pair')}"
    )
    return CommandResult(data, f"wrote {counts} to {folder}")
