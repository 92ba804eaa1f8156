"""Every rule on its table of cases: tests/cases/<rule>/{good,bad}/<folder>."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillforge.checks import (
    _BODY_RULES,
    _FIELD_RULES,
    _FOLDER_RULES,
    Ruleset,
    all_rules,
    fast_path,
)
from skillforge.library import read_folder
from skillforge.model import File, FileKind, Finding, Profile, Rule, Severity, Skill
from tests.conftest import CASES, EXAMPLES, parse_text, skill_md

PORTABLE = Ruleset(Profile.PORTABLE, {})
SCANNED = {rule.id for rule in all_rules().values() if rule.category}  # see scan/


def check(folder: Path, ruleset: Ruleset = PORTABLE) -> list[Finding]:
    return ruleset.check(read_folder(str(folder), folder.name, folder.name))


def cases(kind: str) -> list[object]:
    folders = sorted(f for f in CASES.glob(f"*/{kind}/*") if f.parts[-3] not in SCANNED)
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

    rules = {rule.id for rule in all_rules().values() if not rule.category}
    assert rules == tabled - SCANNED | MADE.keys() | {"file-unreadable"}


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.id)
def test_every_rule_has_a_manual_page(rule: Rule) -> None:
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


def test_a_skill_file_that_is_not_a_regular_file_is_an_error_in_every_profile(
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


def test_lessons_of_one_day_are_checked_in_an_agents_draft() -> None:
    for rule in ("environment", "transient", "helplessness", "story"):
        folder = CASES / f"learned-{rule}" / "bad" / "by-an-agent"
        found = {f.rule: f.severity for f in check(folder)}
        assert found[f"learned-{rule}"] is Severity.ERROR


CLIENT = "metadata:\n  hermes:\n    tags: [a]\n"


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        pytest.param("Other Name", "", id="name"),
        pytest.param("hermes.tables", "", id="dot"),
        pytest.param("made", "triggers: [csv]\n", id="unknown-field"),
        pytest.param("made", "allowed-tools: [Read]\n", id="tools-as-list"),
        pytest.param("made", "platforms: {a: b}\n", id="type"),
        pytest.param("made", "argument-hint: '[file]'\nmodel: opus\n", id="claude"),
    ],
)
@pytest.mark.parametrize("profile", Profile)
def test_what_the_client_of_a_skill_accepts_is_no_error(
    profile: Profile, name: str, fields: str, tmp_path: Path
) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    about = "description: Reads tables. Use when data comes as a table.\n"
    header = f"---\nname: {name}\n{about}{fields}"
    text = f"{header}{CLIENT}---\n# Made\n\nDo this.\n"
    (folder / "SKILL.md").write_text(text)

    found = check(folder, Ruleset(profile, {}))

    assert {f.severity for f in found} <= {Severity.WARNING, Severity.NOTE}
    assert "metadata.hermes" in next(f.message for f in found if "client" in f.rule)


def test_a_policy_may_be_stricter_than_the_client(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "SKILL.md").write_text(skill_md("other", CLIENT))

    found = check(folder, Ruleset(Profile.SPEC, {"name-matches-folder": "error"}))

    assert Severity.ERROR in {f.severity for f in found}


def test_without_fields_of_a_client_the_specification_decides() -> None:
    for rule in ("field-unknown", "name-matches-folder", "name-characters"):
        for folder in (CASES / rule / "bad").iterdir():
            found = {f.rule: f.severity for f in check(folder)}
            assert found[rule] is Severity.ERROR


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


NAMES = st.sampled_from(
    ["csv-tables", "ab", "a" * 65, "fix-x", "claude-x", "a--b", "x-2026-01-01", "A", ""]
)
TEXTS = st.sampled_from(["Use when asked.", "", " ", "x" * 1100, "<b> when", "Reads"])
VALUES = TEXTS | st.sampled_from(["1.0", "yes", "[a]", "{a: b}"])
KEYS = st.sampled_from(["author", "github-repo", "local-path", "origin"])
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "name": NAMES,
        "description": VALUES,
        "license": VALUES,
        "compatibility": VALUES,
        "allowed-tools": VALUES,
        "metadata": st.dictionaries(KEYS, VALUES, max_size=2) | VALUES,
        "version": VALUES,
        "tags": VALUES,
    },
)


@given(FIELDS, NAMES)
@settings(max_examples=10 * EXAMPLES)
def test_a_quick_yes_is_what_all_rules_would_say(
    fields: dict[str, object], folder: str
) -> None:
    document = parse_text(f"---\n{_yaml(fields)}---\nText.\n")
    skill = Skill(folder, folder, {}, document, lambda _path: b"")

    if document.readable and fast_path.fields_are_fine(skill, document):
        rules = [r for r in all_rules().values() if r in _FIELD_RULES]
        assert not [r.id for r in rules if list(r.check(skill, document))]


PIECES = st.sampled_from(
    [
        "Do this.\n",
        "x\r\n",
        "\u200b",
        "\r",
        "\f",
        "\x85",
        "\u2028",
        "\x1b",
        "It does not work.\n",
        "[a](b.md)\n",
        "\n",
        " ",
    ]
) | st.sampled_from(["é", "scripts/a.py\n", "line\n" * 600, "word " * 5000, "```\n"])


@given(st.lists(PIECES, max_size=4).map("".join), st.booleans())
@settings(max_examples=5 * EXAMPLES)
def test_a_quick_yes_to_a_body_is_what_all_rules_would_say(
    body: str, by_agent: bool
) -> None:
    extra = "metadata:\n  origin: agent-foreground\n" if by_agent else ""
    document = parse_text(skill_md("csv-tables", extra, body))
    skill = Skill("csv-tables", "csv-tables", {}, document, lambda _path: b"")

    if fast_path.body_is_fine(skill, document):
        assert not [r.id for r in _BODY_RULES if list(r.check(skill, document))]


def _yaml(fields: dict[str, object], indent: str = "") -> str:
    lines = ""
    for key, value in fields.items():
        if isinstance(value, dict):
            lines += f"{indent}{key}:\n{_yaml(value, indent + '  ')}"
        else:
            text = str(value)
            lines += f"{indent}{key}: {text if text.strip() else repr(text)}\n"
    return lines


def test_a_quick_yes_is_given_to_the_usual_skill(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(skill_md("csv-tables", "license: MIT\n"))
    skill = read_folder(str(tmp_path), "csv-tables", "csv-tables")

    assert fast_path.files_are_fine(skill)
    assert skill.document is not None
    assert fast_path.fields_are_fine(skill, skill.document)


PATHS = st.sampled_from(
    ["a.md", "b/skill.md", "SKILL.md", "con.md", "Run.py", "x.sh", "b/c/d/e/f.md"]
) | st.from_regex(r"([a-z.-]{1,60}/){0,3}[a-zA-Z._ -]{1,40}", fullmatch=True)
FILES = st.builds(File, st.sampled_from(list(FileKind)), st.sampled_from([1, 20 << 20]))


@given(st.dictionaries(PATHS, FILES | st.just(File(FileKind.FILE, 1)), max_size=4))
@settings(max_examples=6 * EXAMPLES)
def test_a_quick_yes_to_any_files_is_what_all_rules_would_say(
    files: dict[str, File],
) -> None:
    skill = Skill(
        "x", "x", {"SKILL.md": File(FileKind.FILE, 1)} | files, None, str.encode
    )

    if fast_path.files_are_fine(skill):
        assert not [r.id for r in _FOLDER_RULES if list(r.check(skill))]


@pytest.mark.parametrize("folder", cases("bad"))
def test_a_quick_yes_to_files_is_what_all_rules_would_say(folder: Path) -> None:
    skill = read_folder(str(folder), folder.name, folder.name)
    if fast_path.files_are_fine(skill):
        assert not [r.id for r in _FOLDER_RULES if list(r.check(skill))]


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        pytest.param("](a" * 330_000, id="open-links"),
        pytest.param("[x](a) " * 140_000, id="links-in-one-line"),
        pytest.param("".join(f"[x](f{n}.md)\n" for n in range(60_000)), id="dead"),
        pytest.param("```\nnot work\n```\n" * 60_000, id="code-blocks"),
        pytest.param("## " + "# " * 500_000 + "x", id="heading"),
        pytest.param("`" * 1_000_000, id="backticks"),
        pytest.param("scripts/" * 120_000, id="paths"),
        pytest.param("a/" * 500_000, id="slashes"),
    ],
)
def test_a_hostile_body_takes_no_more_than_its_size(body: str) -> None:
    head = "---\nname: csv-tables\ndescription: x\nmetadata:\n  origin: agent-x\n---\n"
    files = {f"references/{n}.md": File(FileKind.FILE, 1) for n in range(900)}
    document = parse_text((head + body)[: 1 << 20])
    skill = Skill("csv-tables", "csv-tables", files, document, lambda _path: b"")

    assert len(PORTABLE.check(skill)) < 100
