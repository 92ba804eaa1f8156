"""The lock: shared with other tools, and trusted with nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillforge.errors import ConfigError
from skillforge.model import DraftFile
from skillforge.share import lockfile
from skillforge.share.install_source import InstallSource, SourceKind
from skillforge.share.lockfile import LockedSkill
from skillforge.share.package_digest import Package, contents_digest
from tests.conftest import Run
from tests.share.hubs import write_hub

FILES = {"SKILL.md": DraftFile(b"text"), "scripts/run": DraftFile(b"run", True)}
SOURCE = InstallSource(SourceKind.GIT, "https://example.org/x.git", "v1", "csv")
THEIRS = {"source": "o/r", "sourceType": "github", "computedHash": "0" * 64}


def locked() -> LockedSkill:
    package = Package(
        "csv", FILES, contents_digest(FILES), "skills/csv/SKILL.md", "1" * 40
    )
    return LockedSkill.of(package, SOURCE, ".claude/skills")


def test_a_written_lock_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "skills-lock.json"
    lockfile.write(lockfile.read(path), {"csv": locked()})

    assert lockfile.read(path).entries == {"csv": locked()}
    assert locked().holds(FILES)


def test_entries_of_other_tools_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "skills-lock.json"
    lock = {"version": 1, "skills": {"theirs": THEIRS}, "more": {"x": 1}}
    path.write_text(json.dumps(lock))

    lockfile.write(lockfile.read(path), {"csv": locked()})

    after = json.loads(path.read_text())
    assert after["skills"]["theirs"] == THEIRS
    assert after["more"] == {"x": 1}
    assert list(after["skills"]) == ["csv", "theirs"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{", id="broken"),
        pytest.param("[]", id="list"),
        pytest.param('{"version": 9, "skills": {}}', id="version"),
        pytest.param('{"version": 1, "skills": []}', id="skills"),
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_a_file_that_is_not_a_lock_is_reported_and_kept(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_hub(tmp_path / "hub", "csv-tables")
    (tmp_path / "skills-lock.json").write_text(text)

    for arguments in (("install", "hub"), ("verify",), ("update",)):
        assert run(*arguments).code == 2
    assert (tmp_path / "skills-lock.json").read_text() == text


@pytest.mark.parametrize(
    ("name", "change"),
    [
        pytest.param("../x", {}, id="name"),
        pytest.param("csv", {"path": "../../elsewhere"}, id="path-parent"),
        pytest.param("csv", {"path": "/etc"}, id="path-absolute"),
        pytest.param("csv", {"files": {"../x": f"sha256:{'0' * 64}"}}, id="file"),
        pytest.param("csv", {"files": {"x": "md5"}}, id="file-digest"),
        pytest.param("csv", {"tree": "main"}, id="tree"),
        pytest.param("csv", {"commit": "--upload-pack=x"}, id="commit"),
        pytest.param("csv", {"digest": "sha256:x"}, id="digest"),
        pytest.param("csv", {"sourceType": "ftp"}, id="type"),
        pytest.param("csv", {"source": 7}, id="source"),
        pytest.param("csv", {"source": "x\x1b]0;title\x07"}, id="source-escape"),
        pytest.param("csv", {"ref": "v1\nall is well"}, id="ref-line"),
    ],
)
def test_an_invalid_entry_is_refused(
    tmp_path: Path, name: str, change: dict[str, Any]
) -> None:
    path = tmp_path / "skills-lock.json"
    lock = {"version": 1, "skills": {name: locked().data | change}}
    path.write_text(json.dumps(lock))

    with pytest.raises(ConfigError, match="is invalid"):
        lockfile.read(path)


def test_a_lock_cannot_make_git_run_a_program(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    entry = locked().data | {"source": f"ext::sh -c touch% {tmp_path}/ran", "path": ""}
    for where in (entry["source"], "http://example.invalid/x.git", "--upload-pack=x"):
        lock = {"version": 1, "skills": {"csv": entry | {"source": where}}}
        (tmp_path / "skills-lock.json").write_text(json.dumps(lock))

        assert run("install", "--frozen").code in (1, 2, 3)
    assert not (tmp_path / "ran").exists()


def test_frozen_does_not_trust_what_another_tool_locked(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lock = {"version": 1, "skills": {"theirs": THEIRS}}
    (tmp_path / "skills-lock.json").write_text(json.dumps(lock))

    ran = run("install", "--frozen")

    assert (ran.code, "another tool" in ran.err) == (2, True)
