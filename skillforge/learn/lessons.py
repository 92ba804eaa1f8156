"""What runs teach beside their steps: recoveries, checks, pitfalls, the output."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import Any

from skillforge.checks.rules.anti_learning import (
    DOES_NOT_WORK,
    ENVIRONMENT,
    ONE_OFF,
    TRANSIENT,
)
from skillforge.learn.actions import (
    AlignedAction,
    ToolAction,
    Vocabulary,
    all_actions,
)
from skillforge.learn.skill_steps import without_placeholders
from skillforge.model import Example
from skillforge.report import plural
from skillforge.text import headings, on_one_line, plain_words

_MOST = 5
_VERIFIES = re.compile(
    r"(?:^|[\W_])(?:read|get|list|show|check|verify|count|tests?|status|diff|view|find|"
    r"search|describe|lint|validate|cat|ls|head|tail|grep|curl|query|fetch|inspect|"
    r"pytest|ruff|mypy|compare|preview)(?:[\W_]|$)",
    re.IGNORECASE,
)
_MOST_WORDS = 14
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|<[A-Z]+_\d+>|[\w$€£./#-]+|[^\w\s]")
_PLAIN = re.compile(r"[a-z][a-z'_-]*|[,;:.()!?]")
_NOT_TO_LEARN = (DOES_NOT_WORK, ENVIRONMENT, ONE_OFF, TRANSIENT)


def is_lasting(text: str) -> bool:
    """Whether a text is about no single day or machine."""
    return not any(pattern.search(text) for pattern in _NOT_TO_LEARN)


def recoveries(successes: Sequence[Example], known: Vocabulary) -> list[str]:
    """Errors and what resolved them, most frequent first."""
    runs = [list(all_actions(example, known)) for example in successes]
    signs = Counter(sign for run in runs for sign in {action.sign for action in run})
    shared = {sign for sign, count in signs.items() if count > 1}
    counts = Counter(
        recovery for run in runs for recovery in dict.fromkeys(_recoveries(run, shared))
    )
    return [
        f"{text} ({plural(count, 'run')})" for text, count in counts.most_common(_MOST)
    ]


def _recoveries(run: Sequence[ToolAction], shared: Set[str]) -> Iterator[str]:
    """The recoveries of a run, by actions that other runs take as well."""
    actions = [action for action in run if action.sign in shared]
    for at, action in enumerate(actions):
        error = general_error(action.error)
        if not error or not is_lasting(action.error):
            continue
        if recovery := _recovery(action, actions[at + 1 :]):
            yield f"If `{action.sign}` answers “{error}”, {recovery}"


def _recovery(failed: ToolAction, later: list[ToolAction]) -> str:
    again = next(
        (action for action in later if action.sign == failed.sign and not action.error),
        None,
    )
    if again is None:
        other = next((action for action in later if not action.error), None)
        return f"call `{other.sign}` instead" if other else ""
    between = dict.fromkeys(action.sign for action in later[: later.index(again)])
    others = [sign for sign in between if sign != failed.sign]
    if others:
        return f"call `{'`, `'.join(others[:3])}` first, then `{failed.sign}` again"
    changed = _changed_arguments(failed, again)
    return f"call it again{f' with another {changed}' if changed else ''}"


def _changed_arguments(before: ToolAction, after: ToolAction) -> str:
    names = [
        name
        for name in dict.fromkeys((*before.arguments, *after.arguments))
        if before.arguments.get(name) != after.arguments.get(name)
    ]
    return " and ".join(f"`{on_one_line(name, 60)}`" for name in names[:3])


def general_error(text: str) -> str:
    """The words of an error that would be the same in another run."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if not lines:
        return ""
    line = lines[-1] if lines[0].startswith("Traceback") else lines[0]
    words = " ".join(
        token.lower() if at == 0 or _PLAIN.fullmatch(token) else "…"
        for at, token in enumerate(_TOKEN.findall(line)[:_MOST_WORDS])
    )
    words = re.sub(r"(?:… ?)+", "… ", re.sub(r" ([,;:.()!?])", r"\1", words)).strip()
    return plain_words(words, 120) if re.search(r"[a-z]{3}", words) else ""


def checks(steps: Sequence[AlignedAction], runs: int) -> list[str]:
    """How successful runs verified their result."""
    if not steps:
        return []
    checking = [
        step
        for step in steps
        if _VERIFIES.search(step.sign) or not step.any_action.tool
    ]
    last = checking[-1] if checking else steps[-1]
    share = f"{last.support} of {runs} runs"
    if not last.any_action.tool:
        return [f"The last step is done: {last.sign} ({share})."]
    if checking:
        return [
            f"Check with `{last.sign}` before you report success, as {share} did: its "
            "answer matches the inputs and is not an error."
        ]
    return [f"`{last.sign}`, the last step of {share}, returns no error."]


def pitfalls(
    good: Sequence[Sequence[ToolAction]],
    bad: Sequence[Sequence[ToolAction]],
    steps: Sequence[AlignedAction],
) -> list[str]:
    """What failed runs did differently; nothing, if there are none."""
    succeeded = [{action.sign for action in run} for run in good]
    failed = [{action.sign for action in run} for run in bad]
    if not failed:
        return []
    return [*_skipped(succeeded, failed, steps), *_added(succeeded, failed)][:_MOST]


def _skipped(
    good: list[set[str]], bad: list[set[str]], steps: Sequence[AlignedAction]
) -> Iterator[str]:
    """Steps that failed runs skipped; a run that ended before does not count."""
    signs = list(dict.fromkeys(step.sign for step in steps))
    for at, sign in enumerate(signs):
        near = {*signs[max(0, at - 1) : at], *signs[at + 1 :]}
        without = sum(sign not in run and not near.isdisjoint(run) for run in bad)
        had = sum(sign in run for run in good)
        if without * 2 >= len(bad) and had * 4 >= len(good) * 3:
            yield (
                f"Do not skip `{sign}`: {without} of {len(bad)} failed runs skipped "
                f"it, and {len(good) - had} of {len(good)} successful ones."
            )


def _added(good: list[set[str]], bad: list[set[str]]) -> Iterator[str]:
    counts = Counter(sign for run in bad for sign in run)
    for sign, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        others = sum(sign in run for run in good)
        if count >= 2 and count * 2 >= len(bad) and others * 4 <= len(good):
            yield (
                f"Avoid `{sign}` if possible: {count} of {len(bad)} failed runs did "
                f"it, and {others} of {len(good)} successful ones."
            )


def output_form(successes: Sequence[Example]) -> list[str]:
    """The form of the runs' output."""
    outputs = [_value(example.output) for example in successes if example.output]
    if not outputs:
        return ["Only what was asked for."]
    if all(isinstance(output, dict) for output in outputs):
        counts = Counter(name for output in outputs for name in output)
        usual = [name for name, count in counts.items() if count * 2 >= len(outputs)]
        names = ", ".join(f"`{on_one_line(str(name), 60)}`" for name in usual[:20])
        return [f"A JSON object with {names}."]
    if all(isinstance(output, list) for output in outputs):
        return ["A JSON list."]
    texts = [output for output in outputs if isinstance(output, str)]
    return _text_form(texts) if texts else ["One value."]


def _text_form(texts: list[str]) -> list[str]:
    counts = Counter(
        heading for text in texts for heading in dict.fromkeys(headings(text))
    )
    sections = [
        title
        for title, count in counts.items()
        if count > 1 and count * 2 >= len(texts) and is_lasting(title)
    ]
    lengths = sorted(len(text.split()) for text in texts)
    about = max(10, round(lengths[len(lengths) // 2], -1))
    lists = sum(bool(re.search(r"^\s*(?:[-*]|\d+\.) ", text, re.M)) for text in texts)
    form = "with a list " if lists * 2 > len(texts) else ""
    lines = [f"A text {form}of about {about} words for the user."]
    titles = plain_words(", ".join(sections))
    return [*lines, f"Its sections: {titles}."] if titles else lines


def _value(output: Any) -> Any:
    if isinstance(output, str) and output.lstrip().startswith(("{", "[")):
        try:
            return json.loads(output)
        except (ValueError, RecursionError):
            return output
    return output


def praise(examples: Sequence[Example]) -> list[str]:
    """Notes that reviewers wrote on more than one example."""
    counts = Counter(example.notes for example in examples if example.notes)
    common = [note for note, count in counts.most_common(3) if count > 1]
    words = (plain_words(without_placeholders(note)) for note in common)
    return [note for note in words if is_lasting(note)]
