"""The HTTP server: reads a request, finds who answers it, and sends the answer."""

import json
import socket
import time
import traceback
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.github.hub.api_pulls import graphql
from tests.github.hub.faults import Exchange, Fault, Faults
from tests.github.hub.pulls import follow_branches
from tests.github.hub.routes import Answer, Call, find
from tests.github.hub.smart import credentials, serve_git
from tests.github.hub.state import RefusedError, State, User

API = "/api/v3"
UPLOADS = "/api/uploads"
DOCS = "https://docs.github.com/rest"
HOUR = 3600


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: str
    headers: Message
    data: bytes

    @property
    def fields(self) -> dict[str, str]:
        return dict(parse_qsl(self.query, keep_blank_values=True))

    @property
    def is_upload(self) -> bool:
        return self.path.startswith(f"{UPLOADS}/")

    @property
    def is_git(self) -> bool:
        return ".git/" in self.path and not self.path.startswith("/api/")

    def json(self) -> Any:
        if not self.data or self.is_git or self.is_upload:
            return None
        try:
            return json.loads(self.data)
        except ValueError as err:
            raise RefusedError(400, "Problems parsing JSON") from err


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    data: bytes = b""
    shown: Any = None


class Server(ThreadingHTTPServer):
    """A hub's door. It never prints; what broke is kept for the end of the test."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hub: State
        self.faults = Faults()
        self.exchanges: list[Exchange] = []
        self.broken: list[str] = []

    def handle_error(self, *_: object) -> None:
        """A client that hung up is no news."""

    def answer(self, request: Request) -> Reply | None:
        """The reply, or nothing if the connection is to be dropped."""
        fault = self.faults.take(request.method, request.path)
        if fault:
            time.sleep(fault.delay)
        if fault and fault.prevents:
            reply = _made_up(fault)
        else:
            reply = self._act(request)
            if fault and fault.after and fault.status:
                reply = _made_up(fault)
        dropped = bool(fault and fault.drop)
        made_up = bool(fault and (fault.prevents or fault.status))
        self._record(request, reply, made_up, dropped)
        return None if dropped else reply

    def _act(self, request: Request) -> Reply:
        try:
            with self.hub.lock:
                return _reply(self.hub, request)
        except Exception:  # noqa: BLE001 whatever it is, the test shall fail with it
            self.broken.append(traceback.format_exc())
            return _json_reply(Answer(500, {"message": "Server Error"}))

    def _record(
        self, request: Request, reply: Reply, made_up: bool, dropped: bool
    ) -> None:
        try:
            body = request.json()
        except RefusedError:
            body = request.data.decode("utf-8", "replace")
        headers = {name.lower(): value for name, value in request.headers.items()}
        headers.pop("authorization", None)
        exchange = Exchange(
            request.method,
            request.path,
            request.fields,
            body,
            reply.status,
            reply.shown,
            headers,
            made_up,
            dropped,
        )
        self.exchanges.append(exchange)


def _reply(hub: State, request: Request) -> Reply:
    if request.is_git:
        done = serve_git(
            hub,
            request.method,
            request.path,
            request.query,
            request.headers,
            request.data,
        )
        return Reply(done.status, done.headers, done.data)
    try:
        return _json_reply(_api_answer(hub, request))
    except RefusedError as refused:
        return _json_reply(_refusal(refused))


def _api_answer(hub: State, request: Request) -> Answer:
    by = _authenticated(hub, request.headers.get("Authorization", ""))
    if (request.method, request.path) == ("POST", "/api/graphql"):
        follow_branches(hub)
        return graphql(hub, by, request.json() or {})
    if request.is_upload:
        path = request.path.removeprefix("/api")
        endpoint, args = find(request.method, path)
        return endpoint(Call(hub, by, path, args, request.fields, request.data))
    if not request.path.startswith(f"{API}/"):
        raise RefusedError(404, "Not Found")
    endpoint, args = find(request.method, request.path.removeprefix(API))
    follow_branches(hub)
    return endpoint(Call(hub, by, request.path, args, request.fields, request.json()))


def _authenticated(hub: State, header: str) -> User:
    if not header:
        raise RefusedError(401, "Requires authentication")
    kind, _, token = header.partition(" ")
    if kind.lower() in ("bearer", "token"):
        user = hub.by_token(token.strip())
    else:
        user, _ = credentials(hub, header)
    if user is None:
        raise RefusedError(401, "Bad credentials")
    return user


def _refusal(refused: RefusedError) -> Answer:
    body: dict[str, Any] = {"message": refused.message}
    if refused.errors is not None:
        body["errors"] = refused.errors
    body |= {"documentation_url": DOCS, "status": str(refused.status)}
    return Answer(refused.status, body)


def _made_up(fault: Fault) -> Reply:
    if fault.status is None:
        return Reply(0)
    body = {"message": "Server Error"} if fault.body is None else fault.body
    return _json_reply(Answer(fault.status, body, fault.headers))


def _json_reply(answer: Answer) -> Reply:
    usual = {
        "Content-Type": "application/json; charset=utf-8",
        "X-GitHub-Request-Id": "0000:000000:0000000:0000000:00000000",
        "X-RateLimit-Limit": "5000",
        "X-RateLimit-Remaining": "4999",
        "X-RateLimit-Used": "1",
        "X-RateLimit-Reset": str(int(time.time()) + HOUR),
        "X-RateLimit-Resource": "core",
    }
    given = {name.lower() for name in answer.headers}
    headers = {k: v for k, v in usual.items() if k.lower() not in given}
    data = b"" if answer.body is None else json.dumps(answer.body).encode()
    return Reply(answer.status, headers | answer.headers, data, answer.body)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "github.com", ""
    disable_nagle_algorithm = True
    # Head and body in one packet: else the client's delayed receipt costs 40 ms.
    wbufsize = -1

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        data = self._chunks() if self._is_chunked else self._sized()
        reply = self.server.answer(
            Request(self.command, parts.path, parts.query, self.headers, data)
        )
        if reply is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self._send(reply)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 names of the base

    @property
    def _is_chunked(self) -> bool:
        return self.headers.get("Transfer-Encoding", "").lower() == "chunked"

    def _sized(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _chunks(self) -> bytes:
        found = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            found.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(found)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.status not in (204, 304):
            self.send_header("Content-Length", str(len(reply.data)))
        self.end_headers()
        self.wfile.write(reply.data)

    def log_message(self, *_: object) -> None:
        """Tests say what they have to say themselves."""
