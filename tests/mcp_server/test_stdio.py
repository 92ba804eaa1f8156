"""The server as agents start it: a process of its own, and the official client."""

import json
import os
import subprocess
import sys
import time
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from skillforge.mcp_server.context import LibraryContext
from skillforge.mcp_server.server import server_of
from tests.mcp_server.conftest import NAME, Agent, once, stdio, talk
from tests.propose.conftest import Loop, page

MEGABYTE = 1 << 20

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "dying", "version": "0"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LINE = [sys.executable, "-m", "skillforge", "mcp"]


def test_an_agent_reads_and_proposes(loop: Loop) -> None:
    async def work(agent: Agent) -> dict[str, Any]:
        tools = (await agent.client.list_tools()).tools
        assert {tool.name for tool in tools} == {
            "skills_list", "skill_view", "skill_search", "skill_manage",
            "skill_record", "skill_capture", "proposal_status",
        }  # fmt: skip
        assert (await agent("skills_list"))["count"] == 2
        assert (await agent("skill_view", name=NAME))["content"] == loop.text(NAME)
        batch = await agent.patch("Do this", "Do that")
        text = page("flat-tables", "", "flat")
        flat = await agent(
            "skill_manage", action="create", name="flat-tables", content=text
        )
        assert (batch["proposal"], flat["proposal"]) == (1, 2)
        return await agent("skill_record", name=NAME, outcome="success")

    done = talk(stdio(loop.folder), work)

    assert done["version"] == loop.tree(NAME)


def test_mistakes_get_answers_and_the_server_keeps_running(loop: Loop) -> None:
    async def work(agent: Agent) -> None:
        with pytest.raises(MCPError, match="skill_view"):
            await agent.client.call_tool("skill_vew", {})
        for tool, given, says in (
            ("skill_view", {}, "`name` is missing"),
            ("skill_view", {"name": 7}, "must be a string"),
            ("skill_view", {"nane": "x"}, "did you mean name"),
            ("skill_search", {"query": "x", "limit": "many"}, "must be an integer"),
            ("skill_search", {"query": "x", "limit": 0}, "from 1 to 100"),
            ("skill_search", {"query": "x", "limit": True}, "must be an integer"),
            ("skill_record", {"name": NAME, "outcome": "great"}, "one of success"),
            ("proposal_status", {"proposal": "1"}, "must be an integer"),
        ):
            answer = await agent(tool, **given)
            assert says in answer["error"] + answer["hint"], answer
        huge = "x" * (5 * MEGABYTE)
        create = {"action": "create", "name": "huge", "content": huge}
        assert not (await agent("skill_manage", operations=[create]))["success"]
        assert not (await agent.patch(huge, "small"))["success"]
        assert (await agent("skill_search", query=huge))["success"]
        assert (await agent("skills_list"))["count"] == 2

    talk(stdio(loop.folder), work)

    assert loop.ok("proposals")["proposals"] == []


@pytest.mark.slow
def test_thirty_two_calls_at_once_are_all_answered(loop: Loop) -> None:
    async def work(agent: Agent) -> list[dict[str, Any]]:
        answers: list[dict[str, Any]] = []

        async def call(number: int) -> None:
            if number % 4 == 0:
                name = f"made-{number}"
                text = page(name, "", *(f"{name}-{word}" for word in range(9)))
                given = {"action": "create", "name": name, "content": text}
                answers.append(await agent("skill_manage", **given))
            elif number % 2:
                answers.append(await agent("skill_view", name=NAME))
            else:
                answers.append(await agent("skills_list"))

        async with anyio.create_task_group() as group:
            for number in range(32):
                group.start_soon(call, number)
        return answers

    answers = talk(stdio(loop.folder), work)

    assert len(answers) == 32
    assert all(answer["success"] for answer in answers)
    numbers = [answer["proposal"] for answer in answers if "proposal" in answer]
    assert sorted(numbers) == list(range(1, 9))
    loop.fsck()


def test_a_client_that_dies_in_the_middle_leaves_nothing_half(loop: Loop) -> None:
    main = loop.main()
    text = page("half-tables", "", "half")
    operation = {"action": "create", "name": "half-tables", "content": text}
    asked = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "skill_manage", "arguments": {"operations": [operation]}},
    }
    server = subprocess.Popen(
        [*LINE, "--library", str(loop.folder.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ,
    )
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps(HELLO).encode() + b"\n")
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["result"]["serverInfo"]
    for message in (READY, asked):
        server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    time.sleep(0.02)
    server.stdout.close()
    server.stdin.close()

    assert server.wait(60) is not None

    loop.fsck()
    assert loop.main() == main
    found = loop.ok("proposals")["proposals"]
    branches = loop.folder.git("branch", "--list", "skill/*").split()
    assert len(found) == len(branches) <= 1
    again = once(
        server_of(LibraryContext(loop.folder.root)), "skill_manage", **operation
    )
    assert again["proposal"] == 1


@pytest.mark.parametrize(
    ("name", "most"),
    [
        pytest.param('"a\\ud800b"', 2000, id="lone-surrogate"),
        pytest.param(json.dumps("x" * 300_000), 5000, id="huge"),
        pytest.param('"\\ud83d\\ude00 \\\\ud800"', 2000, id="pair-and-backslash"),
    ],
)
def test_an_odd_argument_gets_a_short_reply(loop: Loop, name: str, most: int) -> None:
    server = subprocess.Popen(
        [*LINE, "--library", str(loop.folder.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdin
    assert server.stdout
    call = (
        '{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": '
        f'{{"name": "skill_view", "arguments": {{"name": {name}}}}}}}'
    )
    for line in (json.dumps(HELLO), json.dumps(READY), call):
        server.stdin.write(line.encode() + b"\n")
    server.stdin.flush()
    server.stdout.readline()
    answer = server.stdout.readline()
    server.stdin.close()
    server.wait(60)
    server.stdout.close()

    assert json.loads(answer)["id"] == 2
    assert json.loads(answer)["result"]["isError"]
    assert len(answer) < most
