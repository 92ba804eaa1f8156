"""The commands that bring agents in: mcp, import-pending, brief."""

import os
from typing import TYPE_CHECKING, Any

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    common_options,
    forge_options,
)

if TYPE_CHECKING:
    from skillforge.mcp_server.context import LibraryContext
    from skillforge.propose.hermes_import import ImportResult


@click.command()
@click.option("--http", is_flag=True, help="Serve HTTP on this machine, with a token.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="With --http; 0 takes one that is free.",
)
@click.option(
    "--background", is_flag=True, help="Its writes are those of a background review."
)
@as_option
@forge_options
@click.pass_obj
def mcp(
    settings: GlobalOptions, /, speaks_for: str | None, **given: Any
) -> CommandResult:
    """Let agents read skills and propose changes, over the Model Context Protocol.

    Tools: skills_list, skill_view, skill_search, skill_manage, skill_record,
    skill_capture and proposal_status; skills are resources as well (skill://NAME).
    Every write becomes a proposal. No tool approves, promotes or changes the policy.

    \b
    skillforge mcp                        one client, on standard input and output
    skillforge mcp --http                 many, on http://127.0.0.1:8765/mcp
    claude mcp add skillforge -- skillforge mcp --library ~/skills

    With --http a client sends `Authorization: Bearer TOKEN`; the token is in
    $SKILLFORGE_MCP_TOKEN, else in a file of the git directory. SKILLFORGE_KEY decides
    which versions of skills on trial are handed out [default: the session].
    """
    from skillforge.library import Library

    library = Library.open(settings.start)
    repo = library.repository()
    _refuse_missing()
    door = _door(settings, given["background"], speaks_for)
    if not given["http"]:
        _loaded().serve_stdio(door)
        return CommandResult({})
    from skillforge.mcp_server import http_transport

    token, place = http_transport.token_of(repo.common_dir)
    listener = http_transport.bound(given["port"])
    address = http_transport.address(listener)
    words = f"serving {library.root} on {address}, token in {place}"
    click.echo(words, err=True)
    http_transport.serve_http(door, listener, token)
    return CommandResult({})


def _door(
    settings: GlobalOptions, is_background: bool, speaks_for: str | None
) -> "LibraryContext":
    from skillforge.mcp_server.context import LibraryContext

    said = os.environ.get("SKILLFORGE_ORIGIN", "")
    is_background = is_background or said == "agent-background"
    start = settings.start.absolute()
    where = (settings.forge, settings.host)
    return LibraryContext(start, *where, is_background, speaks_for or "")


def _refuse_missing() -> None:
    from importlib.util import find_spec

    from skillforge.errors import ToolError
    from skillforge.installation import install_command

    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        raise ToolError(
            "the MCP SDK is not installed, or too old",
            hint=install_command("mcp"),
        )


def _loaded() -> Any:
    """The server; its many classes are made without a search for cycles among them.

    The SDK has five hundred models, of which a session needs a few: what checks the
    values of one is made when it is first needed.
    """
    import gc
    from importlib import import_module

    from pydantic import BaseModel

    from skillforge.processes import without_cycles

    BaseModel.model_config["defer_build"] = True
    try:
        server = without_cycles(import_module)("skillforge.mcp_server.server")
    finally:
        del BaseModel.model_config["defer_build"]
    gc.freeze()
    return server


@click.command("import-pending")
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--clear", is_flag=True, help="Remove records that were decided on.")
@as_option
@forge_options
@click.pass_obj
def import_pending(
    settings: GlobalOptions, folder: str | None, clear: bool, speaks_for: str | None
) -> CommandResult:
    """Turn what Hermes holds back for approval into proposals.

    Hermes with `skills.write_approval: true` keeps writes in ~/.hermes/pending/skills.
    Each becomes a proposal, once, however often this runs; one that was merged or
    closed is reported, and --clear removes its record.

    \b
    skillforge import-pending
    skillforge import-pending --clear

    Exits 1 if a record could not be proposed; the others were.
    """
    from pathlib import Path

    from skillforge.agent_folders import skills_folder
    from skillforge.propose import hermes_import
    from skillforge.propose.workspace import Workspace

    place = skills_folder("hermes").parent / "pending" / "skills"
    who = speaks_for or "hermes (agent) <hermes@agents.invalid>"
    desk = Workspace.at(settings.start, who, settings.choice)
    done = hermes_import.bring(desk, Path(folder) if folder else place)
    gone = hermes_import.clear(done) if clear else []
    return _imported(done, [path.name for path in gone])


def _imported(done: "list[ImportResult]", gone: list[str]) -> CommandResult:
    from skillforge.render.data.proposals import opened
    from skillforge.report import printable

    rows, lines = [], []
    for it in done:
        row: dict[str, Any] = {"id": it.id, "proposal": None, "why_not": it.why_not}
        if it.proposal is None:
            lines.append(f"{it.id}: not proposed: {it.why_not}")
        else:
            row |= opened(it.proposal, it.created) | {"why_not": None}
            how = "opened" if it.created else it.proposal.state
            lines.append(f"{it.id}: proposal {it.proposal.number}, {how}")
        rows.append(row)
    lines += [f"removed {name}" for name in gone]
    if any(it.is_over for it in done) and not gone:
        lines.append("--clear removes the records of what was merged or closed")
    text = "\n".join(map(printable, lines or ["Hermes holds nothing back"]))
    is_fine = all(it.proposal for it in done)
    return CommandResult({"records": rows, "cleared": gone}, text, ok=is_fine)


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
