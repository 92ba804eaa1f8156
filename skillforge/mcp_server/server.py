"""The official SDK, around our tools. Work that waits is done in threads.

A call that has begun is finished, whether its client still listens or not: what it
writes is whole, or is not there.
"""

import base64
import mimetypes
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from skillforge import __version__
from skillforge.errors import SkillforgeError
from skillforge.mcp_server.context import Caller, LibraryContext
from skillforge.mcp_server.responses import answer
from skillforge.mcp_server.tools import TOOLS
from skillforge.model import SKILL_FILE

if TYPE_CHECKING:
    from skillforge.store.index import IndexedSkill

T = TypeVar("T")
_SCHEME = "skill://"
_AT_ONCE = 8  # calls that are worked on; others wait
_A_PAGE = 1000  # skills in a list of resources
_TEXT = "text/markdown"
_INSTRUCTIONS = """\
Skills of this library are reviewed instructions. Before a task, look for one \
(skills_list, skill_search) and load it (skill_view). When it has ended, report the \
outcome (skill_record). What you learned and will need again you may propose \
(skill_manage): change the skill that you loaded rather than add one. Nothing changes \
before a reviewer has approved it."""


class Service:
    """Our tools and resources, as the SDK asks for them."""

    def __init__(self, door: LibraryContext) -> None:
        self.door = door
        self._limit: anyio.CapacityLimiter | None = None

    async def _apart(self, work: Callable[[], T]) -> T:
        """Do what may wait beside the event loop."""
        if self._limit is None:
            self._limit = anyio.CapacityLimiter(_AT_ONCE)
        return await anyio.to_thread.run_sync(work, limiter=self._limit)

    def _caller(self, ctx: ServerRequestContext[Any, Any], said: str = "") -> Caller:
        """Who calls; over HTTP, what the client says counts where nothing else does."""
        params = ctx.session.client_params
        client = params.client_info.name if params else ""
        session = ""
        if ctx.request is not None:
            session = ctx.request.headers.get("mcp-session-id", "") or said
        return self.door.caller(client, session)

    async def list_tools(
        self,
        ctx: ServerRequestContext[Any, Any],  # noqa: ARG002 - the same for everybody
        params: types.PaginatedRequestParams | None,  # noqa: ARG002 - one page
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=name,
                    description=tool.about,
                    input_schema=tool.schema,
                    annotations=types.ToolAnnotations(
                        read_only_hint=tool.is_reading,
                        destructive_hint=False,
                        idempotent_hint=name != "skill_record",
                        open_world_hint=False,
                    ),
                )
                for name, tool in TOOLS.items()
            ]
        )

    async def call_tool(
        self, ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in TOOLS:
            from skillforge.text import nearest

            meant = nearest(params.name, list(TOOLS)) or ", ".join(TOOLS)
            raise MCPError(
                types.INVALID_PARAMS,
                f"there is no tool {params.name!r}; did you mean {meant}?",
            )
        given = params.arguments or {}
        session = given.get("session")
        caller = self._caller(ctx, session if isinstance(session, str) else "")
        said = await self._apart(partial(answer, self.door, params.name, caller, given))
        content = types.TextContent(type="text", text=said.text)
        return types.CallToolResult(content=[content], is_error=said.is_error)

    async def list_resources(
        self,
        ctx: ServerRequestContext[Any, Any],
        params: types.PaginatedRequestParams | None,
    ) -> types.ListResourcesResult:
        caller, after = self._caller(ctx), (params and params.cursor) or ""
        found = await self._try(partial(_names, self.door, caller))
        left = [skill for skill in found if skill.name > after]
        page = left[:_A_PAGE]
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=f"{_SCHEME}{skill.name}",
                    name=skill.name,
                    description=skill.description,
                    mime_type=_TEXT,
                )
                for skill in page
            ],
            next_cursor=page[-1].name if len(left) > len(page) else None,
        )

    async def list_templates(
        self,
        ctx: ServerRequestContext[Any, Any],  # noqa: ARG002
        params: types.PaginatedRequestParams | None,  # noqa: ARG002
    ) -> types.ListResourceTemplatesResult:
        skill = types.ResourceTemplate(
            uri_template=f"{_SCHEME}{{name}}",
            name="skill",
            description="A skill's instructions.",
            mime_type=_TEXT,
        )
        file = types.ResourceTemplate(
            uri_template=f"{_SCHEME}{{name}}/{{+path}}",
            name="file",
            description="A file of a skill.",
        )
        return types.ListResourceTemplatesResult(resource_templates=[skill, file])

    async def read_resource(
        self,
        ctx: ServerRequestContext[Any, Any],
        params: types.ReadResourceRequestParams,
    ) -> types.ReadResourceResult:
        uri, caller = str(params.uri), self._caller(ctx)
        if not uri.startswith(_SCHEME):
            raise MCPError(types.INVALID_PARAMS, f"{uri!r} is no {_SCHEME} address")
        name, _, path = unquote(uri.removeprefix(_SCHEME)).partition("/")
        wanted = path or SKILL_FILE
        data = await self._try(partial(self._read, caller, name, wanted))
        return types.ReadResourceResult(contents=[_contents(uri, wanted, data)])

    def _read(self, caller: Caller, name: str, path: str) -> bytes:
        from skillforge.mcp_server import read_tools

        version = read_tools.version_of(self.door, caller, name)
        data = version.read(path)
        read_tools.saw(self.door, caller, version, path)
        return data

    async def _try(self, work: Callable[[], T]) -> T:
        """Work whose errors are the protocol's: resources have no other way to tell."""
        try:
            return await self._apart(work)
        except SkillforgeError as err:
            said = f"{err.message}; {err.hint}" if err.hint else err.message
            raise MCPError(types.INVALID_PARAMS, said) from err


def _names(door: LibraryContext, caller: Caller) -> "list[IndexedSkill]":
    from skillforge.mcp_server import read_tools

    return read_tools.names(door, caller)


def _contents(
    uri: str, path: str, data: bytes
) -> types.TextResourceContents | types.BlobResourceContents:
    from skillforge.mcp_server import read_tools

    text = read_tools.as_text(data)
    kind = _TEXT if path.endswith(".md") else mimetypes.guess_type(path)[0]
    if text is not None:
        kind = kind or "text/plain"
        return types.TextResourceContents(uri=uri, mime_type=kind, text=text)
    kind = kind or "application/octet-stream"
    blob = base64.b64encode(data).decode()
    return types.BlobResourceContents(uri=uri, mime_type=kind, blob=blob)


def server_of(door: LibraryContext) -> Server[Any]:
    """A server of the SDK for one library."""
    service = Service(door)
    return Server(
        "skillforge",
        version=__version__,
        title="Skillforge",
        instructions=_INSTRUCTIONS,
        on_list_tools=service.list_tools,
        on_call_tool=service.call_tool,
        on_list_resources=service.list_resources,
        on_list_resource_templates=service.list_templates,
        on_read_resource=service.read_resource,
    )


def serve_stdio(door: LibraryContext) -> None:
    """Serve one client on standard input and output, until it hangs up."""
    anyio.run(_serve_stdio, door)


async def _serve_stdio(door: LibraryContext) -> None:
    server = server_of(door)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
