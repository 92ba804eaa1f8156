"""`publish --to clawhub`, with a program in ClawHub's place that notes its words."""

import json
from pathlib import Path

import pytest

from tests.propose.conftest import Loop

REPOSITORY = "https://github.com/acme/skills"


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which a fake clawhub records its arguments."""
    program, log = tmp_path / "bin/clawhub", tmp_path / "calls"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        f'printf "%s\\n" "$@" END >> {log}\n'
        f'ls "$4" >> {log}.files\n'
        'echo \'{"status": "published"}\'\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return log


def lines(calls: Path) -> list[list[str]]:
    return [row.split("\n") for row in calls.read_text().split("\nEND\n") if row]


def test_it_is_a_dry_run_unless_requested(released: Loop, calls: Path) -> None:
    line = ("publish", "--to", "clawhub", "--repository", REPOSITORY)

    tried = released.ok(*line)
    assert all("--dry-run" in call for call in lines(calls))
    calls.unlink()
    done = released.ok(*line, "--yes")

    assert (tried["dry_run"], done["dry_run"]) == (True, False)
    assert [row["status"] for row in done["skills"]] == ["published"] * 3
    [csv, *_] = lines(calls)
    assert csv[:3] == ["--no-input", "skill", "publish"]
    assert "--dry-run" not in csv
    assert "--slug=csv-tables" in csv
    assert "--version=1.2.0" in csv
    assert "--source-repo=acme/skills" in csv
    assert f"--source-commit={released.main()}" in csv
    assert "--source-ref=refs/tags/v1.0.0" in csv
    assert "--source-path=skills/csv-tables" in csv
    assert "tests" not in calls.with_suffix(".files").read_text()


def test_a_license_that_clawhub_would_change(released: Loop, calls: Path) -> None:
    released.folder.add_skill("pdf-tables", "license: Apache-2.0\n")
    released.folder.commit("By hand")
    released.folder.git("tag", "v1.1.0")

    done = released.ok("publish", "--to", "clawhub", "--repository", REPOSITORY)

    by_name = {row["skill"]: row["status"] for row in done["skills"]}
    assert "Apache-2.0" in by_name["pdf-tables"]
    assert "pdf-tables" not in calls.read_text()


def test_missing_requirements_are_named(released: Loop, calls: Path) -> None:
    ran = released("publish", "--to", "clawhub")
    assert ran.code == 2
    assert "--repository" in ran.err
    (calls.parent / "bin/clawhub").unlink()

    ran = released("publish", "--to", "clawhub", "--repository", REPOSITORY)

    assert ran.code == 3
    assert "npm install --global clawhub" in ran.err


def test_a_rejection_by_clawhub_is_reported(released: Loop, calls: Path) -> None:
    program = calls.parent / "bin/clawhub"
    program.write_text("#!/bin/sh\necho 'version exists' >&2\nexit 1\n")

    ran = released(
        "publish", "--to", "clawhub", "--repository", REPOSITORY, "--yes", "--json"
    )

    assert ran.code == 3
    assert "version exists" in json.loads(ran.out)["error"]["message"]
