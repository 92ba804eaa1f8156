"""`skillforge init`: create a skill library."""

from pathlib import Path

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.render import data, text


@click.command()
@click.argument(
    "folder", required=False, type=click.Path(file_okay=False, path_type=Path)
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option("--github", is_flag=True, help="Also write workflows and issue forms.")
@common_options
@click.pass_obj
def init(
    settings: GlobalOptions, folder: Path | None, force: bool, github: bool
) -> CommandResult:
    """Create a skill library here, in an empty folder or an existing repository.

    Writes a policy, .gitignore, a pre-commit configuration and one sample skill. Asks
    nothing and overwrites nothing; run it again to restore a missing file.

    A repository that has skills gets no sample. Every SKILL.md is found, the policy
    says where they are, and skillforge.baseline.json records their findings, so that
    only new ones block.

    With --github, also .github/: workflows for the gate and its report, for approvals
    made on GitHub, the weekly health run and releases. `skillforge protect` then sets
    up the repository.
    """
    start = folder or settings.start
    result = workflows.scaffold.init(start, force=force, github=github)
    return CommandResult({**data.setup.init(result)}, text.setup.init(result))
