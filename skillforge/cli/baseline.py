"""`skillforge baseline`: findings that a library already has."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.skill_name import skill_argument
from skillforge.render import data, text


@click.command()
@skill_argument("names", nargs=-1)
@click.option("--add", is_flag=True, help="Also record findings that are new.")
@click.option("--prune", is_flag=True, help="Drop findings that were fixed.")
@common_options
@click.pass_obj
def baseline(
    settings: GlobalOptions, names: tuple[str, ...], add: bool, prune: bool
) -> CommandResult:
    """Record the findings that the library has now, so that only new ones block.

    The first call writes skillforge.baseline.json with the findings at HEAD of all
    skills. Checks report them as known, and they don't block an edit of other parts, a
    promotion or a release. An entry is bound to the line, field or file of its finding:
    when that changes, the finding is new again. Later calls show how many are left.

    \b
    skillforge baseline              what is known, fixed and new
    skillforge baseline --prune      drop what was fixed
    skillforge baseline pptx --add   record what is new in one skill

    The gate, promote and release read the file at the base, like the policy: it is
    changed by a commit that an owner reviews, never by a draft.
    """
    library = workflows.workspaces.open_library(settings.start)
    result = workflows.baseline.baseline(library, names, add=add, prune=prune)
    return CommandResult({**data.baseline.report(result)}, text.baseline.report(result))
