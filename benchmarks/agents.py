"""Agents: how long they wait for a server's first answer, and for a list of skills."""

import json
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.measure import Row, Work, milliseconds, ratio, seconds
from skillforge.mcp_server import read_tools
from skillforge.mcp_server.context import LibraryContext
from skillforge.share.catalog import tokens
from skillforge.text import CATALOG_TOKENS

_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "0"},
    },
}
_READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "skills_list", "arguments": {}},
}


class Server:
    """A server as an agent starts it, and the lines that go to and fro."""

    def __init__(self, root: Path) -> None:
        line = [sys.executable, "-m", "skillforge", "mcp", "--library", str(root)]
        self.process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def send(self, message: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, message: object) -> bytes:
        assert self.process.stdout
        self.send(message)
        return self.process.stdout.readline()

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def first_answer(root: Path) -> float:
    start = time.perf_counter()
    server = Server(root)
    server.ask(_HELLO)
    waited = time.perf_counter() - start
    server.end()
    return waited


def listings(root: Path, times: int = 9) -> tuple[float, float]:
    """A list of all skills over the wire: the first of a server, and the best after."""
    server = Server(root)
    server.ask(_HELLO)
    server.send(_READY)
    waits = []
    for _ in range(times):
        start = time.perf_counter()
        server.ask(_LIST)
        waits.append(time.perf_counter() - start)
    server.end()
    return waits[0], min(waits[1:])


def sdk() -> object:
    """The least that any server of the SDK does before it answers."""
    line = [sys.executable, "-c", "import mcp.server.lowlevel, mcp.server.stdio"]
    return subprocess.run(line, check=True)


def _page(door: LibraryContext) -> Row:
    """What an agent has to read of the first page."""
    page = read_tools.skills_list(door, door.caller("bench", ""), {})
    taken = tokens(page)
    what = "skills_list of 10,000, tokens of a page"
    return Row(what, f"{taken:,}", "at most 3,000", taken <= CATALOG_TOKENS)


def rows(work: Work) -> list[Row]:
    root = work.large
    door = LibraryContext(root)
    read_tools.skills_list(door, door.caller("bench", ""), {})  # makes the index
    floor, first = seconds(sdk, lambda: first_answer(root), times=9)
    cold, warm = listings(root)
    return [
        milliseconds("mcp, from start to the first answer", first, 700),
        ratio("the same, against the import of the SDK", first / floor, 1.3),
        milliseconds("skills_list of 10,000, warm", warm, 150),
        _page(door),
        Row("skills_list, a server's first", f"{cold * 1000:.0f} ms", "-", None),
    ]
