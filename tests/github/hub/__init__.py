"""A GitHub on the loopback interface, with real git behind it, for tests.

    with serve(tmp_path) as hub:
        ada = hub.user("ada", mail="ada@example.invalid")
        repo = hub.repo("acme/skills", admins=["ada"], writers=["rita"])

It keeps state as GitHub does: a pull request follows its branch, a merge makes a real
commit, a ruleset refuses. `tests/github/contract.py` holds its answers against
GitHub's own description of them.
"""

import json
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.github.hub import api_issues, api_releases
from tests.github.hub.faults import Exchange, Fault
from tests.github.hub.server import Server
from tests.github.hub.state import Pull, RefusedError, Repo, State, User

__all__ = ["Exchange", "Hub", "Pull", "RefusedError", "Repo", "User", "serve"]

# Named here for its endpoints, which the import has added; and read now, because
# tests run without the variables of whoever started them.
ENDPOINTS = (api_issues, api_releases)
EXCHANGES_FILE = os.environ.get("SKILLFORGE_EXCHANGES")


class Hub(State):
    """GitHub, as far as tests need it."""

    def __init__(self, root: Path, server: Server) -> None:
        super().__init__(root, f"http://127.0.0.1:{server.server_address[1]}")
        self._server = server

    @property
    def exchanges(self) -> list[Exchange]:
        """All requests so far, in the order in which they were answered."""
        return self._server.exchanges

    def fail(
        self,
        method: str,
        pattern: str,
        *,
        status: int | None = None,
        headers: dict[str, str] | None = None,
        body: Any = None,
        drop: bool = False,
        after: bool = False,
        delay: float = 0,
        times: int | None = 1,
    ) -> None:
        """Let the next `times` requests fail whose path has a match; None is for ever.

        A fault comes instead of the deed or, with `after`, once it is done: then only
        the answer is replaced by `status`, or lost by `drop`. A `delay` in seconds
        comes first, and alone it changes nothing else.
        """
        assert method in ("GET", "POST", "PUT", "PATCH", "DELETE"), method
        self._server.faults.add(
            Fault(
                method,
                re.compile(pattern),
                status,
                headers or {},
                body,
                drop,
                after,
                delay,
                times,
            )
        )

    def heal(self) -> None:
        """Forget every fault on order."""
        self._server.faults.clear()


@contextmanager
def serve(folder: Path) -> Iterator[Hub]:
    """A hub for as long as the block lasts, with its repositories below `folder`."""
    server = Server()
    root = Path(tempfile.mkdtemp(prefix="hub-", dir=folder))
    server.hub = hub = Hub(root, server)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        _write_exchanges(server.exchanges)
    assert not server.broken, "the hub itself broke:\n" + "\n".join(server.broken)


def _write_exchanges(exchanges: list[Exchange]) -> None:
    if EXCHANGES_FILE is None:
        return
    api_calls = (entry for entry in exchanges if entry.path.startswith("/api/"))
    lines = "".join(f"{json.dumps(asdict(entry))}\n" for entry in api_calls)
    # One unbuffered write, so that tests in several processes do not mix their lines.
    with Path(EXCHANGES_FILE).open("ab", buffering=0) as file:
        file.write(lines.encode())
