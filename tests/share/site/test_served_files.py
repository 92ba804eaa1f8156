"""What a browser makes of the files of a built hub, on servers of several kinds."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from skillforge.model import DraftFile
from skillforge.share import hub_build, hub_layout
from skillforge.share.site.texts import Texts
from tests.browser import Launch, sync_api
from tests.share.site import hubs

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUN = "fetch('/ran?' + location.pathname)"
PAGE = f"<!doctype html><title>owned</title><script>{RUN}</script>"
SVG = f'<svg xmlns="http://www.w3.org/2000/svg"><script>{RUN}</script></svg>'
XHTML = PAGE.replace("<!doctype html>", '<html xmlns="http://www.w3.org/1999/xhtml">')
FILES = {
    "page.html": PAGE,
    "page.HTM": PAGE,
    "page.shtml": PAGE,
    "page.xhtml": f"{XHTML}</html>",
    "picture.svg": SVG,
    "data.xml": SVG,
    "style.xsl": SVG,
    "mail.mht": f"MIME-Version: 1.0\nContent-Type: text/html\n\n{PAGE}",
    "paper.pdf": PAGE,
    "run.js": RUN,
    "LICENSE": PAGE,
    "a.unknown": PAGE,
    "notes.md": PAGE,
    "notes.txt": f"\n\n{PAGE}",
    "data.json": PAGE,
    "twice.html.md": PAGE,
}


class _Typed(SimpleHTTPRequestHandler):
    """A server that goes by names, as `python -m http.server` does."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *_: object) -> None:
        """A test that passes prints nothing."""


class _Untyped(_Typed):
    """A server that leaves what it does not know to the browser, as Apache does."""

    def send_header(self, keyword: str, value: str) -> None:
        is_page = self.path.endswith((".html", ".css", ".js", "/"))
        if keyword != "Content-type" or is_page:
            super().send_header(keyword, value)


class _AnyExtension(_Typed):
    """A server that goes by any extension that it knows, as Apache does."""

    def guess_type(self, path: Any) -> str:
        extensions = Path(str(path)).name.lower().split(".")[1:]
        return "text/html" if "html" in extensions else super().guess_type(path)


@contextmanager
def served(folder: Path, kind: type[_Typed]) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = partial(type("Kind", (kind,), {"asked": asked}), directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hub of skills with one hostile file each, and one with ordinary ones."""
    skills = [
        hubs.skill(f"evil-{n}", "Does it.", files={path: DraftFile(text.encode())})
        for n, (path, text) in enumerate(FILES.items())
    ]
    usual = {"scripts/a.py": DraftFile(b"a = '<script>'\n"), "b.txt": DraftFile(b"b")}
    skills.append(hubs.skill("usual", "Does it.", body=PAGE, files=usual))
    skills.append(hubs.skill("alone", "Does it.", body=PAGE))
    folder = tmp_path_factory.mktemp("hub")
    hub_build.write(hubs.hub(*skills), folder, Texts())
    return folder


def others(hub: Path) -> list[str]:
    """The files of a hub but its own pages."""
    paths = (
        path.relative_to(hub).as_posix() for path in hub.rglob("*") if path.is_file()
    )
    own = ("assets/", "skills/", "browse/", "groups/", "release/")
    return sorted(
        path for path in paths if not path.startswith(own) and path != "index.html"
    )


def test_ordinary_files_are_served_and_hostile_ones_are_not(hub: Path) -> None:
    top = hub_layout.LEGACY
    loose = [
        path.removeprefix(f"{top}/") for path in others(hub) if path.startswith(top)
    ]

    assert loose == [
        "alone/SKILL.md",
        "index.json",
        "usual/SKILL.md",
        "usual/b.txt",
        "usual/scripts/a.py",
    ]


@pytest.mark.parametrize("kind", [_Typed, _Untyped, _AnyExtension])
def test_no_file_of_a_skill_is_a_page(
    hub: Path, launch: Launch, kind: type[_Typed]
) -> None:
    context = launch().new_context(accept_downloads=True)
    page = context.new_page()
    with served(hub, kind) as (url, asked):
        for path in others(hub):
            assert shown(page, f"{url}/{path}") not in ("text/html", "image/svg+xml")
            assert page.title() != "owned"
        page.goto(f"{url}/index.html")
        assert page.title()
    context.close()
    assert not [path for path in asked if path.startswith("/ran")]
    assert f"/{hub_layout.LEGACY}/usual/SKILL.md" in asked


def shown(page: "Page", url: str) -> str:
    """The type as which a browser shows an address; `download` if it does not."""
    try:
        page.goto(url)
    except sync_api().Error as err:
        if (
            "Download is starting" not in err.message
            and "ERR_ABORTED" not in err.message
        ):
            raise
        return "download"
    return str(page.evaluate("document.contentType"))
