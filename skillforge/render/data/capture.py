"""Captures as the `data` of `--json`."""

from typing import TYPE_CHECKING, TypedDict

from skillforge.render.data.examples import ExampleRowData, example_row

if TYPE_CHECKING:
    from skillforge.learn.capture import CaptureResult


class PassedOverData(TypedDict):
    """An episode that was not kept, why, and the parts of its learning value."""

    task: str
    value: float
    why: str
    success: bool
    several_tools: bool
    recovered: bool
    generalizable: bool


class CaptureProblemData(TypedDict):
    """What could not be read, and where."""

    path: str
    line: int
    message: str


class CaptureData(TypedDict):
    """What happened to the episodes of some transcripts."""

    kept: int
    skipped: int
    known: int
    approved: int
    failures: int
    files: int
    unchanged: int
    examples: list[ExampleRowData]
    reasons: dict[str, int]
    passed_over: list[PassedOverData]
    problems: list[CaptureProblemData]
    more_problems: int


def capture(result: "CaptureResult") -> CaptureData:
    return {
        "kept": len(result.kept),
        "skipped": sum(result.skipped.values()),
        "known": result.known,
        "approved": result.approved,
        "failures": len(result.failures),
        "files": result.files,
        "unchanged": result.unchanged,
        "examples": [example_row(example) for example in result.kept],
        "reasons": dict(result.skipped),
        "passed_over": [
            {
                "task": example.task,
                "value": example.worth.value,
                "why": why,
                "success": example.worth.success,
                "several_tools": example.worth.several_tools,
                "recovered": example.worth.recovered,
                "generalizable": example.worth.generalizable,
            }
            for example, why in result.passed_over
        ],
        "problems": [
            {"path": problem.path, "line": problem.line, "message": problem.message}
            for problem in result.problems
        ],
        "more_problems": result.more_problems,
    }
