"""`skillforge init`: a skill library in this repository."""

from pathlib import Path

import click

from skillforge.cli.base import CommandResult, GlobalOptions, common_options


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
