"""A skill as a contract: its name, when it is for, inputs, steps and what was learned.

Made of what examples share. Nothing of a single run stands in it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from skillforge.checks.rules.anti_learning import ONE_OCCASION
from skillforge.learn import lessons
from skillforge.learn.actions import actions, aligned, usual, vocabulary
from skillforge.learn.inputs import Input, found_inputs
from skillforge.learn.skill_steps import SkillStep, StepWriter, without_placeholders
from skillforge.learn.task_template import TaskTemplate
from skillforge.model import Example, OutcomeStatus
from skillforge.text import is_small_word, on_one_line, plain_words, terms

_MOST_RUNS = 40  # of each kind: more would not tell more
_MOST_IN_NAME = 4
_MOST_TOOLS = 20
_LONGEST_NAME = 48
_FEWEST_WORDS, _LONGEST_PHRASE = 2, 300
_WORD = re.compile(r"[a-z][a-z-]*[a-z]")
# Words that say little in a name, or may not stand in one.
_UNFIT = re.compile(
    r"help|need|want|like|make|tell|give|show|get|find|provide|looking|why|out|tried|"
    r"fix|debug|hotfix|workaround|claude|anthropic|yesterday|today|session|does|not|"
    r"work|installed|timed"
)


@dataclass(frozen=True, slots=True)
class Contract:
    """What a drafted skill says."""

    name: str
    phrase: str  # the task, with inputs in place of values
    inputs: tuple[Input, ...]
    steps: tuple[SkillStep, ...]
    tools: tuple[tuple[str, int], ...]
    output: tuple[str, ...]
    failures: tuple[str, ...]
    checks: tuple[str, ...]
    pitfalls: tuple[str, ...]
    praise: tuple[str, ...]
    runs: int


def contract(examples: Sequence[Example]) -> Contract:
    """What examples of one intent share; those that failed tell only what to avoid."""
    good = [it for it in examples if it.has_succeeded][:_MOST_RUNS]
    failed = [it for it in examples if it.outcome.status is OutcomeStatus.FAILURE]
    bad = failed[:_MOST_RUNS]
    inputs, lined = found_inputs(good)
    words = vocabulary([*good, *bad])
    did = [actions(example, words) for example in good]
    common = usual(aligned(did), len(good))
    writer = StepWriter(good, inputs)
    name = name_of(lined, good, [step.any_action.tool for step in common])
    phrase = phrase_of(lined, inputs)
    if not lessons.may_be_learned(phrase) or not _says_enough(phrase):
        phrase = name.replace("-", " ")
    told = [it for it in writer.written(common) if lessons.may_be_learned(it.text)]
    avoided = lessons.pitfalls(did, [actions(it, words) for it in bad], common)
    steps = told or [SkillStep(phrase, "", len(good), len(good))]
    tools = Counter(tool for it in good for tool in dict.fromkeys(it.tools))
    often = [
        (on_one_line(tool, 80), n)
        for tool, n in tools.most_common(_MOST_TOOLS)
        if n * 2 >= len(good)
    ]
    return Contract(
        name=name,
        phrase=phrase,
        inputs=(*writer.inputs, *_unnamed(phrase, steps, writer.inputs)),
        steps=tuple(steps),
        tools=tuple(often),
        output=tuple(lessons.output_form(good)),
        failures=tuple(map(without_placeholders, lessons.recoveries(good, words))),
        checks=tuple(map(without_placeholders, lessons.checks(common, len(good)))),
        pitfalls=tuple(map(without_placeholders, avoided)),
        praise=tuple(lessons.praise(good)),
        runs=len(good),
    )


def _unnamed(
    phrase: str, steps: Sequence[SkillStep], known: Sequence[Input]
) -> list[Input]:
    """Inputs that stand for what was redacted: used, but nobody's to see."""
    said = " ".join((phrase, *(step.text for step in steps)))
    used = dict.fromkeys(re.findall(r"\{\{(\w+)\}\}", said))
    named = {item.name for item in known}
    return [Input(name, {}) for name in used if name not in named]


def _says_enough(phrase: str) -> bool:
    """Whether a phrase tells the task by itself, without what varies."""
    words = re.sub(r"\{\{\w+\}\}", "", phrase).lower().split()
    return sum(map(_is_telling, words)) >= _FEWEST_WORDS


def phrase_of(lined: TaskTemplate, inputs: Sequence[Input]) -> str:
    """The task that all share, as a sentence with inputs in place of what varies."""
    words = [plain_words(word) for word in lined.spelled]
    for slot in reversed(lined.slots):
        named = next((it.name for it in inputs if it.values == slot.values), None)
        words.insert(slot.place, f"{{{{{named}}}}}" if named else "…")
    text = without_placeholders(" ".join(words))
    text = re.sub(r" ([,.;:!?)])", r"\1", re.sub(r"([(]) | - (?=\w)", r"\1", text))
    return " ".join(text.split()).strip(" .,;:!?-")[:_LONGEST_PHRASE]


def name_of(
    lined: TaskTemplate, examples: Sequence[Example], tools: Sequence[str]
) -> str:
    """A name for the kind of task: shared words, else those of most tasks or tools."""
    words = [word for word in lined.shared if _is_telling(word)]
    if len(words) < 2:
        asked = Counter(w for it in examples for w in dict.fromkeys(terms(it.task)))
        often = (word for word, n in asked.most_common() if n * 2 >= len(examples))
        words += [word for word in often if _is_telling(word) and word not in words]
    if len(words) < 2 and any(tools):
        last = [tool for tool in tools if tool][-1]
        words += [w for w in re.split(r"[^a-z]+", last.lower()) if len(w) > 2]
    name = "-".join(dict.fromkeys(words[:_MOST_IN_NAME])) or "learned-task"
    name = re.sub(r"-+", "-", re.sub(r"[^a-z-]", "", name))[:_LONGEST_NAME].strip("-")
    return "learned-task" if ONE_OCCASION.search(name) or len(name) < 3 else name


def _is_telling(word: str) -> bool:
    if is_small_word(word) or _UNFIT.fullmatch(word) or not word.isascii():
        return False
    return _WORD.fullmatch(word) is not None
