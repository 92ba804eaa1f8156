"""Examples as text for a terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillforge.model import Example, Step, StepKind
from skillforge.report import plural, printable
from skillforge.text import lines_of

if TYPE_CHECKING:
    from skillforge.workflows.examples import (
        DecidedExamples,
        ExampleDetail,
        ExampleList,
    )

ID = 12  # characters of an id that are shown
_LINE = 88


def example_line(example: Example) -> str:
    mark = {"approved": "+", "rejected": "-"}.get(example.review.status, " ")
    outcome = f"{example.outcome.status}/{example.outcome.source}"
    flag = " !" if "instructions" in example.flags else ""
    head = f"{mark} {example.id[:ID]}  {example.worth.value:.1f}  {outcome:16}"
    return f"{head} {short(example.task, _LINE - len(head))}{flag}"


def short(text: str, most: int) -> str:
    """A text on one line, cut to a width."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: max(1, most - 1)]}…"


def example_list(result: "ExampleList") -> str:
    shown = result.examples
    pending = sum(example.review.status == "pending" for example in shown)
    lines = [printable(example_line(example)) for example in shown]
    if not result.total:
        return "no examples yet\nnext: skillforge capture FILE"
    lines.append(
        f"{plural(len(shown), 'example')} of {result.total}, {pending} pending review"
    )
    if shown:
        lines.append(
            "+ approved, - rejected, ! contains instructions aimed at the agent"
        )
    return "\n".join(lines)


def detail(result: "ExampleDetail") -> str:
    """One example in full: a reviewer has to see all of it."""
    return "\n".join(map(printable, _detail_lines(result)))


def _detail_lines(result: "ExampleDetail") -> Iterator[str]:
    example = result.example
    outcome, review, worth = example.outcome, example.review, example.worth
    parts = [name for name, holds in worth._asdict().items() if holds]
    by = f", by {outcome.by}" if outcome.by else ""
    reviewer = f" by {review.by}" if review.by else ""
    reason = f": {review.reason}" if review.reason else ""
    redacted = ", ".join(f"{count} {kind}" for kind, count in example.redacted.items())
    output = "" if isinstance(example.output, str) else example.output
    yield f"example   {result.id}"
    yield f"task      {example.task}"
    yield f"session   {example.session or '-'} ({example.format})"
    yield f"outcome   {outcome.status} ({outcome.source}{by})"
    yield f"value     {worth.value:.1f} ({', '.join(parts) or 'nothing'})"
    yield f"review    {review.status}{reviewer}{reason}"
    yield from [f"inputs    {dict(example.inputs)}"] if example.inputs else []
    yield from [f"flags     {', '.join(example.flags)}"] if example.flags else []
    yield from [f"redacted  {redacted}"] if redacted else []
    yield from (f"  {put} = {value}" for put, value in (result.taken or {}).items())
    yield from [f"notes     {example.notes}"] if example.notes else []
    yield ""
    for step in example.steps:
        yield from _step_lines(step)
    yield from [f"output    {output}"] if output else []
    yield from [f"… {example.left_out} more steps"] if example.left_out else []


def _step_lines(step: Step) -> Iterator[str]:
    marks = {StepKind.ERROR: "!", StepKind.OBSERVATION: "<", StepKind.CALL: ">"}
    text = step.text
    if step.kind is StepKind.CALL:
        arguments = (f"{key}={value!r}" for key, value in step.arguments.items())
        text = f"{step.tool}({', '.join(arguments)})"
    first, *rest = lines_of(text) or [""]
    yield f"  {marks.get(step.kind, step.role)} {first}"
    yield from (f"      {line}" for line in rest)


def decided(result: "DecidedExamples") -> str:
    lines = [f"{result.status} {plural(len(result.examples), 'example')}"]
    unverified = sum(not example.outcome.is_verified for example in result.examples)
    if result.status == "approved" and unverified:
        lines.append(
            f"{unverified} of them won't count as evidence: the outcome is not "
            "verified; if you saw it, add --outcome success"
        )
    if result.withheld:
        lines.append(
            f"{plural(len(result.withheld), 'example')} not approved: text contains "
            "instructions aimed at the agent; review and approve by id"
        )
    return "\n".join(lines)
