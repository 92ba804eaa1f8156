"""Every rule on its table of cases: tests/cases/<rule>/{good,bad}/<folder>."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from skillforge.checks import Ruleset, all_rules
from skillforge.library import read_folder
from skillforge.model import Finding, Profile, Severity
from tests.conftest import CASES, skill_md

PORTABLE = Ruleset(Profile.PORTABLE, {})


def check(folder: Path, ruleset: Ruleset = PORTABLE) -> list[Finding]:
    return ruleset.check(read_folder(str(folder), folder.name, folder.name))


def cases(kind: str) -> list[object]:
    folders = sorted(CASES.glob(f"*/{kind}/*"))
    return [pytest.param(f, id=f"{f.parts[-3]}-{f.name}") for f in folders]


@pytest.mark.parametrize("folder", cases("bad"))
def test_bad_case_is_found_with_a_line_and_a_hint(folder: Path) -> None:
    rule = folder.parts[-3]

    found = [finding for finding in check(folder) if finding.rule == rule]

    assert found, f"{rule} did not fire"
    assert all(f.line >= 1 and f.hint and f.message for f in found)


@pytest.mark.parametrize("folder", cases("good"))
def test_good_case_is_not_found(folder: Path) -> None:
    rule = folder.parts[-3]

    assert rule not in {finding.rule for finding in check(folder)}


def test_every_rule_has_cases() -> None:
    tabled = {folder.name for folder in CASES.iterdir()}

    assert set(all_rules()) == tabled | MADE.keys() | {"file-unreadable"}


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.id)
def test_every_rule_has_a_manual_page(rule: object) -> None:
    from skillforge.model import Rule

    assert isinstance(rule, Rule)
    assert rule.summary.endswith((".", ":"))
    assert len(rule.page) > 20


# Folders that git, or another system's git, could not hold.


def _large(folder: Path) -> None:
    (folder / "SKILL.md").write_text(skill_md("made", body="x" * (10 << 20)))


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def _submodule(folder: Path) -> None:
    subprocess.run(["git", "init", "--quiet", folder / "vendor"], check=True)


def _collision(folder: Path) -> None:
    (folder / "Guide.md").touch()
    (folder / "guide.md").touch()


def _windows(folder: Path) -> None:
    (folder / "aux.txt").touch()


def _big_file(folder: Path) -> None:
    with (folder / "data.bin").open("wb") as file:
        file.truncate(10_000_001)


MADE: dict[str, Callable[[Path], None]] = {
    "file-too-large": _large,
    "file-kind": _pipe,
    "submodule": _submodule,
    "case-collision": _collision,
    "windows-name": _windows,
    "file-size": _big_file,
}


@pytest.mark.parametrize("rule", MADE)
def test_made_case_is_found(rule: str, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "SKILL.md").write_text(skill_md("made"))
    assert rule not in {f.rule for f in check(folder)}

    MADE[rule](folder)

    assert rule in {f.rule for f in check(folder)}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("con", id="device"),
        pytest.param("NUL.md", id="device-with-ending"),
        pytest.param("notes.", id="dot"),
        pytest.param("notes ", id="space"),
        pytest.param("a:b", id="colon"),
        pytest.param("lpt1/x.md", id="folder"),
    ],
)
def test_names_that_windows_cannot_store_are_found(name: str, tmp_path: Path) -> None:
    file = tmp_path / "made" / name
    file.parent.mkdir(parents=True)
    file.touch()

    assert "windows-name" in {f.rule for f in check(tmp_path / "made")}


def test_a_skill_file_that_is_no_file_is_an_error_in_every_profile(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    os.mkfifo(folder / "SKILL.md")

    for profile in Profile:
        found = check(folder, Ruleset(profile, {}))
        assert any(f.severity is Severity.ERROR for f in found)


def test_portable_asks_all_that_spec_asks() -> None:
    for folder in CASES.glob("*/*/*"):
        spec = {f.rule for f in check(folder, Ruleset(Profile.SPEC, {}))}
        assert spec <= {f.rule for f in check(folder)}, folder


def test_lessons_of_one_day_are_errors_only_in_what_an_agent_wrote() -> None:
    for rule in ("environment", "transient", "helplessness", "story"):
        cases = CASES / f"learned-{rule}" / "bad"
        severities = {
            folder.name: finding.severity
            for folder in cases.iterdir()
            for finding in check(folder)
            if finding.rule == f"learned-{rule}"
        }
        assert severities == {
            "by-an-agent": Severity.ERROR,
            "by-a-human": Severity.WARNING,
        }


def test_policy_changes_severities_and_switches_rules_off() -> None:
    folder = CASES / "description-when" / "bad" / "csv-tables"

    strict = check(folder, Ruleset(Profile.PORTABLE, {"description-when": "error"}))
    silent = check(folder, Ruleset(Profile.PORTABLE, {"description-when": "off"}))

    assert {f.severity for f in strict} == {Severity.ERROR}
    assert not silent


def test_what_makes_a_file_unreadable_cannot_be_switched_off() -> None:
    folder = CASES / "yaml-colon" / "bad" / "in-value"

    found = check(folder, Ruleset(Profile.PORTABLE, {"yaml-colon": "off"}))

    assert [f.severity for f in found] == [Severity.ERROR]
