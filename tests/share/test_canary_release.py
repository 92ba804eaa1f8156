"""A release of a library with an unfinished rollout publishes what is proven."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.propose.conftest import Loop


@pytest.fixture
def rolling(released: Loop) -> Loop:
    """xlsx-tables has a new version in a rollout; another skill has changed, too."""
    released.land("xlsx-tables", "three", "four")
    released.land("odt-tables", "unlike", "others")
    return released


def build(loop: Loop, out: Path) -> dict[str, Any]:
    loop.ok("build", "--out", out)
    manifest = json.loads((out / "manifest.json").read_text())
    return {skill["name"]: skill for skill in manifest["skills"]}


def test_the_stable_version_is_published(rolling: Loop, tmp_path: Path) -> None:
    stable = rolling.tree("xlsx-tables", "v1.0.0")

    ran = rolling("release", "1.1.0")
    skills = build(rolling, tmp_path / "hub")

    assert ran.code == 0
    assert "xlsx-tables is in an unfinished rollout" in ran.out
    assert "--include-canaries" in ran.out
    assert skills["xlsx-tables"]["tree"] == stable
    assert [row["tree"] for row in skills["xlsx-tables"]["provenance"]] == [stable]
    assert skills["odt-tables"]["tree"] == rolling.tree("odt-tables")
    page = (tmp_path / "hub/skills/xlsx-tables/index.html").read_text()
    assert "three" not in page


def test_the_notes_and_the_data_say_so(rolling: Loop) -> None:
    data = rolling.ok("release", "1.1.0", "--dry-run")

    [canary] = data["canaries"]
    assert canary["skill"] == "xlsx-tables"
    assert (
        canary["published"] == canary["stable"] == rolling.tree("xlsx-tables", "v1.0.0")
    )
    assert [change["skill"] for change in data["changes"]] == ["odt-tables"]


def test_the_new_version_is_published_on_request(rolling: Loop, tmp_path: Path) -> None:
    data = rolling.ok("release", "1.1.0", "--include-canaries")

    assert data["canaries"][0]["published"] == rolling.tree("xlsx-tables")
    skills = build(rolling, tmp_path / "hub")
    assert skills["xlsx-tables"]["tree"] == rolling.tree("xlsx-tables")


def test_a_finished_rollout_is_in_the_next_release(
    rolling: Loop, tmp_path: Path
) -> None:
    rolling.ok("release", "1.1.0")
    rolling.ok("canary", "finish", "xlsx-tables")

    data = rolling.ok("release", "1.2.0")

    assert data["canaries"] == []
    [change] = data["changes"]
    assert (change["skill"], change["kind"]) == ("xlsx-tables", "changed")
    skills = build(rolling, tmp_path / "hub")
    assert skills["xlsx-tables"]["tree"] == rolling.tree("xlsx-tables")


def test_a_new_skill_in_a_rollout_is_not_published(
    released: Loop, tmp_path: Path
) -> None:
    released.folder.write(
        "skillforge.yaml", "checks: [validate]\ncanary: {start: all}\n"
    )
    released.folder.commit("Roll out all")
    released.land("odt-tables", "unlike", "others")

    ran = released("release", "1.1.0")
    skills = build(released, tmp_path / "hub")

    assert "odt-tables is in an unfinished rollout: not published" in ran.out
    assert "odt-tables" not in skills


def test_a_tag_cannot_name_a_version_that_main_never_had(
    rolling: Loop, tmp_path: Path
) -> None:
    other = rolling.tree("csv-tables")
    message = f"Release v1.1.0\n\nStable: xlsx-tables {other}"
    rolling.folder.git("tag", "--annotate", "--message", message, "v1.1.0")

    ran = rolling("build", "--out", tmp_path / "hub")

    assert ran.code == 4
    assert "doesn't contain" in ran.err
