"""HTTP for this machine only: no token, or a page in a browser, gets nowhere."""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from skillforge.errors import ConflictError, RequestError, ToolError
from skillforge.gitrepo import GitRepo
from skillforge.mcp_server import http_transport
from tests.conftest import LibraryFolder
from tests.mcp_server.conftest import NAME, Agent, talk

TOKEN = "t" * 40


class Served(NamedTuple):
    port: int
    folder: LibraryFolder

    def ask(self, method: str = "POST", **headers: str) -> http.client.HTTPResponse:
        """One request as bytes on the wire; headers are exactly what is given."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        link.putrequest(method, "/mcp", skip_host="Host" in given)
        base = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Content-Length": str(len(body)),
        }
        for name, value in {**base, **given}.items():
            link.putheader(name, value)
        link.endheaders(body)
        return link.getresponse()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("served") / "library"
    root.mkdir()
    GitRepo.init(root)
    folder = LibraryFolder(root)
    folder.add_skill(NAME)
    who = {
        f"GIT_{role}_{part}": "x@y.z"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    env = {**os.environ, **who, "SKILLFORGE_MCP_TOKEN": TOKEN}
    env["SKILLFORGE_CACHE"] = str(root.parent / "cache")
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    subprocess.run(["git", "commit", "-qm", "Start"], cwd=root, check=True, env=env)
    line = [sys.executable, "-m", "skillforge", "mcp", "--http", "--port", "0"]
    server = subprocess.Popen(
        [*line, "--library", str(root)], stderr=subprocess.PIPE, env=env
    )
    assert server.stderr
    address = server.stderr.readline().decode()
    try:
        yield Served(int(address.split("127.0.0.1:")[1].split("/")[0]), folder)
    finally:
        server.terminate()
        server.wait(30)


def test_the_official_client_reads_and_proposes_over_http(served: Served) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    client = httpx2.AsyncClient(headers=headers, timeout=60)
    transport = streamable_http_client(
        f"http://127.0.0.1:{served.port}/mcp", http_client=client
    )

    async def work(agent: Agent) -> dict[str, Any]:
        assert (await agent("skills_list"))["count"] == 1
        await agent("skill_view", name=NAME, session="one")
        assert not (await agent("skill_search", query="x" * (5 << 20)))["results"]
        blind = await agent.patch("Do", "Do", origin="agent-background", session="two")
        assert blind["_read_before_write_required"]
        return await agent.patch(
            "Do this", "Do that", origin="agent-background", session="one"
        )

    answer = talk(transport, work)

    assert answer["staged"], answer


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="none"),
        pytest.param({"Authorization": "Bearer "}, id="empty"),
        pytest.param({"Authorization": f"Bearer {TOKEN}x"}, id="longer"),
        pytest.param({"Authorization": f"Bearer {TOKEN[:-1]}"}, id="shorter"),
        pytest.param({"Authorization": TOKEN}, id="bare"),
        pytest.param({"Authorization": f"Basic {TOKEN}"}, id="basic"),
        pytest.param({"Authorization": "Bearer \xff"}, id="latin"),
    ],
)
def test_requests_without_the_token_are_refused(
    served: Served, headers: dict[str, str]
) -> None:
    for method in ("POST", "GET", "DELETE", "OPTIONS"):
        answer = served.ask(method, **headers)

        assert answer.status == 401
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Host": "evil.example"}, id="host"),
        pytest.param({"Host": "127.0.0.1.evil.example:80"}, id="like-host"),
        pytest.param({"Origin": "http://evil.example"}, id="origin"),
        pytest.param({"Origin": "null"}, id="null-origin"),
        pytest.param({"Origin": "http://127.0.0.1:1"}, id="other-port"),
    ],
)
def test_a_rebound_host_name_is_refused(
    served: Served, headers: dict[str, str]
) -> None:
    answer = served.ask(Authorization=f"Bearer {TOKEN}", **headers)

    assert answer.status in (403, 421)


def test_it_listens_on_this_machine_only() -> None:
    with http_transport.listen(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
        with pytest.raises(ConflictError, match="is not available"):
            http_transport.listen(listener.getsockname()[1])


def test_a_token_is_made_once_and_is_its_owners(tmp_path: Path) -> None:
    first, place = http_transport.token_of(tmp_path)
    again, _ = http_transport.token_of(tmp_path)

    assert first == again
    assert len(first) == 64
    assert Path(place).stat().st_mode & 0o777 == 0o600


def test_a_token_that_is_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "skillforge").mkdir()
    (tmp_path / "skillforge/mcp-token").write_text("\n")
    with pytest.raises(ToolError, match="has no token"):
        http_transport.token_of(tmp_path)
    monkeypatch.setenv("SKILLFORGE_MCP_TOKEN", "short")
    with pytest.raises(RequestError, match="is not a token"):
        http_transport.token_of(tmp_path)
