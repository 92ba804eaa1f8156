"""Examples as the `data` of `--json`."""

from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from skillforge.model import Example

if TYPE_CHECKING:
    from skillforge.workflows.examples import (
        DecidedExamples,
        ExampleDetail,
        ExampleList,
    )


class ExampleRowData(TypedDict):
    """An example without its steps."""

    id: str
    task: str
    value: float
    status: str
    outcome: str
    source: str
    session: str
    format: str
    tools: list[str]
    flags: list[str]
    redacted: dict[str, int]


class ExampleListData(TypedDict):
    """The examples that match a filter, and how many there are in all."""

    examples: list[ExampleRowData]
    total: int


class ExampleDetailData(TypedDict):
    """One example as it would be committed; `taken` holds its private values."""

    id: str
    example: dict[str, Any]
    taken: NotRequired[dict[str, str]]


class DecidedExamplesData(TypedDict):
    """Examples that were approved or rejected."""

    examples: list[ExampleRowData]


class ExamplesHelpData(TypedDict):
    """Nothing: `skillforge examples` alone prints its help."""


def example_row(example: Example) -> ExampleRowData:
    return {
        "id": example.id,
        "task": example.task,
        "value": example.worth.value,
        "status": example.review.status,
        "outcome": str(example.outcome.status),
        "source": str(example.outcome.source),
        "session": example.session,
        "format": example.format,
        "tools": list(dict.fromkeys(example.tools)),
        "flags": list(example.flags),
        "redacted": dict(example.redacted),
    }


def example_list(result: "ExampleList") -> ExampleListData:
    rows = [example_row(example) for example in result.examples]
    return {"examples": rows, "total": result.total}


def detail(result: "ExampleDetail") -> ExampleDetailData:
    data = ExampleDetailData(id=result.id, example=result.example.record)
    if result.taken is not None:
        data["taken"] = dict(result.taken)
    return data


def decided(result: "DecidedExamples") -> DecidedExamplesData:
    return {"examples": [example_row(example) for example in result.examples]}
