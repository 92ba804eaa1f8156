"""Code blocks of SKILL.md: those marked `test` are run, others are illustrations."""

import pytest

from tests.checks.cases.conftest import Prove


def block(language: str, text: str) -> str:
    return f"# Title\n\nDo this.\n\n```{language}\n{text}\n```\n"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        pytest.param("sh", "--flag VALUE  # an option", id="options"),
        pytest.param("bash", "$ git status\nOn branch main", id="prompt"),
        pytest.param("python", "for each row:\n    do something", id="pseudo-code"),
        pytest.param("json", '"a": 1, ...', id="fragment"),
        pytest.param("yaml", "a: [1", id="open"),
        pytest.param("toml", "a =", id="no-value"),
        pytest.param("python title=test", "def f(:", id="other-words"),
        pytest.param("", "if true; then", id="no-language"),
    ],
)
def test_blocks_are_illustrations(prove: Prove, language: str, text: str) -> None:
    assert prove({}, body=block(language, text)) == {}


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


@pytest.mark.needs_sandbox
def test_a_block_in_a_list_is_run_without_its_indent(prove: Prove) -> None:
    body = "# T\n\n1. Do\n\n   ```python test\n   def f():\n       return 1\n   ```\n"

    [trial] = prove({}, body=body).values()
    assert trial["outcome"] == "passed"


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_marked_block_may_begin_with_a_hyphen(prove: Prove, shell: str) -> None:
    [trial] = prove({}, body=block(f"{shell} test", "--flag")).values()

    assert trial["outcome"] == "failed"
    assert "not found" in trial["detail"]


def test_a_marked_block_of_another_language_is_an_error(prove: Prove) -> None:
    [trial] = prove({}, body=block("json test", "{}")).values()

    assert trial["outcome"] == "error"
