"""Agreement with the reference validator `skills-ref`, and where we differ and why.

The inputs are those of its own test suite; docs/validate.md lists the differences.
"""

from pathlib import Path

import pytest
import skills_ref
from skills_ref.parser import find_skill_md

from skillforge.checks import Ruleset
from skillforge.library import read_folder
from skillforge.model import Profile, Severity
from tests.conftest import CASES

D = "description: A test skill\n"
SPEC = Ruleset(Profile.SPEC, {})


def ours(folder: Path) -> list[str]:
    found = SPEC.check(read_folder(str(folder), folder.name, folder.name))
    return [f.rule for f in found if f.severity is Severity.ERROR]


def theirs(folder: Path) -> bool:
    try:
        return not skills_ref.validate(folder)
    except (UnicodeDecodeError, AttributeError):  # it crashes on such files
        return False


def make(tmp_path: Path, name: str, text: str | None, file: str = "SKILL.md") -> Path:
    folder = tmp_path / name
    folder.mkdir()
    if text is not None:
        (folder / file).write_text(text, encoding="utf-8", newline="")
    return folder


def header(name: str, rest: str = D) -> str:
    return f"---\nname: {name}\n{rest}---\n# My Skill\n"


# name of the folder, text, the rule that must fire (None: valid)
PARSER = [
    pytest.param("my-skill", header("my-skill"), None, id="valid"),
    pytest.param("s", "# No frontmatter here", "frontmatter-missing", id="missing"),
    pytest.param("s", "---\nname: s\n" + D, "fence-unclosed", id="unclosed"),
    pytest.param("s", "---\nname: [invalid\n---\n", "yaml-unclosed", id="not-yaml"),
    pytest.param("s", "---\n- a\n- b\n---\n", "frontmatter-mapping", id="list"),
    pytest.param("my-skill", header("my-skill", D + "license: MIT\n"), None, id="mit"),
    pytest.param(
        "my-skill",
        header("my-skill", D + "metadata:\n  author: Test Author\n  version: 1.0\n"),
        None,
        id="metadata",
    ),
    pytest.param("s", None, "skill-file", id="no-file"),
    pytest.param("s", f"---\n{D}---\n", "field-required", id="no-name"),
    pytest.param("s", "---\nname: s\n---\n", "field-required", id="no-description"),
    pytest.param(
        "my-skill",
        header("my-skill", D + "allowed-tools: Bash(jq:*) Bash(git:*)\n"),
        None,
        id="tools",
    ),
]
LONG = "a" * 70
VALIDATOR = [
    pytest.param("my-skill", header("my-skill"), None, id="valid"),
    pytest.param("empty", None, "skill-file", id="empty-folder"),
    pytest.param("MySkill", header("MySkill"), "name-lowercase", id="uppercase"),
    pytest.param(LONG, header(LONG), "name-length", id="long"),
    pytest.param("-my-skill", header("-my-skill"), "name-hyphens", id="hyphen"),
    pytest.param("my--skill", header("my--skill"), "name-hyphens", id="hyphens"),
    pytest.param("my_skill", header("my_skill"), "name-characters", id="underscore"),
    pytest.param("wrong", header("correct"), "name-matches-folder", id="folder"),
    pytest.param(
        "s", header("s", D + "unknown_field: x\n"), "field-unknown", id="unknown"
    ),
    pytest.param(
        "s", header("s", D + "license: MIT\nmetadata:\n  a: b\n"), None, id="all"
    ),
    pytest.param("s", header("s", D + "allowed-tools: Read\n"), None, id="tools"),
    pytest.param("技能", header("技能"), None, id="chinese"),
    pytest.param("мой-навык", header("мой-навык"), None, id="russian-hyphen"),
    pytest.param("навык", header("навык"), None, id="russian"),
    pytest.param("НАВЫК", header("НАВЫК"), "name-lowercase", id="russian-upper"),
    pytest.param(
        "s",
        header("s", f"description: {'x' * 1100}\n"),
        "description-length",
        id="long-description",
    ),
    pytest.param(
        "s",
        header("s", D + "compatibility: Requires Python 3.11+\n"),
        None,
        id="compatibility",
    ),
    pytest.param(
        "s",
        header("s", D + f"compatibility: {'x' * 550}\n"),
        "compatibility-length",
        id="long-compatibility",
    ),
    pytest.param("caf\u00e9", header("cafe\u0301"), None, id="nfkc"),
]


@pytest.mark.parametrize(("name", "text", "rule"), [*PARSER, *VALIDATOR])
def test_the_reference_cases(
    tmp_path: Path, name: str, text: str | None, rule: str | None
) -> None:
    folder = make(tmp_path, name, text)

    assert theirs(folder) == (rule is None)
    assert (rule in ours(folder)) if rule else ours(folder) == []


def test_a_folder_that_does_not_exist_is_refused(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert skills_ref.validate(tmp_path / "nope")
    assert run("validate", str(tmp_path / "nope")).code == 2


def test_a_file_in_place_of_a_folder_is_refused(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "file.txt"
    file.touch()
    assert skills_ref.validate(file)
    assert run("validate", str(file)).code == 2


@pytest.mark.parametrize("both", [True, False], ids=["both", "only-lower-case"])
def test_the_exact_name_counts_where_two_files_differ_in_case(
    tmp_path: Path, both: bool
) -> None:
    folder = make(tmp_path, "my-skill", header("my-skill"), "skill.md")
    if both:
        (folder / "SKILL.md").write_text(header("my-skill"))

    assert find_skill_md(folder) == folder / ("SKILL.md" if both else "skill.md")
    assert ours(folder) == ([] if both else ["skill-file"])


def test_scalars_of_metadata_are_text_as_written(tmp_path: Path) -> None:
    text = header("my-skill", D + "metadata:\n  author: Test Author\n  version: 1.10\n")
    folder = make(tmp_path, "my-skill", text)
    document = read_folder(str(folder), "my-skill", "").document

    assert document is not None
    assert document.fields["metadata"] == {"author": "Test Author", "version": "1.10"}
    assert skills_ref.read_properties(folder).metadata == document.fields["metadata"]


# What skills-ref says, what we say, and who is right: docs/validate.md explains each.
DIFFERENT = [
    pytest.param(D + "metadata: {a: b}\n", None, id="flow-style-is-yaml"),
    pytest.param(D + "allowed-tools:\n  a: b\n", "field-text", id="tools-map"),
    pytest.param(D + "metadata: foo\n", "metadata-map", id="metadata-text"),
    pytest.param(D + "license:\n  - MIT\n", "field-text", id="license-list"),
    pytest.param(D + 'compatibility: ""\n', "compatibility-length", id="empty"),
    pytest.param(D + "user-invocable: true\n", None, id="client-field"),
]


@pytest.mark.parametrize(("rest", "rule"), DIFFERENT)
def test_the_documented_differences(
    tmp_path: Path, rest: str, rule: str | None
) -> None:
    folder = make(tmp_path, "my-skill", header("my-skill", rest))

    assert theirs(folder) == (rule is not None)
    assert ours(folder) == ([rule] if rule else [])


def test_three_hyphens_inside_a_value_cut_nothing_off(tmp_path: Path) -> None:
    folder = make(tmp_path, "my-skill", header("my-skill", "description: a --- b\n"))
    document = read_folder(str(folder), "my-skill", "").document

    assert skills_ref.read_properties(folder).description == "a"
    assert document is not None
    assert document.fields["description"] == "a --- b"


SAME_EDGES = [
    pytest.param("name: my-skill\n" + D + "license: MIT\nlicense: X\n", id="duplicate"),
    pytest.param("name: my-skill\n" + D + "license: &x MIT\n", id="anchor"),
    pytest.param("name: my-skill\n" + D + "license: !!str MIT\n", id="tag"),
    pytest.param("name: my-skill\ndescription: Use when: x\n", id="colon"),
    pytest.param("name: my-skill\ndescription: " + "x" * 1024 + "\n", id="1024"),
    pytest.param("name: my-skill\ndescription: " + "x" * 1025 + "\n", id="1025"),
    pytest.param("name: my-skill\ndescription: true\n", id="boolean"),
    pytest.param(f'name: my-skill\ndescription: "{"x" * 1024} "\n', id="trailing"),
    pytest.param('name: " my-skill "\n' + D, id="spaces"),
    pytest.param("name: हिन्दी\n" + D, id="combining-marks"),
    pytest.param("name: a²\n" + D, id="superscript"),
]


@pytest.mark.parametrize("text", SAME_EDGES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_the_edges_where_both_agree(tmp_path: Path, text: str, newline: str) -> None:
    name = text.split("\n")[0].removeprefix("name: ").strip('" ')
    whole = f"---\n{text}---\n".replace("\n", newline)
    folder = make(tmp_path, name, whole)

    assert (ours(folder) == []) == theirs(folder)


@pytest.mark.parametrize(
    "folder",
    [pytest.param(f, id=f"{f.parts[-3]}-{f.name}") for f in CASES.glob("*/*/*")],
)
def test_our_cases_meet_the_same_verdict_or_a_known_difference(folder: Path) -> None:
    differs = {
        "allowed-tools-text",
        "compatibility-length",
        "fence-inexact",
        "frontmatter-single",
        "description-when",
        "field-client",
        "field-client-type",
        "field-text",
        "metadata-map",
        "metadata-text",
        "skill-file",
        "template-description",
        "template-text",
        "yaml-text-after-bracket",
        "yaml-depth",
    }

    if folder.parts[-3] not in differs:
        assert (ours(folder) == []) == theirs(folder)
