"""`skillforge mcp`: the MCP server for agents."""

import os
from typing import Any

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
)
from skillforge.errors import ToolError
from skillforge.installation import install_command
from skillforge.mcp_server.context import LibraryContext
from skillforge.model import Origin


@click.command()
@click.option(
    "--http", is_flag=True, help="Serve HTTP on this machine only, with a token."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="With --http: the port; 0 for any free one.",
)
@click.option(
    "--background", is_flag=True, help="Record writes as a background review's."
)
@as_option
@forge_options
@click.pass_obj
def mcp(settings: GlobalOptions, /, **options: Any) -> CommandResult:
    """Let agents read skills and propose changes, over the Model Context Protocol.

    Tools: skills_list, skill_view, skill_search, skill_manage, skill_record,
    skill_capture and proposal_status; skills are also resources (skill://NAME).
    Every write becomes a proposal. No tool approves, promotes or changes the policy.

    \b
    skillforge mcp                        one client, on standard input and output
    skillforge mcp --http                 many clients, on http://127.0.0.1:8765/mcp
    claude mcp add skillforge -- skillforge mcp --library ~/skills

    With --http, clients send `Authorization: Bearer TOKEN`; the token is in
    $SKILLFORGE_MCP_TOKEN, else in a file of the git directory. SKILLFORGE_KEY decides
    which version of a skill in a rollout is used [default: the session].
    """
    library = settings.open_library()
    _refuse_missing()
    is_background = options["background"] or os.environ.get("SKILLFORGE_ORIGIN") == (
        Origin.AGENT_BACKGROUND
    )
    context = LibraryContext(
        settings.start.absolute(),
        settings.forge,
        settings.host,
        is_background,
        options["speaks_for"] or "",
    )
    if not options["http"]:
        _server().serve_stdio(context)
        return CommandResult({})
    from skillforge.mcp_server import http_transport

    token, source = http_transport.token_of(library.repository().common_dir)
    listener = http_transport.listen(options["port"])
    address = http_transport.address(listener)
    click.echo(f"serving {library.root} on {address}, token in {source}", err=True)
    http_transport.serve_http(context, listener, token)
    return CommandResult({})


def _refuse_missing() -> None:
    from importlib.util import find_spec

    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        raise ToolError(
            "the MCP SDK is not installed, or too old",
            hint=install_command("mcp"),
        )


def _server() -> Any:
    """The server module, imported with the garbage collector off.

    The SDK has five hundred models, and a session needs a few of them: the validator of
    each is built on first use.
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
