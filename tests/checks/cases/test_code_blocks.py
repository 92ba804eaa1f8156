"""Code blocks of SKILL.md: syntax, placeholders, and those marked `test`."""

import pytest

from tests.checks.cases.conftest import Prove


def block(language: str, text: str) -> str:
    return f"# Title\n\nDo this.\n\n```{language}\n{text}\n```\n"


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "def f(:"),
        ("python", "print 'x'"),
        ("json", '{"a": }'),
        ("json", "{'a': 1}"),
        ("yaml", "a: [1"),
        ("yaml", "a: b: c"),
        ("toml", "a ="),
        ("sh", "if true; then"),
        ("bash", "for x in; do"),
        ("sh", "echo 'open"),
    ],
)
def test_what_is_not_code_fails(prove: Prove, language: str, text: str) -> None:
    trials = prove({}, body=block(language, text))

    [trial] = trials.values()
    assert trial["outcome"] == "failed"
    assert trial["case"].startswith(f"SKILL.md:10 {language}")
    assert trial["detail"]


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "x = <your value>\nprint(x)"),
        ("python", ">>> 1 + 1\n2"),
        ("python", "!pip install x\n%time f()"),
        ("python", "await f()\n..."),
        ("python", "    indented = 1"),
        ("json", '{"a": <number>, // why\n "b": [1, 2, ...],}'),
        ("json", '"a": 1,\n"b": 2'),
        ("json", '{"a": 1}\n{"a": 2}'),
        ("yaml", "a: {{ value }}\nb: <name>"),
        ("yaml", "a: 1\n---\nb: 2"),
        ("toml", 'a = "<x>"\n[b]\nc = 1'),
        ("sh", "cp <source file> <target>"),
        ("sh", "$ git status\n$ git diff …"),
        ("bash", "diff <(sort a) <(sort b)"),
        ("text", "anything ( goes"),
        ("python3 title", "x = 1"),
        ("javascript", "what ("),
    ],
)
def test_placeholders_are_allowed(prove: Prove, language: str, text: str) -> None:
    trials = prove({}, body=block(language, text))

    assert all(trial["outcome"] == "passed" for trial in trials.values()), trials


@pytest.mark.needs_sandbox
def test_blocks_marked_test_are_run(prove: Prove) -> None:
    body = (
        block("sh test", "sh scripts/a.sh > out\ngrep -q hello out")
        + block("python test", "assert 1 + 1 == 3, 'sums'")
        + block("bash test", "false | true\nfalse\ntrue")
    )
    trials = prove({"scripts/a.sh": "#!/bin/sh\necho hello"}, body=body)

    ends = {case.split()[1]: trial for case, trial in trials.items()}
    assert ends["sh"]["outcome"] == "passed"
    assert ends["python"]["outcome"] == "failed"
    assert "AssertionError: sums" in ends["python"]["detail"]
    assert ends["bash"]["outcome"] == "failed"


def test_a_block_in_a_list_is_read_without_its_indent(prove: Prove) -> None:
    body = "# T\n\n1. Do\n\n   ```python\n   def f():\n       return 1\n   ```\n"

    assert prove({}, body=body) == {}
