"""A skill as a contract: name, purpose, inputs, steps, and what the runs taught.

It is made of what examples share, and contains nothing of a single run.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from skillforge.checks.rules.anti_learning import ONE_OCCASION
from skillforge.learn import lessons
from skillforge.learn.actions import actions, align, common_actions, vocabulary
from skillforge.learn.inputs import Input, find_inputs
from skillforge.learn.skill_steps import SkillStep, StepWriter, without_placeholders
from skillforge.learn.task_template import TaskTemplate
from skillforge.model import Example, OutcomeStatus
from skillforge.text import is_small_word, on_one_line, plain_words, terms

_MOST_RUNS = 40  # successes, and as many failures; more would not add anything
_MOST_IN_NAME = 4
_MOST_TOOLS = 20
_LONGEST_NAME = 48
_FEWEST_WORDS, _LONGEST_PHRASE = 2, 300
_WORD = re.compile(r"[a-z][a-z-]*[a-z]")
# Words that describe no task, or that a name must not contain.
_UNFIT = re.compile(
    r"help|need|want|like|make|tell|give|show|get|find|provide|looking|why|out|tried|"
    r"fix|debug|hotfix|workaround|claude|anthropic|yesterday|today|session|does|not|"
    r"work|installed|timed"
)


@dataclass(frozen=True, slots=True)
class Contract:
    """The content of a drafted skill."""

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
    """What examples of one intent share; failures contribute pitfalls only."""
    good = [example for example in examples if example.has_succeeded][:_MOST_RUNS]
    failed = [
        example
        for example in examples
        if example.outcome.status is OutcomeStatus.FAILURE
    ]
    bad = failed[:_MOST_RUNS]
    inputs, template = find_inputs(good)
    words = vocabulary([*good, *bad])
    episodes = [actions(example, words) for example in good]
    common = common_actions(align(episodes), len(good))
    writer = StepWriter(good, inputs)
    name = name_of(template, good, [action.any_action.tool for action in common])
    phrase = phrase_of(template, inputs)
    if not lessons.is_lasting(phrase) or not _is_meaningful(phrase):
        phrase = name.replace("-", " ")
    steps = [step for step in writer.steps(common) if lessons.is_lasting(step.text)]
    steps = steps or [SkillStep(phrase, "", len(good), len(good))]
    tools = Counter(tool for example in good for tool in dict.fromkeys(example.tools))
    avoid = lessons.pitfalls(
        episodes, [actions(example, words) for example in bad], common
    )
    return Contract(
        name=name,
        phrase=phrase,
        inputs=(*writer.inputs, *_redacted_inputs(phrase, steps, writer.inputs)),
        steps=tuple(steps),
        tools=tuple(
            (on_one_line(tool, 80), runs)
            for tool, runs in tools.most_common(_MOST_TOOLS)
            if runs * 2 >= len(good)
        ),
        output=tuple(lessons.output_form(good)),
        failures=tuple(map(without_placeholders, lessons.recoveries(good, words))),
        checks=tuple(map(without_placeholders, lessons.checks(common, len(good)))),
        pitfalls=tuple(map(without_placeholders, avoid)),
        praise=tuple(lessons.praise(good)),
        runs=len(good),
    )


def _redacted_inputs(
    phrase: str, steps: Sequence[SkillStep], known: Sequence[Input]
) -> list[Input]:
    """Inputs that steps use in place of redacted values; their values are unknown."""
    text = " ".join((phrase, *(step.text for step in steps)))
    used = dict.fromkeys(re.findall(r"\{\{(\w+)\}\}", text))
    names = {field.name for field in known}
    return [Input(name, {}) for name in used if name not in names]


def _is_meaningful(phrase: str) -> bool:
    """Whether a phrase describes the task without its inputs."""
    words = re.sub(r"\{\{\w+\}\}", "", phrase).lower().split()
    return sum(map(_is_meaningful_word, words)) >= _FEWEST_WORDS


def phrase_of(template: TaskTemplate, inputs: Sequence[Input]) -> str:
    """The shared task as a sentence, with inputs in place of what varies."""
    words = [plain_words(word) for word in template.spelled]
    for slot in reversed(template.slots):
        name = next((item.name for item in inputs if item.values == slot.values), None)
        words.insert(slot.place, f"{{{{{name}}}}}" if name else "…")
    text = without_placeholders(" ".join(words))
    text = re.sub(r" ([,.;:!?)])", r"\1", re.sub(r"([(]) | - (?=\w)", r"\1", text))
    return " ".join(text.split()).strip(" .,;:!?-")[:_LONGEST_PHRASE]


def name_of(
    template: TaskTemplate, examples: Sequence[Example], tools: Sequence[str]
) -> str:
    """A name for the task: shared words, else those of most tasks, else a tool's."""
    words = [word for word in template.shared if _is_meaningful_word(word)]
    if len(words) < 2:
        counts = Counter(
            w for example in examples for w in dict.fromkeys(terms(example.task))
        )
        frequent = (word for word, n in counts.most_common() if n * 2 >= len(examples))
        words += [
            word for word in frequent if _is_meaningful_word(word) and word not in words
        ]
    if len(words) < 2 and any(tools):
        last = [tool for tool in tools if tool][-1]
        words += [word for word in re.split(r"[^a-z]+", last.lower()) if len(word) > 2]
    name = "-".join(dict.fromkeys(words[:_MOST_IN_NAME])) or "learned-task"
    name = re.sub(r"-+", "-", re.sub(r"[^a-z-]", "", name))[:_LONGEST_NAME].strip("-")
    return "learned-task" if ONE_OCCASION.search(name) or len(name) < 3 else name


def _is_meaningful_word(word: str) -> bool:
    if is_small_word(word) or _UNFIT.fullmatch(word) or not word.isascii():
        return False
    return _WORD.fullmatch(word) is not None
