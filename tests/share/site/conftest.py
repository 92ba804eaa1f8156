"""Pages of hubs, served on loopback and shown by a real Chromium."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from skillforge.share.hub import Hub
from skillforge.share.site import pages
from tests.browser import Launch, launch, sync_api
from tests.share.site import hubs

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["launch"]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """A test that passes prints nothing."""


def write(files: Mapping[str, bytes], folder: Path) -> Path:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder that is served on loopback."""
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@dataclass
class Visit:
    """A page that is open, and what happened on it."""

    page: "Page"
    base: str
    troubles: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def go(self, path: str) -> "Page":
        self.page.goto(self.base + path)
        return self.page

    @property
    def names(self) -> list[str]:
        return list(self.page.locator("#results h3 a").all_text_contents())


Visitor = Callable[..., Visit]


@pytest.fixture
def visitor(launch: Launch) -> Iterator[Visitor]:
    """Open pages; at the end, nothing may have gone wrong on any of them."""
    visits: list[Visit] = []
    sync_api().expect.set_options(timeout=30_000)  # A busy machine is not a failure.

    def visit(base: str, fonts: str = "", **options: Any) -> Visit:
        browser = launch(fonts) if fonts else launch()
        context = browser.new_context(**{"reduced_motion": "reduce", **options})
        visit = Visit(context.new_page(), base)
        visit.page.on("console", lambda message: visit.troubles.append(message.text))
        visit.page.on("pageerror", lambda error: visit.troubles.append(str(error)))
        visit.page.on("request", lambda request: visit.asked.append(request.url))
        visits.append(visit)
        return visit

    yield visit
    for opened in visits:
        opened.page.context.close()
        assert opened.troubles == []


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Hub], str]]:
    """Serve the pages of a hub; the same hub is served once."""
    known: dict[str, str] = {}
    with ExitStack() as servers:

        def serve(hub: Hub) -> str:
            key = f"{hub.title} {len(hub.skills)}"
            if key not in known:
                folder = write(pages(hub), tmp_path_factory.mktemp("site"))
                known[key] = servers.enter_context(served(folder))
            return known[key]

        yield serve


@pytest.fixture
def workshop(site: Callable[[Hub], str], visitor: Visitor) -> Visit:
    return visitor(site(hubs.workshop()))
