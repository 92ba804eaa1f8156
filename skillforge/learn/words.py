"""What the Learn stage has to say: data for scripts, words for people."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from skillforge.learn.capture import CaptureOptions, CaptureResult
from skillforge.learn.draft import Drafted
from skillforge.learn.inputs import Input, found_inputs
from skillforge.learn.patterns import Pattern
from skillforge.learn.skill_steps import SkillStep as DraftStep
from skillforge.model import EVIDENCE, SKILL_FILE, SKILLS, Example, Step, StepKind
from skillforge.report import plural, printable
from skillforge.text import lines_of

_SHOWN = 12  # letters of an id that people see
_LINE = 88
_NEAR = 0.75  # by which a skill is rather to be edited


def example_row(example: Example) -> dict[str, Any]:
    """The keys that scripts rely on, and a few more."""
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


def captured_data(done: CaptureResult) -> dict[str, Any]:
    return {
        "kept": len(done.kept),
        "skipped": sum(done.skipped.values()),
        "known": done.known,
        "approved": done.approved,
        "failures": len(done.failures),
        "files": done.files,
        "unchanged": done.unchanged,
        "examples": [example_row(example) for example in done.kept],
        "reasons": dict(done.skipped.most_common()),
        "passed_over": [
            {"task": it.task, "value": it.worth.value, "why": why, **it.worth._asdict()}
            for it, why in done.passed_over
        ],
        "problems": [problem._asdict() for problem in done.problems],
        "more_problems": done.more_problems,
    }


def captured_text(done: CaptureResult, wish: CaptureOptions) -> str:
    lines = [_example_line(example) for example in done.kept[:20]]
    if len(done.kept) > 20:
        lines.append(f"… and {len(done.kept) - 20:,} more")
    lines += [f"{it.path}:{it.line}: {it.message}" for it in done.problems[:20]]
    if (left := len(done.problems) - 20 + done.more_problems) > 0:
        lines.append(f"… and {plural(left, 'more problem')}")
    lines += [f"skipped {count}: {why}" for why, count in done.skipped.most_common()]
    lines += [_passed_over(*it) for it in done.passed_over[:5]]
    taken: dict[str, int] = {}
    for example in (*done.kept, *done.failures):
        for kind, count in example.redacted.items():
            taken[kind] = taken.get(kind, 0) + count
    if taken:
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(taken.items()))
        lines.append(f"redacted: {counts}")
    if flagged := sum("instructions" in it.flags for it in done.kept):
        are = "talks to its" if flagged == 1 else "talk to their"
        lines.append(f"{plural(flagged, 'example')} {are} reader: look at them")
    return "\n".join(map(printable, [*lines, _summary(done, wish)]))


def _passed_over(example: Example, why: str) -> str:
    lacks = [name for name, is_so in example.worth._asdict().items() if not is_so]
    said = f"{example.worth.value:.1f}, lacks {', '.join(lacks)}" if lacks else why
    return f"    {_short(example.task, 50)} ({said})"


def _summary(done: CaptureResult, wish: CaptureOptions) -> str:
    words = f"kept {plural(len(done.kept), 'example')}"
    words += f", skipped {sum(done.skipped.values())}"
    words += f", {done.known} known before" if done.known else ""
    words += f", approved {done.approved} of them" if done.approved else ""
    words += f", {plural(done.unchanged, 'file')} unchanged" if done.unchanged else ""
    words += f", {plural(len(done.problems) + done.more_problems, 'problem')}"
    if wish.is_rehearsal:
        return f"{words}; nothing was stored"
    waiting = any(it.review.status == "pending" for it in done.kept)
    return f"{words}; next: skillforge examples list" if waiting else words


def _example_line(example: Example) -> str:
    mark = {"approved": "+", "rejected": "-"}.get(example.review.status, " ")
    outcome = f"{example.outcome.status}/{example.outcome.source}"
    flag = " !" if "instructions" in example.flags else ""
    head = f"{mark} {example.id[:_SHOWN]}  {example.worth.value:.1f}  {outcome:16}"
    return f"{head} {_short(example.task, _LINE - len(head))}{flag}"


def _short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: max(1, most - 1)]}…"


def examples_text(shown: list[Example], total: int) -> str:
    lines = [printable(_example_line(example)) for example in shown]
    waiting = sum(it.review.status == "pending" for it in shown)
    lines.append(
        f"{plural(len(shown), 'example')} of {total}, {waiting} to be reviewed"
    )
    if shown:
        lines.append("+ approved, - rejected, ! talks to its reader")
    if not total:
        lines.append("skillforge capture FILE reads transcripts")
    return "\n".join(lines)


def example_text(example: Example, taken: dict[str, str]) -> str:
    """One example, its parts and its steps."""
    worth = example.worth
    parts = [name for name, is_so in worth._asdict().items() if is_so]
    by = f", by {example.outcome.by}" if example.outcome.by else ""
    reviewer = f" by {example.review.by}" if example.review.by else ""
    reason = f": {example.review.reason}" if example.review.reason else ""
    lines = [
        f"example   {example.id}",
        f"task      {example.task}",
        f"session   {example.session or '-'} ({example.format})",
        f"outcome   {example.outcome.status} ({example.outcome.source}{by})",
        f"value     {worth.value:.1f} ({', '.join(parts) or 'nothing'})",
        f"review    {example.review.status}{reviewer}{reason}",
    ]
    lines += [f"inputs    {dict(example.inputs)}"] if example.inputs else []
    lines += [f"flags     {', '.join(example.flags)}"] if example.flags else []
    counts = [f"{count} {kind}" for kind, count in example.redacted.items()]
    lines += [f"redacted  {', '.join(counts)}"] if counts else []
    lines += [f"  {place} = {value}" for place, value in taken.items()]
    lines += [f"notes     {example.notes}"] if example.notes else []
    lines += ["", *(line for step in example.steps for line in _step_lines(step))]
    if example.output and not isinstance(example.output, str):
        lines += [f"output    {example.output}"]
    lines += [f"… {example.left_out} more steps"] if example.left_out else []
    return "\n".join(map(printable, lines))


def _step_lines(step: Step) -> Iterator[str]:
    """A step in full: whoever approves has to see all of it."""
    sign = {StepKind.ERROR: "!", StepKind.OBSERVATION: "<", StepKind.CALL: ">"}
    said = step.text
    if step.kind is StepKind.CALL:
        inner = (f"{key}={value!r}" for key, value in step.arguments.items())
        said = f"{step.tool}({', '.join(inner)})"
    first, *rest = lines_of(said) or [""]
    yield f"  {sign.get(step.kind, step.role)} {first}"
    yield from (f"      {line}" for line in rest)


def pattern_row(pattern: Pattern, skill: str, alike: float) -> dict[str, Any]:
    return {
        "id": pattern.id,
        "label": pattern.label,
        "examples": [member.id for member in pattern.members],
        "sessions": pattern.sessions,
        "successes": len(pattern.successes),
        "failures": len(pattern.failures),
        "nearest_skill": skill or None,
        "similarity": round(alike, 3),
    }


def patterns_text(rows: list[dict[str, Any]], waiting: int) -> str:
    lines = [
        f"{row['id']}  {len(row['examples']):3} examples, "
        f"{plural(row['sessions'], 'session')}, {_successes(row['successes'])}  "
        f"{_short(row['label'], 40)}"
        for row in rows
    ]
    lines.append(
        f"{plural(len(rows), 'pattern')}; {plural(waiting, 'example')} waiting"
    )
    if rows:
        lines.append(f"next: skillforge patterns show {rows[0]['id']}")
    return "\n".join(map(printable, lines))


def _successes(count: int) -> str:
    return f"{count:,} success{'' if count == 1 else 'es'}"


def pattern_data(pattern: Pattern, skill: str, alike: float) -> dict[str, Any]:
    """All that is known of one pattern."""
    lined = pattern.template
    used = (dict.fromkeys(it.example.tools) for it in pattern.members)
    tools = Counter(tool for tools in used for tool in tools)
    members = [
        {
            "id": it.id,
            "task": it.example.task,
            "session": it.example.session,
            "outcome": str(it.example.outcome.status),
            "source": str(it.example.outcome.source),
            "tools": list(it.example.tools),
        }
        for it in pattern.members
    ]
    found, _ = found_inputs([it.example for it in pattern.members])
    return pattern_row(pattern, skill, alike) | {
        "members": members,
        "shared": lined.spelled,
        "tools": dict(tools.most_common()),
        "varies": [input_data(item) for item in found],
    }


def pattern_text(data: dict[str, Any]) -> str:
    near = data["nearest_skill"]
    alike = f"{near} ({data['similarity']:.0%})" if near else "none"
    lines = [
        f"pattern   {data['id']}  {data['label']}",
        f"examples  {len(data['examples'])}, "
        f"from {plural(data['sessions'], 'session')}; "
        f"verified: {_successes(data['successes'])}, "
        f"{plural(data['failures'], 'failure')}",
        f"shared    {' '.join(data['shared'])}",
        f"tools     {', '.join(f'{t} ({n})' for t, n in data['tools'].items()) or '-'}",
        f"nearest   {alike}",
        "varies",
        *(
            f"  {it['name']} ({it['type']}): {_short(', '.join(it['examples']), 70)}"
            for it in data["varies"]
        ),
        "members",
        *(
            f"  {it['id'][:_SHOWN]}  {it['outcome']:8} {_short(it['task'], 64)}"
            for it in data["members"]
        ),
        f"next: skillforge draft {data['id']}"
        + (f" --into {near}" if near and data["similarity"] >= _NEAR else ""),
    ]
    return "\n".join(map(printable, lines))


def input_data(item: Input) -> dict[str, Any]:
    return {
        "name": item.name,
        "type": item.type,
        "examples": item.examples,
        "default": item.default,
    }


def draft_data(made: Drafted) -> dict[str, Any]:
    return {
        "skill": made.draft.skill,
        "path": f"{SKILLS}/{made.draft.skill}/{SKILL_FILE}",
        "inputs": [input_data(item) for item in made.contract.inputs],
        "steps": [step_data(step) for step in made.contract.steps],
        "held_out": list(made.held),
        "examples": list(made.draft.examples),
        "pattern": made.pattern.id,
    }


def step_data(step: DraftStep) -> dict[str, Any]:
    return step._asdict() | {"is_optional": step.is_optional}


def draft_text(made: Drafted) -> str:
    skill = made.draft.skill
    inputs = ", ".join(item.name for item in made.contract.inputs) or "none"
    held = len(made.held.keys() & made.draft.evidence.keys())
    lines = [
        f"wrote {SKILLS}/{skill}/ and {plural(len(made.draft.evidence), 'example')} to "
        f"{EVIDENCE}/{skill}/, {held} of them held out",
        f"inputs: {inputs}; {plural(len(made.contract.steps), 'step')}",
        f"next: read it, then skillforge propose {skill}",
    ]
    return "\n".join(map(printable, lines))
