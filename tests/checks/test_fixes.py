"""`validate --fix` mends what has one right answer, and changes no meaning."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from skillforge.checks import Ruleset, all_rules
from skillforge.checks.fixes import FIXABLE, fix_document
from skillforge.document import parse
from skillforge.library import read_folder
from skillforge.model import Profile, Skill
from tests.conftest import CASES, EXAMPLES, LibraryFolder, Run, parse_text, skill_md
from tests.document.test_document import HEADERS

PORTABLE = Ruleset(Profile.PORTABLE, {})


def skill(text: str, name: str = "csv-tables") -> Skill:
    return Skill(name, name, {}, parse_text(text), lambda _path: b"")


def fixed(text: str, ruleset: Ruleset = PORTABLE) -> str:
    result = fix_document(skill(text), ruleset)
    return result.after.decode() if result else text


@pytest.mark.parametrize("rule", sorted(FIXABLE))
def test_each_fixable_rule_passes_after_its_fix(rule: str) -> None:
    met = []
    for folder in (CASES / rule / "bad").iterdir():
        before = read_folder(str(folder), folder.name, folder.name)
        result = fix_document(before, PORTABLE)
        if result is not None:
            after = replace(before, document=parse(result.after))
            met.append(rule not in {f.rule for f in PORTABLE.check(after)})
    assert met
    assert all(met)


def test_every_fixer_belongs_to_a_rule() -> None:
    assert set(all_rules()) >= FIXABLE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("d: a: b", 'd: "a: b"', id="colon"),
        pytest.param('d: say "a": b', "d: 'say \"a\": b'", id="inner-quotes"),
        pytest.param("d: a\\n: b", "d: 'a\\n: b'", id="backslash"),
        pytest.param("d: x\n  and when: z: w", 'd: "x and when: z: w"', id="two-lines"),
        pytest.param("d: *.md", 'd: "*.md"', id="star"),
        pytest.param("d: @me", 'd: "@me"', id="at"),
        pytest.param("d: | a\n  b", "d: |\n  a\n  b", id="block-text"),
        pytest.param("d: {{x}}", 'd: "{{x}}"', id="braces"),
        pytest.param("d: [a] [b]", 'd: "[a] [b]"', id="brackets"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_only_the_value_is_quoted(before: str, after: str, newline: str) -> None:
    spec = Ruleset(Profile.SPEC, {})
    whole = "---\n# note\nname: csv-tables\n{}\nlicense: 'MIT' # kept\n---\nBody"

    result = fixed(whole.format(before).replace("\n", newline), spec)

    assert result == whole.format(after).replace("\n", newline)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("d: a: b # comment", id="maybe-a-comment"),
        pytest.param('d: "a "b" c"', id="inner-quotes"),
        pytest.param('d: "\\d"', id="escape"),
        pytest.param("tags: [a, b]", id="list-has-no-one-text"),
        pytest.param("license:", id="nothing-to-quote"),
    ],
)
def test_what_needs_judgement_is_left(line: str) -> None:
    text = f"---\nname: csv-tables\n{line}\n---\n"

    assert fixed(text) == text


HEAD = "---\nname: csv-tables\ndescription: Reads. Use when asked.\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("name: a\ndescription: b\n# Title\n\nBody\n", id="heading"),
        pytest.param("name: a\ndescription: b\nNote: this\n\nBody\n", id="prose"),
        pytest.param("name: a\n\ndescription: b\n\n# T\n", id="gap"),
        pytest.param(
            "```yaml\n---\nname: a\n---\n```\n\n# B\n\n```sh\nls\n```\n",
            id="two-fences",
        ),
        pytest.param(HEAD + "license: a: b\n  allowed-tools: Read\n---\n", id="field"),
        pytest.param(HEAD + "metadata: foo: bar\n  baz: qux\n---\n", id="mapping"),
        pytest.param(HEAD + "# Body\n  ---\nfoo\n", id="rule-in-body"),
        pytest.param(HEAD + "descripton: x\n---\n", id="typing-mistake"),
        pytest.param(HEAD + "allowed_tools: Read\n---\n", id="underscore"),
        pytest.param(HEAD.replace("\n", "\r") + "---\r", id="carriage-returns"),
        pytest.param(HEAD + "level: x # keep\n---\n", id="comment"),
        pytest.param(HEAD + "level: x # keep\n---", id="comment-at-the-end"),
        pytest.param(
            "name: a\ndescription: |\n  One.\n\n  Two.\n\n# T\n", id="block-with-gap"
        ),
        pytest.param(
            "name: a\ndescription: b\n\nlicense: MIT\n\n# T\n", id="fields-after-gap"
        ),
        pytest.param(
            "---\nname: a\ndescription: |\n  x\n  ---\n  y\n----\n# T\n",
            id="rule-in-block",
        ),
        pytest.param(HEAD + "Note: body\n    ---\nfoo\n", id="unknown-field-before"),
        pytest.param(HEAD + "compatibility: > 3.10\n---\n", id="greater-than"),
        pytest.param(HEAD + "license: | MIT # see\n---\n", id="block-comment"),
        pytest.param(HEAD + "license: a: b\t# c\n---\n", id="tab-comment"),
        pytest.param(HEAD + "n: >-\n  a\n\tlicense: MIT\n---\n", id="tab-after-block"),
        pytest.param(
            HEAD + "allowed-tools:\n  - A # why\n  - B\n---\n", id="list-comment"
        ),
        pytest.param(HEAD + 'allowed-tools: [A, "x y"]\n---\n', id="tool-with-space"),
    ],
)
def test_a_doubtful_case_is_left_as_it_is(text: str) -> None:
    assert fixed(text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            HEAD + "metadata:\n  note: | some text\n  other: x\n---\n",
            HEAD + "metadata:\n  note: |\n    some text\n  other: x\n---\n",
            id="block-text-inside-metadata",
        ),
        pytest.param(
            HEAD.replace("---", "----") + "----\n# T\n", HEAD + "---\n# T\n", id="four"
        ),
        pytest.param(
            HEAD + "metadata:\n  a: |\n    - **x**\nlicense: MIT: mod\n---\n",
            HEAD + 'metadata:\n  a: |\n    - **x**\nlicense: "MIT: mod"\n---\n',
            id="block-above",
        ),
        pytest.param(
            HEAD + "paths:\n  - *.md\n  - @x\n---\n",
            HEAD + 'paths:\n  - "*.md"\n  - "@x"\n---\n',
            id="list-items",
        ),
        pytest.param(
            HEAD
            + "metadata:\n"
            + "".join(f"  k{n}: {n}\n" for n in range(250))
            + "---\n",
            HEAD
            + "metadata:\n"
            + "".join(f'  k{n}: "{n}"\n' for n in range(250))
            + "---\n",
            id="many",
        ),
    ],
)
def test_a_clear_case_is_fixed_completely(before: str, after: str) -> None:
    assert fixed(before) == after


def test_unknown_fields_move_under_metadata_in_portable_only() -> None:
    text = skill_md("csv-tables", "level: 3\nmetadata:\n  author: me\n")

    assert fixed(text) == skill_md(
        "csv-tables", 'metadata:\n  author: me\n  level: "3"\n'
    )
    assert fixed(text, Ruleset(Profile.SPEC, {})) == text


def test_a_field_is_not_moved_over_another() -> None:
    text = skill_md("csv-tables", "level: hard\nmetadata:\n  level: easy\n")

    assert fixed(text) == text


@given(HEADERS)
@settings(max_examples=6 * EXAMPLES, deadline=None)
def test_fixing_is_idempotent_and_keeps_every_text(header: str) -> None:
    text = f"---\n{header}---\nBody\n"
    once = fixed(text)

    assert fixed(once) == once
    before, after = parse_text(text), parse_text(once)
    if before.readable:
        assert after.readable
        assert sorted(_texts(before.fields)) == sorted(_texts(after.fields))


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        # a list of tools becomes one text
        return " ".join(text for item in value for text in _texts(item)).split()
    return str(value).split()


def test_fix_shows_a_diff_and_writes_only_on_request(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(library.root)
    file = library.write(
        "skills/csv-tables/SKILL.md", "\ufeff" + skill_md("csv-tables")
    )
    before = file.read_bytes()

    shown = run("validate", "--fix")
    assert shown.code == 1
    assert "+++ b/skills/csv-tables/SKILL.md" in shown.out
    assert file.read_bytes() == before

    written = run("validate", "--fix", "--write", "--json")
    assert written.code == 0
    assert [fix["rules"] for fix in written.data["fixes"]] == [["encoding-bom"]]
    assert file.read_text() == skill_md("csv-tables")
    assert run("validate", "--fix").out.startswith("0 files can be fixed")


def test_fix_keeps_the_file_mode_and_leaves_no_other_file(
    library: LibraryFolder, run: Run
) -> None:
    file = library.write(
        "skills/csv-tables/SKILL.md", "\ufeff" + skill_md("csv-tables")
    )
    file.chmod(0o600)

    run("validate", "--library", str(library.root), "--fix", "--write")

    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["SKILL.md"]


def test_fix_works_on_the_checkout_only(library: LibraryFolder, run: Run) -> None:
    ran = run("validate", "--library", str(library.root), "--fix", "--rev", "HEAD")

    assert ran.code == 2
    assert "--rev" in ran.err


def test_fix_does_not_follow_a_link_out_of_the_skill(tmp_path: Path, run: Run) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("\ufeff" + skill_md("linked"))
    folder = tmp_path / "linked"
    folder.mkdir()
    (folder / "SKILL.md").symlink_to(outside)

    assert run("validate", str(folder), "--fix", "--write").code == 1
    assert outside.read_text().startswith("\ufeff")
