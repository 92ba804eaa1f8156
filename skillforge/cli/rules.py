"""`skillforge rules`: what each rule asks for."""

import click

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
def rules(_settings: GlobalOptions, rule_id: str | None) -> CommandResult:
    """Explain a rule, or list all of them: of validate, of the scan, of the gate.

    \b
    skillforge rules                 one line for each
    skillforge rules yaml-colon      what it asks for, and why
    """
    from skillforge.checks import rule_manual

    if rule_id:
        rule = rule_manual.find(rule_id)
        return CommandResult(
            {"rules": [rule_manual.entry(rule)]}, rule_manual.page(rule)
        )
    every = rule_manual.every_rule()
    return CommandResult(
        {"rules": [rule_manual.entry(r) for r in every]}, rule_manual.table(every)
    )
