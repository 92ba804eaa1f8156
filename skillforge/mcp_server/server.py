"""Our tools and resources as a server of the official SDK.

Calls run in threads. A call that has started is completed, even if its client is gone:
a write happens as a whole or not at all.
"""

import base64
import io
import mimetypes
import os
import re
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
from skillforge.mcp_server.responses import respond
from skillforge.mcp_server.tools import TOOLS
from skillforge.model import SKILL_FILE

if TYPE_CHECKING:
    from skillforge.store.index import IndexedSkill

T = TypeVar("T")
_SCHEME = "skill://"
# In JSON: an escaped backslash, a pair of surrogates, or a lone one.
_SURROGATE = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_AT_ONCE = 8  # calls that run; others wait
_NAME = 100  # characters of a wrong name that are repeated
_PAGE = 1000  # skills in a list of resources
_TEXT = "text/markdown"
_INSTRUCTIONS = """\
Skills of this library are reviewed instructions. Before a task, find one \
(skills_list, skill_search) and load it (skill_view). After the task, report the \
outcome (skill_record). To keep something you learned, propose it (skill_manage): \
change the skill that you loaded rather than add a new one. Nothing changes until a \
reviewer approves it."""


class Service:
    """The handlers that the SDK calls."""

    def __init__(self, context: LibraryContext) -> None:
        self.context = context
        self._limit: anyio.CapacityLimiter | None = None

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """Run blocking work in a thread; a few at once."""
        if self._limit is None:
            self._limit = anyio.CapacityLimiter(_AT_ONCE)
        return await anyio.to_thread.run_sync(work, limiter=self._limit)

    def _caller(self, ctx: ServerRequestContext[Any, Any], session: str = "") -> Caller:
        """The caller; `session` is an argument, for HTTP clients without a session."""
        params = ctx.session.client_params
        client = params.client_info.name if params else ""
        if ctx.request is None:
            session = ""
        else:
            session = ctx.request.headers.get("mcp-session-id", "") or session
        return self.context.caller(client, session)

    async def list_tools(
        self,
        ctx: ServerRequestContext[Any, Any],  # noqa: ARG002 - the same for all callers
        params: types.PaginatedRequestParams | None,  # noqa: ARG002 - one page
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=name,
                    description=tool.about,
                    input_schema=tool.schema,
                    annotations=types.ToolAnnotations(
                        read_only_hint=tool.is_read_only,
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

            similar = nearest(params.name, list(TOOLS)) or ", ".join(TOOLS)
            raise MCPError(
                types.INVALID_PARAMS,
                f"unknown tool {params.name[:_NAME]!r}; did you mean {similar}?",
            )
        arguments = params.arguments or {}
        session = arguments.get("session")
        caller = self._caller(ctx, session if isinstance(session, str) else "")
        response = await self._in_thread(
            partial(respond, self.context, params.name, caller, arguments)
        )
        content = types.TextContent(type="text", text=response.text)
        return types.CallToolResult(content=[content], is_error=response.is_error)

    async def list_resources(
        self,
        ctx: ServerRequestContext[Any, Any],
        params: types.PaginatedRequestParams | None,
    ) -> types.ListResourcesResult:
        caller, after = self._caller(ctx), (params and params.cursor) or ""
        skills = await self._try(partial(_skills, self.context, caller))
        left = [skill for skill in skills if skill.name > after]
        page = left[:_PAGE]
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
            raise MCPError(types.INVALID_PARAMS, f"{uri!r} is not a {_SCHEME} address")
        name, _, path = unquote(uri.removeprefix(_SCHEME)).partition("/")
        path = path or SKILL_FILE
        data = await self._try(partial(self._read, caller, name, path))
        return types.ReadResourceResult(contents=[_contents(uri, path, data)])

    def _read(self, caller: Caller, name: str, path: str) -> bytes:
        from skillforge.mcp_server import read_tools
        from skillforge.workflows import assigned_skills

        library = self.context.library()
        version = assigned_skills.version_for(library, name, caller.key)
        return read_tools.read(self.context, caller, version, path)

    async def _try(self, work: Callable[[], T]) -> T:
        """Run work for a resource; its errors become errors of the protocol."""
        try:
            return await self._in_thread(work)
        except SkillforgeError as err:
            message = f"{err.message}; {err.hint}" if err.hint else err.message
            raise MCPError(types.INVALID_PARAMS, message) from err


def _skills(context: LibraryContext, caller: Caller) -> "list[IndexedSkill]":
    from skillforge.mcp_server import read_tools

    return read_tools.skills_by_name(context, caller)


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


def server_of(context: LibraryContext) -> Server[Any]:
    """The server of a library."""
    service = Service(context)
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


def serve_stdio(context: LibraryContext) -> None:
    """Serve one client on standard input and output, until it disconnects."""
    anyio.run(_serve_stdio, context)


async def _serve_stdio(context: LibraryContext) -> None:
    server = server_of(context)
    async with stdio_server(stdin=anyio.wrap_file(_claimed_input())) as (read, write):
        await server.run(read, write, server.create_initialization_options())


class _Input(io.TextIOWrapper):
    """Lines without lone surrogates: the SDK drops such a call without a reply."""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        line = super().readline(size)
        return _SURROGATE.sub(_paired, line) if "\\u" in line else line


def _paired(match: re.Match[str]) -> str:
    return "\\ufffd" if match["lone"] else match[0]


def _claimed_input() -> _Input:
    """Standard input for us alone: what runs in a call reads an empty one."""
    own, empty = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return _Input(os.fdopen(own, "rb"), encoding="utf-8", errors="replace")
