"""An agent with the official client: in this process, or beside a real server."""

import json
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import Implementation

from skillforge.mcp_server.context import LibraryContext
from skillforge.mcp_server.server import server_of
from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import Loop

T = TypeVar("T")
POLICY = "checks: [validate]\n"
NAME = "csv-tables"


@dataclass(frozen=True)
class Agent:
    """A client that calls tools, and reads their answers as the JSON that they are."""

    client: Client

    async def __call__(self, tool: str, **given: Any) -> dict[str, Any]:
        result = await self.client.call_tool(tool, given)
        answer: dict[str, Any] = json.loads(result.content[0].text)  # type: ignore[union-attr]
        assert result.is_error is not answer["success"]
        return answer

    async def patch(self, old: str, new: str, **more: Any) -> dict[str, Any]:
        operation = {"action": "patch", "name": NAME, "old_string": old}
        return await self(
            "skill_manage", operations=[operation | {"new_string": new}], **more
        )


Work = Callable[[Agent], Awaitable[T]]


def talk(server: Any, work: Work[T], client: str = "test-agent") -> T:
    """Have an agent do something, from its first word to its last."""

    async def main() -> T:
        info = Implementation(name=client, version="1")
        async with Client(server, client_info=info) as opened:
            return await work(Agent(opened))

    return anyio.run(main)


def once(server: Any, tool: str, **given: Any) -> dict[str, Any]:
    return talk(server, lambda agent: agent(tool, **given))


def stdio(folder: LibraryFolder, *options: str, **env: str) -> StdioServerParameters:
    """A server of its own process, as an agent's configuration starts it."""
    line = ["-m", "skillforge", "mcp", "--library", str(folder.root), *options]
    return StdioServerParameters(
        command=sys.executable, args=line, env={**os.environ, **env}
    )


@pytest.fixture
def loop(library: LibraryFolder, run: Run) -> Loop:
    loop = Loop(library, run)
    loop.policy(POLICY)
    return loop


@pytest.fixture
def door(loop: Loop) -> LibraryContext:
    return LibraryContext(loop.folder.root)


@pytest.fixture
def server(door: LibraryContext) -> Any:
    return server_of(door)


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a checkout; what git keeps for itself is left out."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }
