"""Streamable HTTP, for clients on this machine that have the token."""

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
_SHORTEST = 16  # characters of a token


def token_of(git_dir: Path) -> tuple[str, str]:
    """The token and its source: the environment, else a file of this clone.

    The file is created once, readable by its owner only.
    """
    if token := os.environ.get(_VARIABLE):
        if len(token) < _SHORTEST or not token.isascii() or not token.isprintable():
            raise RequestError(
                f"${_VARIABLE} is not a token: it needs {_SHORTEST} or more ASCII "
                "characters",
                hint="openssl rand -hex 32 creates one",
            )
        return token, f"${_VARIABLE}"
    path = git_dir / "skillforge" / "mcp-token"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _create(path)
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as err:
        raise ToolError(
            f"the token in {path} cannot be used: {err}",
            hint=f"remove the file, or set ${_VARIABLE}",
        ) from err
    if len(token) < _SHORTEST:
        raise ToolError(f"{path} has no token", hint=f"rm {path}")
    return token, str(path)


def _create(path: Path) -> None:
    """Write a new token, whole or not at all, unless there is one."""
    if path.exists():
        return
    half = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_hex(32) + "\n")
    try:
        path.hardlink_to(half)
    except FileExistsError:
        pass  # another process was first
    finally:
        half.unlink()


class Guarded:
    """An application that requires the token."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._authorization = f"Bearer {token}".encode()

    async def __call__(
        self,
        scope: "MutableMapping[str, Any]",
        receive: "Callable[[], Awaitable[Any]]",
        send: "Callable[[Any], Awaitable[None]]",
    ) -> None:
        if scope["type"] == "lifespan" or self._is_authorized(scope):
            await self._app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        start = {"type": "http.response.start", "status": 401, "headers": headers}
        await send(start)
        body = b"this server requires its token: Authorization: Bearer TOKEN\n"
        await send({"type": "http.response.body", "body": body})

    def _is_authorized(self, scope: "MutableMapping[str, Any]") -> bool:
        headers = [v for name, v in scope["headers"] if name == b"authorization"]
        # In constant time: the duration must not show how much of a guess is right.
        return len(headers) == 1 and hmac.compare_digest(
            headers[0], self._authorization
        )


def listen(port: int) -> socket.socket:
    """A socket for connections from this machine; port 0 is any free one."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_HERE, port))
        listener.listen()  # clients can connect from now on
    except OSError as err:
        listener.close()
        raise ConflictError(
            f"port {port} of {_HERE} is not available: {err.strerror}",
            hint="--port 0 uses any free port",
        ) from err
    return listener


def address(listener: socket.socket) -> str:
    return f"http://{_HERE}:{listener.getsockname()[1]}{_PATH}"


def application(context: "LibraryContext", token: str, port: int) -> Guarded:
    """The application. It refuses requests whose Host or Origin isn't this machine.

    That stops web pages whose host name resolves to this machine (DNS rebinding).
    """
    from mcp.server.transport_security import TransportSecuritySettings

    from skillforge.mcp_server.server import server_of

    hosts = [f"{name}:{port}" for name in (_HERE, "localhost")]
    settings = TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )
    app = server_of(context).streamable_http_app(
        streamable_http_path=_PATH,
        max_request_body_size=_MOST_BYTES,
        transport_security=settings,
    )
    return Guarded(app, token)


def serve_http(context: "LibraryContext", listener: socket.socket, token: str) -> None:
    """Serve until the process is stopped."""
    import uvicorn

    app = application(context, token, listener.getsockname()[1])
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])
