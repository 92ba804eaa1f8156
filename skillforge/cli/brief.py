"""`skillforge brief`: what an agent can learn from a session, and how."""

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
)


@click.command()
@click.argument("subject", metavar="TRANSCRIPT|PATTERN")
@common_options
@click.pass_obj
def brief(settings: GlobalOptions, subject: str) -> CommandResult:
    """Brief an agent: what to learn from a session, and how to propose it.

    The subject is a transcript, or a pattern of `skillforge patterns`. The brief is
    written for the agent that reads it; no model is called and nothing is stored.

    \b
    skillforge brief ~/.claude/projects/-home-me-app/5f0c….jsonl
    skillforge brief 243d1dec60a6
    """
    from skillforge.render.data import brief as data
    from skillforge.render.text import brief as text
    from skillforge.workflows import brief as workflow
    from skillforge.workflows.lookup import library_at

    result = workflow.brief(library_at(settings.start), subject)
    return CommandResult(data.brief(result), text.brief(result))
