"""What is fetched over HTTP: within limits of size, time and redirects."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from skillforge import __version__
from skillforge.errors import RefusedError, RequestError, ToolError
from skillforge.share.install_source import is_loopback, refuse_unsafe

if TYPE_CHECKING:
    import http.client

_REDIRECTS = 5
_AGAIN = (301, 302, 303, 307, 308)
_STEP = 1 << 16


class DownloadLimits(NamedTuple):
    """How long an answer may take, in seconds: to go on, and as a whole."""

    pause: float = 15
    whole: float = 120


class Download(NamedTuple):
    """An answer, and where it came from in the end."""

    url: str
    data: bytes


class PageNotFoundError(RequestError):
    """The server has no such page."""


def get(url: str, most: int, limits: DownloadLimits | None = None) -> Download:
    """The bytes at a URL, at most `most` of them."""
    times = limits or DownloadLimits()
    deadline = time.monotonic() + times.whole
    start = url
    for _ in range(_REDIRECTS + 1):
        _refuse_leading_away(start, url)
        answer, target = _ask(url, most, times, deadline)
        if not target:
            return Download(url, answer)
        url = _target(start, url, target)
    raise RefusedError(
        f"{start} redirects more than {_REDIRECTS} times", hint="nothing was installed"
    )


def _target(start: str, url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        raise RefusedError(
            f"{start} redirects to {location[:200]!r}, which is no URL",
            hint="nothing was installed",
        ) from None


def _refuse_leading_away(start: str, url: str) -> None:
    """A redirect must not end encryption, nor make us talk to this machine."""
    try:
        refuse_unsafe(url)
    except RequestError as err:
        if url == start:
            raise
        raise RefusedError(
            f"{start} redirects to another place: {err.message}",
            hint="nothing was installed",
        ) from err
    here, there = urlsplit(start).hostname or "", urlsplit(url).hostname or ""
    if there != here and _is_inside(there) and not _is_inside(here):
        raise RefusedError(
            f"{start} redirects to this machine or its network: {url[:200]}",
            hint="nothing was installed",
        )


def _is_inside(host: str) -> bool:
    """Whether a host is this machine or of a private network, by any of its names."""
    import ipaddress
    import socket

    try:
        found = socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        return is_loopback(host)  # a proxy may know it
    addresses = [ipaddress.ip_address(row[4][0]) for row in found]
    plain = [getattr(it, "ipv4_mapped", None) or it for it in addresses]
    return any(not it.is_global for it in plain)


def _ask(
    url: str, most: int, limits: DownloadLimits, deadline: float
) -> tuple[bytes, str]:
    """One answer, or where it is said to be."""
    import http.client

    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"User-Agent": f"skillforge/{__version__}", "Accept-Encoding": "identity"}
    try:
        connection = _connection(url, limits.pause)
    except http.client.InvalidURL as err:
        raise RefusedError(
            f"{url[:200]!r} is no URL", hint="nothing was installed"
        ) from err
    try:
        with _cut_off(connection, deadline):
            connection.request("GET", _quoted(path), headers=headers)
            response = connection.getresponse()
            if response.status in _AGAIN:
                return b"", response.headers.get("Location") or "/"
            _refuse_status(url, response.status)
            return _read(url, response, most, deadline), ""
    except (OSError, http.client.HTTPException, ValueError) as err:
        if time.monotonic() >= deadline:
            raise too_slow(url) from err
        why = getattr(err, "strerror", "") or str(err) or type(err).__name__
        raise ToolError(
            f"{url} cannot be fetched: {why}",
            hint="nothing was installed; run the command again when it can be reached",
        ) from err
    finally:
        connection.close()


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path, safe="%/:=&?~#+!$,;'@()*[]")


def _connection(url: str, pause: float) -> "http.client.HTTPConnection":
    """A connection to a server, through the proxy that the environment names."""
    import http.client
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "http":
        return http.client.HTTPConnection(host, parts.port or 80, timeout=pause)
    proxy = urlsplit(getproxies().get("https", ""))
    if proxy.hostname and not proxy_bypass(host):
        through = (proxy.hostname, proxy.port or 3128)
        connection = http.client.HTTPSConnection(*through, timeout=pause)
        connection.set_tunnel(host, parts.port or 443)
        return connection
    return http.client.HTTPSConnection(host, parts.port or 443, timeout=pause)


@contextmanager
def _cut_off(
    connection: "http.client.HTTPConnection", deadline: float
) -> Iterator[None]:
    """End a connection when time is up, also one that sends a byte now and then."""
    import socket

    done = threading.Event()

    def watch() -> None:
        while not done.wait(max(0.05, deadline - time.monotonic())):
            with suppress(OSError, AttributeError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _read(
    url: str, response: "http.client.HTTPResponse", most: int, deadline: float
) -> bytes:
    said = response.headers.get("Content-Length", "")
    if said.isdigit() and int(said) > most:
        raise _too_large(url, most)
    data = bytearray()
    while part := response.read1(_STEP):
        data += part
        if len(data) > most:
            raise _too_large(url, most)
        if time.monotonic() >= deadline:
            raise too_slow(url)
    if time.monotonic() >= deadline:
        raise too_slow(url)
    if said.isdigit() and len(data) != int(said):
        raise OSError("the answer is cut off")
    return bytes(data)


def _refuse_status(url: str, status: int) -> None:
    if status in (404, 410):
        raise PageNotFoundError(f"there is nothing at {url}", hint="check the address")
    if status != 200:
        raise ToolError(
            f"{url} answers with {status}",
            hint="nothing was installed; try again later",
        )


def _too_large(url: str, most: int) -> RefusedError:
    return RefusedError(
        f"{url} sends more than {most >> 20} MiB", hint="nothing was installed"
    )


def too_slow(url: str) -> ToolError:
    return ToolError(
        f"{url} takes too long to answer",
        hint="nothing was installed; run the command again later",
    )
