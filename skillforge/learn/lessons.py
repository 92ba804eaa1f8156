"""What runs teach beside their steps: cures of errors, checks, and pitfalls."""

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
from skillforge.learn.actions import AlignedAction, ToolAction, Words, deeds
from skillforge.learn.skill_steps import without_placeholders
from skillforge.model import Example
from skillforge.report import plural
from skillforge.text import headings, on_one_line, plain_words

_MOST = 5
_LOOKS = re.compile(
    r"(?:^|[\W_])(?:read|get|list|show|check|verify|count|tests?|status|diff|view|find|"
    r"search|describe|lint|validate|cat|ls|head|tail|grep|curl|query|fetch|inspect|"
    r"pytest|ruff|mypy|compare|preview)(?:[\W_]|$)",
    re.IGNORECASE,
)
_WORDS = 14
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|<[A-Z]+_\d+>|[\w$€£./#-]+|[^\w\s]")
_PLAIN = re.compile(r"[a-z][a-z'_-]*|[,;:.()!?]")
_NOT_TO_LEARN = (DOES_NOT_WORK, ENVIRONMENT, ONE_OFF, TRANSIENT)


def may_be_learned(text: str) -> bool:
    """Whether a text tells nothing of one day or one machine."""
    return not any(pattern.search(text) for pattern in _NOT_TO_LEARN)


def recoveries(successes: Sequence[Example], words: Words) -> list[str]:
    """An error, and what cured it; the most frequent first."""
    done = [list(deeds(example, words)) for example in successes]
    signs = Counter(sign for it in done for sign in {action.sign for action in it})
    known = {sign for sign, seen in signs.items() if seen > 1}
    found = Counter(cure for it in done for cure in dict.fromkeys(_cures(it, known)))
    return [f"{cure} ({plural(n, 'run')})" for cure, n in found.most_common(_MOST)]


def _cures(every: Sequence[ToolAction], known: Set[str]) -> Iterator[str]:
    """Of actions that more than one run took: others may be of one occasion."""
    done = [action for action in every if action.sign in known]
    for at, action in enumerate(done):
        said = error_words(action.error)
        if not said or not may_be_learned(action.error):
            continue
        rest = done[at + 1 :]
        again = next(
            (it for it in rest if it.sign == action.sign and not it.error), None
        )
        if cure := _cure(action, rest, again):
            yield f"If `{action.sign}` answers “{said}”, {cure}"


def _cure(action: ToolAction, rest: list[ToolAction], again: ToolAction | None) -> str:
    between = [it.sign for it in rest[: rest.index(again)]] if again else []
    others = [sign for sign in dict.fromkeys(between) if sign != action.sign]
    if again and others:
        return f"call `{'`, `'.join(others[:3])}` first, then `{action.sign}` again"
    if again:
        changed = _changed(action, again)
        return f"call it again{f' with another {changed}' if changed else ''}"
    nxt = next((it for it in rest if not it.error), None)
    return f"call `{nxt.sign}` instead" if nxt else ""


def _changed(before: ToolAction, after: ToolAction) -> str:
    """The names of arguments that an action was repeated with otherwise."""
    names = [
        name
        for name in dict.fromkeys((*before.arguments, *after.arguments))
        if before.arguments.get(name) != after.arguments.get(name)
    ]
    return " and ".join(f"`{on_one_line(name, 60)}`" for name in names[:3])


def error_words(text: str) -> str:
    """The words of an error that would be the same another time."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if not lines:
        return ""
    line = lines[-1] if lines[0].startswith("Traceback") else lines[0]
    said = " ".join(
        token.lower() if at == 0 or _PLAIN.fullmatch(token) else "…"
        for at, token in enumerate(_TOKEN.findall(line)[:_WORDS])
    )
    said = re.sub(r"(?:… ?)+", "… ", re.sub(r" ([,;:.()!?])", r"\1", said)).strip()
    return plain_words(said, 120) if re.search(r"[a-z]{3}", said) else ""


def checks(steps: Sequence[AlignedAction], runs: int) -> list[str]:
    """What successful runs looked at last."""
    looked = [it for it in steps if _LOOKS.search(it.sign) or not it.any_action.tool]
    if not steps:
        return []
    last = looked[-1] if looked else steps[-1]
    share = f"{last.support} of {runs} runs"
    if not last.any_action.tool:
        return [f"The last step is done: {last.sign} ({share})."]
    if looked:
        return [
            f"Look with `{last.sign}` before saying that it is done, as {share} did: "
            "its answer is what the inputs asked for, and no error."
        ]
    return [f"The answer of `{last.sign}`, the last step of {share}, is no error."]


def pitfalls(
    good: Sequence[Sequence[ToolAction]],
    bad: Sequence[Sequence[ToolAction]],
    steps: Sequence[AlignedAction],
) -> list[str]:
    """What failing runs did differently; nothing, if there are none."""
    fine = [{action.sign for action in done} for done in good]
    failed = [{action.sign for action in done} for done in bad]
    if not failed:
        return []
    return [*_left_out(fine, failed, steps), *_added(fine, failed)][:_MOST]


def _left_out(
    good: list[set[str]], bad: list[set[str]], steps: Sequence[AlignedAction]
) -> Iterator[str]:
    """Steps that failing runs went past; those that they never came to say nothing."""
    signs = list(dict.fromkeys(step.sign for step in steps))
    for at, sign in enumerate(signs):
        near = {*signs[max(0, at - 1) : at], *signs[at + 1 :]}
        without = sum(sign not in done and not near.isdisjoint(done) for done in bad)
        had = sum(sign in done for done in good)
        if without * 2 >= len(bad) and had * 4 >= len(good) * 3:
            yield (
                f"Do not leave out `{sign}`: {without} of {len(bad)} failed runs did, "
                f"{len(good) - had} of {len(good)} successful ones."
            )


def _added(good: list[set[str]], bad: list[set[str]]) -> Iterator[str]:
    counted = Counter(sign for done in bad for sign in done)
    for sign, count in sorted(counted.items(), key=lambda it: (-it[1], it[0])):
        others = sum(sign in done for done in good)
        if count >= 2 and count * 2 >= len(bad) and others * 4 <= len(good):
            yield (
                f"Think twice before `{sign}`: {count} of {len(bad)} failed runs did "
                f"it, {others} of {len(good)} successful ones."
            )


def output_form(successes: Sequence[Example]) -> list[str]:
    """The form of what came out at the end."""
    outputs = [_value(example.output) for example in successes if example.output]
    if not outputs:
        return ["What was asked for, and nothing else."]
    if all(isinstance(it, dict) for it in outputs):
        names = Counter(name for it in outputs for name in it)
        usual = [name for name, seen in names.items() if seen * 2 >= len(outputs)]
        named = ", ".join(f"`{on_one_line(str(name), 60)}`" for name in usual[:20])
        return [f"A JSON object with {named}."]
    if all(isinstance(it, list) for it in outputs):
        return ["A JSON list."]
    texts = [it for it in outputs if isinstance(it, str)]
    return _text_form(texts) if texts else ["One value."]


def _text_form(texts: list[str]) -> list[str]:
    shared = Counter(it for text in texts for it in dict.fromkeys(headings(text)))
    sections = [
        it for it, seen in shared.items() if seen > 1 and seen * 2 >= len(texts)
    ]
    lengths = sorted(len(text.split()) for text in texts)
    about = max(10, round(lengths[len(lengths) // 2], -1))
    listed = sum(bool(re.search(r"^\s*(?:[-*]|\d+\.) ", it, re.M)) for it in texts)
    form = "with a list " if listed * 2 > len(texts) else ""
    lines = [f"A text {form}of about {about} words for whoever asked."]
    named = plain_words(", ".join(filter(may_be_learned, sections)))
    lines += [f"Its sections: {named}."] if named else []
    return lines


def _value(output: Any) -> Any:
    if isinstance(output, str) and output.lstrip().startswith(("{", "[")):
        try:
            return json.loads(output)
        except (ValueError, RecursionError):
            return output
    return output


def praise(examples: Sequence[Example]) -> list[str]:
    """What reviewers said of more than one example."""
    said = Counter(example.notes for example in examples if example.notes)
    common = [note for note, seen in said.most_common(3) if seen > 1]
    words = (plain_words(without_placeholders(note)) for note in common)
    return [note for note in words if may_be_learned(note)]
