"""Streamable HTTP, for this machine only, and for whoever knows the token."""

import hmac
import os
import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillforge.errors import ConflictError, RequestError, ToolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from skillforge.mcp_server.context import LibraryContext

_HERE = "127.0.0.1"
_PATH = "/mcp"
_MOST_BYTES = 32 << 20  # of one request
_VARIABLE = "SKILLFORGE_MCP_TOKEN"
_SHORTEST = 16  # letters of a token that somebody made up


def token_of(git_dir: Path) -> tuple[str, str]:
    """The token, and where it is from: the environment, else a file of this clone.

    The file is made once, and readable by its owner only.
    """
    if said := os.environ.get(_VARIABLE):
        if len(said) < _SHORTEST or not said.isascii() or not said.isprintable():
            raise RequestError(
                f"${_VARIABLE} is no token: it takes {_SHORTEST} ASCII letters or more",
                hint="openssl rand -hex 32 makes one",
            )
        return said, f"${_VARIABLE}"
    path = git_dir / "skillforge" / "mcp-token"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _make(path)
        said = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as err:
        raise ToolError(
            f"the token in {path} cannot be used: {err}",
            hint=f"remove the file, or set ${_VARIABLE}",
        ) from err
    if len(said) < _SHORTEST:
        raise ToolError(f"{path} holds no token", hint=f"rm {path}")
    return said, str(path)


def _make(path: Path) -> None:
    """Write a new token, whole or not at all; one that is there stays."""
    if path.exists():
        return
    half = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_hex(32) + "\n")
    try:
        path.hardlink_to(half)
    except FileExistsError:
        pass  # somebody was quicker: theirs counts
    finally:
        half.unlink()


class Guarded:
    """An application that answers whoever brings the token."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(
        self,
        scope: "MutableMapping[str, Any]",
        receive: "Callable[[], Awaitable[Any]]",
        send: "Callable[[Any], Awaitable[None]]",
    ) -> None:
        if scope["type"] == "lifespan" or self._is_known(scope):
            await self._app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        start = {"type": "http.response.start", "status": 401, "headers": headers}
        await send(start)
        words = b"this server needs its token: Authorization: Bearer TOKEN\n"
        await send({"type": "http.response.body", "body": words})

    def _is_known(self, scope: "MutableMapping[str, Any]") -> bool:
        said = [it for name, it in scope["headers"] if name == b"authorization"]
        # In constant time: how far a guess was right must not be told by the clock.
        return len(said) == 1 and hmac.compare_digest(said[0], self._wanted)


def bound(port: int) -> socket.socket:
    """A socket of this machine's own; 0 is any port that is free."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_HERE, port))
        listener.listen()  # whoever comes from now on is heard
    except OSError as err:
        listener.close()
        raise ConflictError(
            f"port {port} of {_HERE} cannot be had: {err.strerror}",
            hint="--port 0 takes one that is free",
        ) from err
    return listener


def address(listener: socket.socket) -> str:
    return f"http://{_HERE}:{listener.getsockname()[1]}{_PATH}"


def application(door: "LibraryContext", token: str, port: int) -> Guarded:
    """The application: Host and Origin are those of this machine, or it is refused.

    A page in a browser that makes its own name lead here (DNS rebinding) has neither.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    from skillforge.mcp_server.server import server_of

    hosts = [f"{name}:{port}" for name in (_HERE, "localhost")]
    settings = TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )
    app = server_of(door).streamable_http_app(
        streamable_http_path=_PATH,
        max_request_body_size=_MOST_BYTES,
        transport_security=settings,
    )
    return Guarded(app, token)


def serve_http(door: "LibraryContext", listener: socket.socket, token: str) -> None:
    """Serve until somebody ends it."""
    import uvicorn

    app = application(door, token, listener.getsockname()[1])
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])
