"""The wheel that users get: built, installed into a fresh venv, run from nowhere."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.conftest import skill_md

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o"]
    subprocess.run([*build, str(out), PROJECT], check=True, capture_output=True)
    [built] = out.iterdir()
    return built


def test_the_wheel_holds_schemas_templates_and_types(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()

    assert wheel.name.startswith("git_skillforge-")
    schemas = list((PROJECT / "schemas").rglob("*.json"))
    assert len(schemas) > 10
    for schema in schemas:
        assert f"skillforge/{schema.relative_to(PROJECT).as_posix()}" in names
    assert "skillforge/py.typed" in names
    assert "skillforge/templates/skillforge.yaml" in names
    assert "skillforge/templates/demo/transcripts/runs.jsonl" in names
    assert "skillforge/templates/demo/agents/hasty-agent" in names
    assert not any(name.startswith(("tests/", "benchmarks/")) for name in names)


@pytest.mark.slow
def test_the_installed_command_works_from_an_empty_folder(
    wheel: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    # Our own pip serves it: to install another one takes longer than all the rest.
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    install = ["install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    subprocess.run([*pip, *install, wheel], check=True, capture_output=True)
    empty = tmp_path / "empty"
    empty.mkdir()
    skill = tmp_path / "csv-tables"
    skill.mkdir()
    (skill / "SKILL.md").write_text(skill_md("csv-tables", "license: [MIT]\n"))
    command = python.with_name("skillforge")
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}

    def call(*arguments: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [command, *map(str, arguments)],
            cwd=empty,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )

    assert call("validate").returncode == 2
    judged = call("validate", skill, "--json")
    assert judged.returncode == 1
    assert [f["rule"] for f in json.loads(judged.stdout)["data"]["findings"]] == [
        "field-text"
    ]
    assert call("init").returncode == 0
    assert call("validate").stdout == "1 skill checked: all good\n"
