"""What a hub offers as it is: nothing that a server or a browser would run."""

import json
from pathlib import Path

import pytest

from skillforge.model import DraftFile
from skillforge.share.inert import is_inert
from tests.conftest import Run
from tests.propose.conftest import Loop

PAGE = b"<!doctype html><script>document.title = 'owned'</script>"


@pytest.mark.parametrize(
    ("path", "data"),
    [
        pytest.param("a.html", b"x", id="html"),
        pytest.param("A.HTM", b"x", id="case"),
        pytest.param("a.svg", b"x", id="svg"),
        pytest.param("a.xsl", b"x", id="xsl"),
        pytest.param("a.mht", b"x", id="mht"),
        pytest.param("scripts/a.mjs", b"x", id="script"),
        pytest.param("a.pdf", b"x", id="pdf"),
        pytest.param("a.php", b"x", id="php"),
        pytest.param(".htaccess", b"x", id="server's-own"),
        pytest.param("a.unheard-of", b"x", id="unknown"),
        pytest.param("a.html.md", b"x", id="two-extensions"),
        pytest.param("a.html.", b"x", id="empty-extension"),
        pytest.param("LICENSE", PAGE, id="sniffed"),
        pytest.param("a.md", b"\xef\xbb\xbf \n<!-- x -->" + PAGE, id="after-blanks"),
        pytest.param("a.txt", b"%PDF-1.7", id="pdf-inside"),
    ],
)
def test_files_that_may_be_run_are_not_inert(path: str, data: bytes) -> None:
    assert not is_inert({path: DraftFile(data)})


@pytest.mark.parametrize(
    "path",
    [
        "SKILL.md",
        "LICENSE",
        "a.py",
        "x/app.config.ts",
        "notes-1.2.md",
        "html.md",
        "Makefile",
    ],
)
def test_text_is_inert(path: str) -> None:
    assert is_inert({path: DraftFile(b"Text, even with <b>markup</b> in it")})


def test_a_skill_with_a_page_is_published_in_archives_only(
    loop: Loop, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.folder.write("skills/csv-tables/assets/report.html", PAGE.decode())
    loop.folder.commit("Add a page")
    loop.folder.git("tag", "v1.0.0")
    hub = tmp_path / "hub"

    data = loop.ok("build", "v1.0.0", "--out", hub)

    assert data["archives_only"] == {"csv-tables": "assets/report.html"}
    loose = json.loads((hub / ".well-known/skills/index.json").read_bytes())
    plugins = json.loads((hub / ".claude-plugin/marketplace.json").read_bytes())
    for named in (loose["skills"], plugins["plugins"]):
        assert [entry["name"] for entry in named] == ["pdf-tables"]
    assert not (hub / ".well-known/skills/csv-tables").exists()
    assert not list(hub.rglob("report.html"))

    use = tmp_path / "use"
    use.mkdir()
    monkeypatch.chdir(use)
    assert run("install", f"{hub}@csv-tables").code == 0
    installed = use / ".agents/skills/csv-tables"
    assert (installed / "assets/report.html").read_bytes() == PAGE
    assert (installed / "scripts/read.py").is_file()
