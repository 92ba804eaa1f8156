import json
from typing import Any

import pytest

from skillforge.learn.formats.outcome_hints import by_reward, has_failed, is_error_text
from skillforge.model import OutcomeSource, OutcomeStatus


@pytest.mark.parametrize(
    "text",
    [
        "Error: payment method not found",
        "error: pathspec 'x' did not match",
        "ERROR: could not open",
        "Error executing tool search: timeout",
        "Error while reading the file",
        "Error code: 404",
        "  \n Error: indented",
        "fatal: not a git repository",
        'Traceback (most recent call last):\n  File "a.py", line 1',
        "ValueError: bad literal",
        "java.lang.IllegalStateException: closed",
        "Exit code 1\nFAILED tests/test_a.py",
        "Exit code: 127\nWall time: 0.1 seconds\nOutput:\n",
        "exit code 2",
        "[exit status: 1]",
        "Command failed with exit code 1.",
        "Process exited with code 3",
        "Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n",
        "bash: jq: command not found",
        "/bin/sh: 1: jq: not found",
        "<tool_use_error>String to replace not found</tool_use_error>",
        '{"error": "no such user"}',
        '{"error": {"code": 404}}',
        '{"success": false, "reason": "closed"}',
        '{"output": "boom", "exit_code": 2}',
        '{"output": "boom", "metadata": {"exit_code": 2}}',
        '{"status": "error"}',
        '{"isError": true, "content": []}',
    ],
)
def test_an_answer_that_starts_with_a_failure_is_an_error(text: str) -> None:
    assert is_error_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok",
        "Errors: 0",
        "Error handling in Python: a guide",
        "Error codes of the interface",
        "error_log.txt\nmain.py",
        "errors.md: how to read an error",
        "src/main.c:12: return exit code 1",
        "Found 3 files\nerror: in a string",
        "3 results\n1. Error: what it means\n2. Traceback (most recent call last)",
        "Exit code 0\nError: only a word in the output",
        "Exit code: 0\nWall time: 1 second\nOutput:\nerror: none",
        "exit code 1 means that it failed",
        "Process exited with code 0",
        "No errors found",
        '{"error": null, "output": "ok"}',
        '{"error": "", "rows": []}',
        '{"error": "none"}',
        '{"success": true, "error": "0 of 3"}',
        '{"exit_code": 0, "error": "a warning"}',
        '{"results": [{"error": "in a row"}]}',
        '{"status": "failed", "run": 7}',
        '{"error": not json',
    ],
)
def test_an_answer_that_only_speaks_of_errors_is_none(text: str) -> None:
    assert not is_error_text(text)


def test_only_the_start_of_a_huge_answer_decides() -> None:
    assert is_error_text("Error: " + "x" * 10**7)
    assert not is_error_text("{" * 10**7)
    assert not is_error_text(json.dumps({"text": "x" * 10**6, "error": "late"}))


def test_an_answer_may_say_nothing_of_its_success() -> None:
    assert has_failed({"rows": [1]}) is None
    assert has_failed({"exit_code": True}) is None


@pytest.mark.parametrize(
    ("reward", "status"),
    [
        pytest.param(1, OutcomeStatus.SUCCESS, id="one"),
        pytest.param(1.0, OutcomeStatus.SUCCESS, id="float"),
        pytest.param(True, OutcomeStatus.SUCCESS, id="true"),
        pytest.param(" 1.0\n", OutcomeStatus.SUCCESS, id="text"),
        pytest.param("true", OutcomeStatus.SUCCESS, id="true-text"),
        pytest.param(0, OutcomeStatus.FAILURE, id="zero"),
        pytest.param(False, OutcomeStatus.FAILURE, id="false"),
        pytest.param(0.75, OutcomeStatus.FAILURE, id="part"),
        pytest.param("0", OutcomeStatus.FAILURE, id="zero-text"),
        pytest.param(None, OutcomeStatus.UNKNOWN, id="none"),
        pytest.param("good", OutcomeStatus.UNKNOWN, id="word"),
        pytest.param("nan", OutcomeStatus.UNKNOWN, id="nan"),
        pytest.param(10**400, OutcomeStatus.UNKNOWN, id="huge"),
        pytest.param([1], OutcomeStatus.UNKNOWN, id="list"),
    ],
)
def test_a_reward_of_one_is_a_success_and_any_other_a_failure(
    reward: Any, status: OutcomeStatus
) -> None:
    result = by_reward(reward, "reward")
    assert result.status is status
    is_judged = status is not OutcomeStatus.UNKNOWN
    assert result.source is (
        OutcomeSource.VERIFIER if is_judged else OutcomeSource.NONE
    )
