"""Hubs as a client meets them: sound, of the older kind, and hostile."""

import json
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from skillforge.errors import (
    RefusedError,
    RequestError,
    SkillforgeError,
    ToolError,
)
from skillforge.share import download, fetch
from skillforge.share.fetch import packages
from skillforge.share.install_source import parse
from skillforge.share.package_digest import Package
from tests.share.hubs import (
    WELL_KNOWN,
    answering,
    entry,
    files_of,
    serving,
    sha,
    tar_gz,
    write_hub,
    write_index,
)

FILES = files_of("csv-tables")
SLOW = download.DownloadLimits(pause=0.4, whole=0.5)
DATA = tar_gz(FILES)


def fetched(text: str) -> dict[str, Package]:
    return {package.name: package for package in packages(parse(text))}


def contents(package: Package) -> dict[str, bytes]:
    return {path: file.data for path, file in package.files.items()}


@pytest.mark.parametrize("below", ["", "/team/hub"], ids=["root", "path"])
def test_a_hub_gives_its_skills(tmp_path: Path, below: str) -> None:
    write_hub(tmp_path / below.lstrip("/"), "csv-tables", "pdf-tables")

    with serving(tmp_path) as url:
        fetched_packages = fetched(f"{url}{below}")

    assert list(fetched_packages) == ["csv-tables", "pdf-tables"]
    assert contents(fetched_packages["csv-tables"]) == FILES
    assert fetched_packages["csv-tables"].digest == sha(DATA)


def test_a_hub_at_the_root_is_found_from_a_page_of_it(tmp_path: Path) -> None:
    write_hub(tmp_path, "csv-tables")

    with serving(tmp_path) as url:
        assert "csv-tables" in fetched(f"{url}/some/page@csv-tables")


def test_a_folder_is_a_hub_as_well(tmp_path: Path) -> None:
    write_hub(tmp_path, "csv-tables", "pdf-tables")

    assert list(fetched(f"{tmp_path}@pdf-tables")) == ["pdf-tables"]


def test_a_skill_of_one_file_comes_as_it_is(tmp_path: Path) -> None:
    data = FILES["SKILL.md"]
    row = entry("csv-tables", data, type="skill-md", url="csv-tables/SKILL.md")
    write_index(tmp_path, [row])
    (tmp_path / WELL_KNOWN / "csv-tables").mkdir()
    (tmp_path / WELL_KNOWN / "csv-tables" / "SKILL.md").write_bytes(data)

    assert contents(fetched(str(tmp_path))["csv-tables"]) == {"SKILL.md": data}


def test_a_hub_of_the_older_kind_is_read(tmp_path: Path) -> None:
    top = tmp_path / ".well-known/skills"
    for path, data in FILES.items():
        (top / "csv-tables" / path).parent.mkdir(parents=True, exist_ok=True)
        (top / "csv-tables" / path).write_bytes(data)
    rows = [{"name": "csv-tables", "description": "x", "files": list(FILES)}]
    (top / "index.json").write_text(json.dumps({"skills": rows}))

    with serving(tmp_path) as url:
        assert contents(fetched(url)["csv-tables"]) == FILES


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({"digest": sha(b"something else")}, id="lying-digest"),
        pytest.param({"digest": "sha256:abc"}, id="short-digest"),
        pytest.param({"digest": f"md5:{'0' * 64}"}, id="other-digest"),
        pytest.param({"url": "file:///etc/passwd"}, id="file-url"),
        pytest.param({"url": "https://example.invalid/x.tar.gz"}, id="other-host"),
        pytest.param({"url": "//example.invalid/x.tar.gz"}, id="other-host-short"),
        pytest.param({"url": "http://127.0.0.1:1/x.tar.gz"}, id="other-port"),
        pytest.param({"url": "http://["}, id="broken-url"),
        pytest.param({"url": 7}, id="url-number"),
        pytest.param({"type": "program"}, id="other-type"),
        pytest.param({"name": "../x"}, id="name-parent"),
        pytest.param({"name": "-rf"}, id="name-option"),
        pytest.param({"name": "csv\u200btables"}, id="name-zero-width"),
        pytest.param({"name": "сsv-tables"}, id="name-cyrillic"),
        pytest.param({"name": ""}, id="name-empty"),
        pytest.param({"name": None}, id="name-missing"),
        pytest.param({"name": "con"}, id="name-windows"),
    ],
)
@pytest.mark.parametrize("is_served", [True, False], ids=["http", "folder"])
def test_a_hostile_row_is_refused(
    tmp_path: Path, row: dict[str, Any], is_served: bool
) -> None:
    write_hub(tmp_path, "csv-tables")
    write_index(tmp_path, [entry("csv-tables", DATA) | row])

    with serving(tmp_path) as url, pytest.raises(RefusedError):
        fetched(url if is_served else str(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[]", id="list"),
        pytest.param("{", id="broken"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param("{}", id="no-skills"),
        pytest.param('{"$schema": "https://x/9.9", "skills": []}', id="other-schema"),
        pytest.param('{"skills": [1]}', id="no-row"),
        pytest.param('{"skills": [{"name": "a", "files": "x"}]}', id="no-files"),
        pytest.param('{"skills": [{"name": "a", "files": ["../x"]}]}', id="no-md"),
        pytest.param(
            '{"skills": [{"name": "a", "files": ["SKILL.md", "../../x"]}]}',
            id="older-parent",
        ),
    ],
)
def test_an_invalid_index_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / WELL_KNOWN / "a").mkdir(parents=True)
    (tmp_path / WELL_KNOWN / "a" / "SKILL.md").write_text("x")
    (tmp_path / WELL_KNOWN / "index.json").write_text(text)

    with pytest.raises(RefusedError):
        fetched(str(tmp_path))


@pytest.mark.parametrize("twin", ["csv-tables", "CSV-tables"])
def test_a_name_that_is_there_twice_is_refused(tmp_path: Path, twin: str) -> None:
    write_hub(tmp_path, "csv-tables")
    write_index(tmp_path, [entry("csv-tables", DATA), entry(twin, DATA)])

    with pytest.raises(RefusedError, match="twice"):
        fetched(str(tmp_path))


def test_a_folder_with_a_link_to_elsewhere_is_refused(tmp_path: Path) -> None:
    hub = write_hub(tmp_path / "hub", "csv-tables")
    (tmp_path / "secret.tar.gz").write_bytes(DATA)
    archive = hub / WELL_KNOWN / "csv-tables.tar.gz"
    archive.unlink()
    archive.symlink_to(tmp_path / "secret.tar.gz")

    with pytest.raises(RefusedError, match="outside"):
        fetched(str(hub))


def test_a_skill_missing_from_the_hub_is_reported(tmp_path: Path) -> None:
    write_hub(tmp_path, "csv-tables")

    with pytest.raises(RequestError) as caught:
        fetched(f"{tmp_path}@nothing")

    assert "csv-tables" in caught.value.hint


def test_a_url_without_a_hub_is_an_error(tmp_path: Path) -> None:
    with serving(tmp_path) as url, pytest.raises(RequestError, match="no Skills Hub"):
        fetched(url)


def test_an_artefact_that_is_redirected_away_is_refused(tmp_path: Path) -> None:
    write_hub(tmp_path, "csv-tables")
    index = (tmp_path / WELL_KNOWN / "index.json").read_bytes()

    def answer(request: Any) -> None:
        if request.path.endswith("index.json"):
            request.send_response(200)
            request.end_headers()
            request.wfile.write(index)
            return
        request.send_response(302)
        request.send_header("Location", "http://example.invalid/csv-tables.tar.gz")
        request.end_headers()

    with answering(answer) as url, pytest.raises(SkillforgeError, match="redirects"):
        fetched(url)


@pytest.mark.parametrize("url", ["a%00b", "x" * 5000], ids=["nul", "long"])
def test_a_folder_has_no_file_of_an_impossible_name(tmp_path: Path, url: str) -> None:
    write_index(tmp_path, [entry("csv-tables", DATA, url=url)])

    with pytest.raises(RequestError, match="no file"):
        fetched(str(tmp_path))


def test_an_index_of_many_names_is_compared_in_linear_time(tmp_path: Path) -> None:
    rows = [entry(f"s{n:05}", DATA, url="x") for n in range(20_000)]
    write_index(tmp_path, [*rows, rows[-1]])
    start = time.process_time()

    with pytest.raises(RefusedError, match="s19999 twice"):
        fetched(str(tmp_path))

    assert time.process_time() - start < 3


def test_many_small_archives_do_not_unpack_to_gigabytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "MOST_TOGETHER", 10 << 20)
    data = tar_gz({**FILES, "zeros": bytes(1 << 20)})
    rows = [entry(f"s{n}", data, url="x.tar.gz") for n in range(100)]
    write_index(tmp_path, rows)
    (tmp_path / WELL_KNOWN / "x.tar.gz").write_bytes(data)
    fetched_packages: list[Package] = []

    with pytest.raises(RefusedError, match="10 MiB together"):
        fetched_packages.extend(packages(parse(str(tmp_path))))

    assert len(fetched_packages) == 9


def test_the_files_of_a_slow_older_hub_share_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    rows = [{"name": "csv-tables", "files": ["SKILL.md", *map(str, range(500))]}]

    def answer(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        if "agent-skills" in request.path:
            request.send_error(404)
            return
        request.send_response(200)
        request.end_headers()
        if request.path.endswith("index.json"):
            request.wfile.write(json.dumps({"skills": rows}).encode())
        else:
            time.sleep(0.1)

    monkeypatch.setattr(download.DownloadLimits, "__new__", lambda _: SLOW)
    with answering(answer) as url, pytest.raises(ToolError, match="too long"):
        fetched(url)
    assert len(asked) < 20
