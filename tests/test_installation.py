"""What we tell users to install can be installed: our name alone can't."""

import json
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from skillforge import installation
from tests.conftest import Run

ROOT = Path(__file__).parents[1]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
GIT = {"vcs": "git", "commit_id": COMMIT}
NAME = "git-skillforge"
# "install git-skillforge", however quoted, with any extras, versions and options.
BY_NAME = re.compile(
    r"\b(?:install|add|run|inject|uvx|pipx)\s+(?:-\S+\s+)*[\"'`]*git-skillforge\b"
    r"(?![^\n]{0,40} @)"
    # Another project's name.
    r"|\b(?:(?:pip|pipx|uv|tool) (?:install|add|run|inject)|uvx)\s+(?:-\S+\s+)*"
    r"[\"'`]*skillforge\b"
    r"|^git-skillforge(?:\[[^\]]*\])?\s*(?:[=<>~!]=?.*)?$",
    re.MULTILINE,
)


@pytest.fixture
def came_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Have this copy be one that pip installed from there."""

    def set_origin(origin: dict[str, Any] | None) -> None:
        folder = tmp_path / "git_skillforge-0.1.0.dist-info"
        folder.mkdir(exist_ok=True)
        (folder / "METADATA").write_text("Name: git-skillforge\nVersion: 0.1.0\n")
        if origin is not None:
            (folder / "direct_url.json").write_text(json.dumps(origin))
        found = metadata.Distribution.at(folder)
        monkeypatch.setattr(metadata, "distribution", lambda _name: found)
        installation._origin.cache_clear()

    yield set_origin
    installation._origin.cache_clear()


ORIGINS = [
    pytest.param(
        {"url": "file:///src/my%20clone", "dir_info": {"editable": True}},
        "-e '/src/my clone[sandbox]'",
        "",
        id="editable-clone",
    ),
    pytest.param(
        {"url": "file:///src/clone", "dir_info": {}},
        "'/src/clone[sandbox]'",
        "",
        id="clone",
    ),
    pytest.param(
        {"url": "https://git.example.com/tools/forge", "vcs_info": GIT},
        f"'git-skillforge[sandbox] @ git+https://git.example.com/tools/forge@{COMMIT}'",
        f"git-skillforge[sandbox] @ git+https://git.example.com/tools/forge@{COMMIT}",
        id="git",
    ),
    pytest.param(
        {"url": "ssh://git@git.example.com/tools/forge", "vcs_info": GIT},
        f"'git-skillforge[sandbox] @ git+ssh://git@git.example.com/tools/forge@{COMMIT}'",
        "",
        id="ssh",
    ),
    pytest.param(
        {"url": "file:///src/clone", "vcs_info": GIT},
        f"'git-skillforge[sandbox] @ git+file:///src/clone@{COMMIT}'",
        "",
        id="git-on-this-machine",
    ),
    pytest.param(
        {"url": "https://example.com/forge.whl", "archive_info": {}},
        "'git-skillforge[sandbox] @ https://example.com/forge.whl'",
        "git-skillforge[sandbox] @ https://example.com/forge.whl",
        id="archive",
    ),
]


@pytest.mark.parametrize(("origin", "command", "line"), ORIGINS)
def test_a_copy_is_installed_again_from_where_it_came(
    origin: dict[str, Any], command: str, line: str, came_from: Any
) -> None:
    came_from(origin)

    assert installation.install_command("sandbox").endswith(f"install {command}")
    assert installation.requirement("sandbox") == line


@pytest.mark.parametrize(
    "origin",
    [
        pytest.param(None, id="nothing"),
        pytest.param([], id="list"),
        pytest.param({"url": 3}, id="number"),
        pytest.param(
            {"url": "https://ada:secret@example.com/forge", "vcs_info": GIT},
            id="password",
        ),
    ],
)
def test_where_nothing_is_known_the_readme_helps(origin: Any, came_from: Any) -> None:
    came_from(origin)

    assert "README" in installation.install_command("sandbox")
    assert "pip" not in installation.install_command("sandbox")
    assert not installation.requirement("sandbox")


def test_the_command_is_that_of_this_environment(came_from: Any) -> None:
    came_from({"url": "file:///src", "dir_info": {}})
    command = installation.install_command()

    assert command in (f"{sys.executable} -m pip install /src", "pip install /src")
    if command.startswith("pip"):
        assert shutil.which("pip") == str(Path(sys.executable).with_name("pip"))


@pytest.mark.parametrize(
    ("recorded", "extras"),
    [
        ({}, "mcp"),
        ([], "mcp"),
        ({"main_package": {"package_or_url": "/a clone [old]/src"}}, "mcp"),
        ({"main_package": {"package_or_url": "/src[sandbox]"}}, "mcp,sandbox"),
        ({"main_package": {"package_or_url": "/src[mcp, github]"}}, "github,mcp"),
        (
            {"main_package": {"package_or_url": f"{NAME}[sandbox] @ git+https://x"}},
            "mcp,sandbox",
        ),
    ],
)
def test_pipx_keeps_what_it_installed(
    recorded: Any,
    extras: str,
    came_from: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`pipx install --force` makes a new environment, without other extras."""
    came_from({"url": "file:///src", "dir_info": {}})
    (tmp_path / "pipx_metadata.json").write_text(json.dumps(recorded))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))

    command = installation.install_command("mcp")

    assert command == f"pipx install --force '/src[{extras}]'"


def shipped_texts() -> list[Path]:
    tops = ("benchmarks", "docs", "schemas", "skillforge", "skills", "tests", ".github")
    found = [path for top in tops for path in (ROOT / top).rglob("*")]
    texts = [path for path in (*ROOT.glob("*"), *found) if path.is_file()]
    return [path for path in texts if path.suffix not in (".pyc", ".png")]


def test_no_text_installs_us_by_name() -> None:
    mean_to = {"test_installation.py", "test_workflows.py"}
    wrong = [
        f"{path.relative_to(ROOT)}: {match[0]!r}"
        for path in shipped_texts()
        if path.name not in mean_to
        for match in BY_NAME.finditer(path.read_text("utf-8", "replace"))
    ]

    assert not wrong


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("pip install git-skillforge", True),
        ("pip install 'git-skillforge[mcp,sandbox]'", True),
        ('python -m pip install -U "git-skillforge[mcp]==0.1"', True),
        ("pipx install git-skillforge", True),
        ("uv tool install --force git-skillforge", True),
        ("pip install --force-reinstall git-skillforge", True),
        ("git-skillforge[github,sandbox]==0.1.0", True),
        ("pip install skillforge", True),
        ("pipx install --force 'skillforge[mcp]'", True),
        ("uv tool install skillforge", True),
        ("uvx skillforge demo", True),
        ("skillforge hook install codex; run skillforge doctor", False),
        ("pip install '.[sandbox]'", False),
        ("pip install 'git-skillforge[mcp] @ git+https://example.com/x'", False),
        ("git-skillforge[github] @ git+https://example.com/x@1", False),
    ],
)
def test_what_counts_as_by_name(text: str, is_wrong: bool) -> None:
    assert bool(BY_NAME.search(text)) == is_wrong


TOOL = ".github/skillforge/requirements.txt"


def test_workflows_install_the_commit_that_wrote_them(
    came_from: Any, run: Run, tmp_path: Path
) -> None:
    came_from({"url": "https://git.example.com/forge", "vcs_info": GIT})

    ran = run("init", str(tmp_path / "new"), "--github", "--json")

    assert ran.data["to_complete"] == []
    [line] = [
        line
        for line in (tmp_path / "new" / TOOL).read_text().splitlines()
        if not line.startswith("#")
    ]
    origin = f"git+https://git.example.com/forge@{COMMIT}"
    assert line == f"git-skillforge[github,sandbox] @ {origin}"


def test_workflows_that_cannot_know_it_fail_with_a_clear_message(
    came_from: Any, run: Run, tmp_path: Path
) -> None:
    came_from({"url": "file:///src/clone", "dir_info": {"editable": True}})

    ran = run("init", str(tmp_path / "new"), "--github")

    assert f"complete {TOOL}" in ran.out
    line = [sys.executable, "-m", "pip", "install", "--quiet", "--requirement", TOOL]
    pip = subprocess.run(
        line, cwd=tmp_path / "new", capture_output=True, text=True, check=False
    )
    assert pip.returncode != 0
    assert "COMPLETE THIS LINE" in pip.stderr
    assert TOOL in pip.stderr
    again = run("init", str(tmp_path / "new"), "--github", "--json")
    assert again.data["to_complete"] == [TOOL]
