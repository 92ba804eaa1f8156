"""Download over HTTP within limits of size, time and redirects."""

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
_REDIRECT_STATUS = (301, 302, 303, 307, 308)
_STEP = 1 << 16


class DownloadLimits(NamedTuple):
    """Seconds that a download may pause, and that it may take as a whole."""

    pause: float = 15
    whole: float = 120


class Download(NamedTuple):
    """Downloaded bytes, and their URL after redirects."""

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
        _refuse_unsafe_redirect(start, url)
        data, location = _request(url, most, times, deadline)
        if not location:
            return Download(url, data)
        url = _target(start, url, location)
    raise RefusedError(
        f"{start} redirects more than {_REDIRECTS} times", hint="nothing was installed"
    )


def _target(start: str, url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        raise RefusedError(
            f"{start} redirects to {location[:200]!r}, which is not a URL",
            hint="nothing was installed",
        ) from None


def _refuse_unsafe_redirect(start: str, url: str) -> None:
    """A redirect must not leave HTTPS, nor lead to this machine or its network."""
    try:
        refuse_unsafe(url)
    except RequestError as err:
        if url == start:
            raise
        raise RefusedError(
            f"{start} redirects to an unsafe URL: {err.message}",
            hint="nothing was installed",
        ) from err
    here, there = urlsplit(start).hostname or "", urlsplit(url).hostname or ""
    if there != here and _is_inside(there) and not _is_inside(here):
        raise RefusedError(
            f"{start} redirects to this machine or its network: {url[:200]}",
            hint="nothing was installed",
        )


def _is_inside(host: str) -> bool:
    """Whether any address of a host is this machine or in a private network."""
    import ipaddress
    import socket

    try:
        rows = socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        return is_loopback(host)  # a proxy may know the host
    addresses = [ipaddress.ip_address(row[4][0]) for row in rows]
    return any(not (getattr(a, "ipv4_mapped", None) or a).is_global for a in addresses)


def _request(
    url: str, most: int, limits: DownloadLimits, deadline: float
) -> tuple[bytes, str]:
    """The body of a response, or the location that it redirects to."""
    import http.client

    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"User-Agent": f"skillforge/{__version__}", "Accept-Encoding": "identity"}
    try:
        connection = _connection(url, limits.pause)
    except http.client.InvalidURL as err:
        raise RefusedError(
            f"{url[:200]!r} is not a URL", hint="nothing was installed"
        ) from err
    try:
        with _cut_off(connection, deadline):
            connection.request("GET", _quoted(path), headers=headers)
            response = connection.getresponse()
            if response.status in _REDIRECT_STATUS:
                return b"", response.headers.get("Location") or "/"
            _refuse_status(url, response.status)
            return _read(url, response, most, deadline), ""
    except (OSError, http.client.HTTPException, ValueError) as err:
        if time.monotonic() >= deadline:
            raise too_slow(url) from err
        reason = getattr(err, "strerror", "") or str(err) or type(err).__name__
        raise ToolError(
            f"{url} cannot be fetched: {reason}",
            hint="nothing was installed; check the network and try again",
        ) from err
    finally:
        connection.close()


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path, safe="%/:=&?~#+!$,;'@()*[]")


def _connection(url: str, pause: float) -> "http.client.HTTPConnection":
    """A connection to a server, through the proxy of the environment, if any."""
    import http.client
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "http":
        return http.client.HTTPConnection(host, parts.port or 80, timeout=pause)
    proxy = urlsplit(getproxies().get("https", ""))
    if proxy.hostname and not proxy_bypass(host):
        address = (proxy.hostname, proxy.port or 3128)
        connection = http.client.HTTPSConnection(*address, timeout=pause)
        connection.set_tunnel(host, parts.port or 443)
        return connection
    return http.client.HTTPSConnection(host, parts.port or 443, timeout=pause)


@contextmanager
def _cut_off(
    connection: "http.client.HTTPConnection", deadline: float
) -> Iterator[None]:
    """Close a connection at the deadline, even while it sends data slowly."""
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
    length = response.headers.get("Content-Length", "")
    if length.isdigit() and int(length) > most:
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
    if length.isdigit() and len(data) != int(length):
        raise OSError("the response is truncated")
    return bytes(data)


def _refuse_status(url: str, status: int) -> None:
    if status in (404, 410):
        raise PageNotFoundError(f"{url} does not exist", hint="check the URL")
    if status != 200:
        raise ToolError(
            f"{url} returned status {status}",
            hint="nothing was installed; try again later",
        )


def _too_large(url: str, most: int) -> RefusedError:
    return RefusedError(
        f"{url} is larger than {most >> 20} MiB", hint="nothing was installed"
    )


def too_slow(url: str) -> ToolError:
    return ToolError(
        f"{url} takes too long to respond",
        hint="nothing was installed; try again later",
    )
