"""Servers that send too much, too slowly, or elsewhere."""

import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from skillforge.errors import RefusedError, RequestError, ToolError
from skillforge.share import download
from skillforge.share.download import DownloadLimits, get
from tests.share.hubs import answering, serving

QUICK = DownloadLimits(pause=0.4, whole=0.8)


def redirecting(to: str) -> object:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", to)
        request.end_headers()

    return answer


def test_bytes_come_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "x y.bin").write_bytes(b"\0\1\2")

    with serving(tmp_path) as url:
        assert get(f"{url}/x y.bin", 10).data == b"\0\1\2"


def test_a_missing_page_has_its_own_error(tmp_path: Path) -> None:
    with serving(tmp_path) as url, pytest.raises(download.PageNotFoundError):
        get(f"{url}/nothing", 10)


@pytest.mark.parametrize(
    "target",
    ["http://example.invalid/x", "file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x"],
)
def test_an_unsafe_redirect_is_refused(target: str) -> None:
    with (
        answering(redirecting(target)) as url,  # type: ignore[arg-type]
        pytest.raises(RefusedError, match="redirects"),
    ):
        get(url, 10)


def test_redirects_end() -> None:
    asked = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        request.send_response(301)
        request.send_header("Location", f"/{len(asked)}")
        request.end_headers()

    with answering(answer) as url, pytest.raises(RefusedError, match="more than 5"):
        get(url, 10)
    assert len(asked) == 6


def test_a_server_elsewhere_cannot_send_us_to_this_machine() -> None:
    with pytest.raises(RefusedError, match="this machine"):
        download._refuse_unsafe_redirect("https://example.org/", "http://127.0.0.1:1/")


def test_plain_http_from_elsewhere_is_not_asked() -> None:
    with pytest.raises(RequestError, match="only https"):
        get("http://example.invalid/", 10)


def test_too_many_bytes_are_not_read() -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(1 << 40))
        request.end_headers()

    with answering(answer) as url, pytest.raises(RefusedError, match="MiB"):
        get(url, 1 << 20)


def test_a_stream_without_an_end_is_cut() -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while True:
            request.wfile.write(bytes(1 << 16))

    with answering(answer) as url, pytest.raises(RefusedError, match="MiB"):
        get(url, 1 << 20)


def test_a_silent_server_times_out() -> None:
    with (
        answering(lambda _: time.sleep(3)) as url,
        pytest.raises(ToolError, match=r"cannot be fetched|too long"),
    ):
        get(url, 10, QUICK)


@pytest.mark.parametrize("part", ["head", "body"])
def test_a_byte_now_and_then_does_not_keep_us(part: str) -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        if part == "body":
            request.send_response(200)
            request.end_headers()
        else:
            request.wfile.write(b"HTTP/1.0 200 OK\r\nX: ")
        while True:
            request.wfile.write(b"x")
            request.wfile.flush()
            time.sleep(0.1)

    start = time.monotonic()
    with answering(answer) as url, pytest.raises(ToolError):
        get(url, 1000, QUICK)
    assert time.monotonic() - start < 3


@pytest.mark.parametrize(
    "answer_bytes",
    [b"nonsense\r\n\r\n", b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"],
    ids=["nonsense", "nothing", "cut"],
)
def test_an_invalid_response_is_an_error(answer_bytes: bytes) -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(answer_bytes)

    with answering(answer) as url, pytest.raises(ToolError):
        get(url, 100, QUICK)


def test_a_server_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ToolError, match="cannot be fetched"):
        get("http://127.0.0.1:9/", 10, QUICK)


def test_an_error_of_the_server_is_an_error() -> None:
    with (
        answering(lambda request: request.send_error(500)) as url,
        pytest.raises(ToolError, match="500"),
    ):
        get(url, 10)


@pytest.mark.parametrize(
    "target",
    [
        "https://127.0.0.2/",
        "https://[::ffff:127.0.0.1]/",
        "https://0.0.0.0/",
        "https://2130706433/",
        "https://localhost/",
        "https://10.1.2.3/",
        "https://169.254.1.2/",
        "https://[fe80::1]/",
    ],
)
def test_a_server_elsewhere_cannot_send_us_into_our_network(target: str) -> None:
    """Nothing is asked: the address alone decides."""
    with pytest.raises(RefusedError, match="this machine or its network"):
        download._refuse_unsafe_redirect("https://192.0.0.9/", target)


@pytest.mark.parametrize("target", ["https://[::1", "https://a b/", "http://[x]/"])
def test_a_redirect_to_an_invalid_url_is_refused(target: str) -> None:
    with (
        answering(redirecting(target)) as url,  # type: ignore[arg-type]
        pytest.raises(RefusedError, match="not a URL"),
    ):
        get(url, 10)
