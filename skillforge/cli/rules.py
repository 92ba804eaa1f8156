"""`skillforge rules`: the manual of the rules."""

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
)


@click.command()
@click.argument(
    "rule_id", required=False, metavar="[ID]", shell_complete=completions.rules
)
@common_options
@click.pass_obj
def rules(settings: GlobalOptions, rule_id: str | None) -> CommandResult:
    """Explain a rule, or list all rules of validate, the scan and the gate.

    \b
    skillforge rules                 one line for each rule
    skillforge rules yaml-colon      its page: what it requires, and why
    """
    if rule_id:
        pages = workflows.rules.explain(rule_id, settings.start)
    else:
        pages = workflows.rules.list_rules(settings.start)
    return CommandResult({"rules": list(pages.rows)}, pages.text)
