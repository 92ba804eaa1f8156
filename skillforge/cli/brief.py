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
    """Tell an agent what to learn from a session, where it belongs, and how to propose.

    For a transcript, or for a pattern of `skillforge patterns`. No model is asked and
    nothing is kept: it is for the agent that reads it.

    \b
    skillforge brief ~/.claude/projects/-home-me-app/5f0c….jsonl
    skillforge brief 243d1dec60a6
    """
    from pathlib import Path

    from skillforge.learn import brief
    from skillforge.learn.briefing_words import brief_data, brief_text
    from skillforge.workflows.lookup import library_at

    library = library_at(settings.start)
    path = Path(subject)
    is_file = path.is_file() or "/" in subject or "." in subject
    found = (
        brief.of_transcript(library, path)
        if is_file
        else brief.of_pattern(library, subject)
    )
    root = str(library.root)
    return CommandResult(brief_data(found, root), brief_text(found, root))
