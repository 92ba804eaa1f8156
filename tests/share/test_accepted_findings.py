"""A danger that a library accepts is shown as that: in the hub and at an install."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.propose.conftest import Loop
from tests.propose.test_gate_scan import ATTACK

WHY = "The installer of our vendor, read line by line."


@pytest.fixture
def dangerous(loop: Loop) -> Loop:
    with (loop.folder.root / "skills/pdf-tables/SKILL.md").open("a") as page:
        page.write(ATTACK)
    loop.folder.git("commit", "--quiet", "--all", "--amend", "--message", "Start")
    return loop


def build(loop: Loop, out: Path) -> dict[str, Any]:
    loop.ok("release", "1.0.0")
    loop.ok("build", "--out", out)
    manifest = json.loads((out / "manifest.json").read_text())
    [skill] = [s for s in manifest["skills"] if s["name"] == "pdf-tables"]
    found: dict[str, Any] = skill
    return found


def test_a_waiver_is_shown_with_its_reason(
    dangerous: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("fetch-and-run", "pdf-tables", "--why", WHY)
    number = dangerous.ok("waive", *arguments)["proposal"]
    dangerous.approve(number)
    dangerous.promote(number)

    skill = build(dangerous, tmp_path / "hub")

    [accepted] = skill["accepted"]
    assert (accepted["rule"], accepted["how"]) == ("fetch-and-run", "waived")
    assert accepted["severity"] == "error"
    assert WHY in accepted["why"]
    assert "@" not in accepted["why"]  # no address of a reviewer
    page = (tmp_path / "hub/skills/pdf-tables/index.html").read_text()
    assert "dangerous (waived)" in page
    assert "read line by line" in page

    monkeypatch.chdir(tmp_path)
    ran = dangerous.run("install", f"{tmp_path}/hub@pdf-tables", "--to", "agent")
    assert ran.code == 1  # the consumer decides
    assert "waived by the publisher: fetch-and-run in SKILL.md" in ran.out
    assert "read line by line" in ran.out


def test_a_known_danger_stays_dangerous(dangerous: Loop, tmp_path: Path) -> None:
    dangerous.ok("baseline")
    dangerous.folder.commit("Adopt")
    dangerous.policy("checks: [validate]\n")

    skill = build(dangerous, tmp_path / "hub")

    assert skill["scan"] == "dangerous"
    accepted = {(f["rule"], f["how"]) for f in skill["accepted"]}
    assert ("fetch-and-run", "known") in accepted
    page = (tmp_path / "hub/skills/pdf-tables/index.html").read_text()
    assert "dangerous (known)" in page


def test_an_adopted_skill_says_so(loop: Loop, tmp_path: Path) -> None:
    loop.land("xlsx-tables", "one", "two")
    build(loop, tmp_path / "hub")

    adopted, made = (
        (tmp_path / f"hub/skills/{name}/index.html").read_text()
        for name in ("csv-tables", "xlsx-tables")
    )
    assert "Adopted with the library on" in adopted
    assert "Created by" not in adopted
    assert "Created by" in made
