"""`skillforge mcp`: the MCP server for agents."""

import os
from typing import TYPE_CHECKING, Any

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
)

if TYPE_CHECKING:
    from skillforge.mcp_server.context import LibraryContext


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
