"""`skillforge brief`: what an agent can learn from a session, and how."""

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
)
from skillforge.render import data, text


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
    result = workflows.brief.brief(workflows.lookup.library_at(settings.start), subject)
    return CommandResult(data.brief.brief(result), text.brief.brief(result))
