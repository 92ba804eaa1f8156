"""Processes end as told, and leave nothing behind."""

import pytest

from skillforge import processes
from skillforge.errors import ToolError


def test_a_missing_program_is_a_tool_error() -> None:
    with pytest.raises(ToolError, match="no-such-program is not installed"):
        processes.run(["no-such-program"])


def test_a_failure_is_a_value() -> None:
    result = processes.run(["sh", "-c", "cat; echo wrong >&2; exit 3"], stdin=b"in")

    assert result == (3, b"in", b"wrong\n")


def test_a_process_left_early_is_gone() -> None:
    process = processes.start(["sleep", "60"])
    with pytest.raises(KeyError), processes.running(process):
        raise KeyError

    assert process.poll() is not None
