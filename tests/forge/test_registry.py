"""Forges of other packages, and which forge a library uses."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from skillforge import plugins
from tests.conftest import LibraryFolder, Run, skill_md
from tests.plugin_example import install_example


@pytest.fixture(autouse=True)
def _inside(library: LibraryFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(library.root)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the forge of docs/extend.md is installed."""
    folder = tmp_path / "site"
    install_example("Forges", folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "acme_forge", raising=False)
    plugins.plugins.cache_clear()
    yield folder
    plugins.plugins.cache_clear()


@contextmanager
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A chat on loopback, and the messages that it has received."""
    messages: list[str] = []

    class Webhook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            messages.append(json.loads(body)["text"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep standard error clean."""

    with HTTPServer(("127.0.0.1", 0), Webhook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("CHAT_WEBHOOK", url)
        yield messages
        server.shutdown()


def propose(library: LibraryFolder, run: Run, *options: str) -> None:
    library.write("skills/xlsx-tables/SKILL.md", skill_md("xlsx-tables"))
    ran = run("propose", "xlsx-tables", *options)
    assert ran.code == 0, ran.err


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("how", ["option", "policy", "remote"])
def test_the_forge_of_the_page_announces_proposals(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "policy":
        library.write("skillforge.yaml", "forge: chat\n")
        library.commit("Choose a forge")
    elif how == "remote":
        url = "https://git.acme.example/skills.git"
        library.git("remote", "add", "origin", url)

    with chat(monkeypatch) as messages:
        propose(library, run, *(["--forge", "chat"] if how == "option" else []))

    assert messages == ["Add xlsx-tables: skillforge review 1"]


@pytest.mark.usefixtures("site")
def test_a_forge_is_not_used_unless_it_is_chosen(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with chat(monkeypatch) as messages:
        propose(library, run)

    assert messages == []


def test_an_unknown_forge_is_an_error(library: LibraryFolder, run: Run) -> None:
    library.write("skillforge.yaml", "forge: nowhere\n")
    library.commit("Choose a forge")

    ran = run("proposals")

    assert ran.code == 2
    assert "unknown forge: 'nowhere'" in ran.err
    assert "known forges: local, github" in ran.err


def test_a_forge_that_cannot_be_loaded_stops_the_command(
    library: LibraryFolder, site: Path, run: Run
) -> None:
    (site / "acme_forge.py").write_text("import gone\n")
    library.git("remote", "add", "origin", "https://git.acme.example/skills.git")

    ran = run("proposals")

    assert ran.code == 3
    assert "'chat' (skillforge.forges) cannot be loaded: ModuleNotFound" in ran.err
    assert run("proposals", "--forge", "local").code == 0


KIND = """
def recognises(url, host): return True
def suggestion(url): return ""
def connect(clone): {}
"""


@pytest.mark.parametrize(
    ("module", "problem"),
    [
        ("X = 42", "has no function 'recognises'"),
        (KIND.format("raise SystemExit(0)"), "failed: SystemExit: 0"),
        (KIND.format("1 / 0"), "failed: ZeroDivisionError"),
        (KIND.format("return 42"), "returned a int, not a Forge"),
    ],
    ids=["empty", "exits", "raises", "number"],
)
def test_a_forge_that_fails_stops_the_command(
    site: Path, run: Run, module: str, problem: str
) -> None:
    (site / "acme_forge.py").write_text(module)

    ran = run("proposals", "--forge", "chat")

    assert ran.code == 3
    assert problem in ran.err


def test_a_method_of_a_forge_that_raises_is_its_own_fault(site: Path, run: Run) -> None:
    (site / "acme_forge.py").write_text(
        "from skillforge.forge.local import LocalForge\n"
        "class AcmeForge(LocalForge):\n"
        "    def proposals(self, *, only_open=False): return 1 / 0\n"
        + KIND.format("return AcmeForge(clone.repo, clone.main)")
    )

    ran = run("proposals", "--forge", "chat")

    assert ran.code == 3
    assert "'chat' (skillforge.forges) failed: ZeroDivisionError" in ran.err


def test_a_plugin_cannot_replace_a_forge_of_ours(
    library: LibraryFolder, site: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = next(site.glob("*.dist-info")) / "entry_points.txt"
    points.write_text(points.read_text().replace("chat =", "local ="))

    with chat(monkeypatch) as messages:
        propose(library, run, "--forge", "local")

    assert messages == []
