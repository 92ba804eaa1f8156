"""The steps of a skill: what successful runs did, with inputs in place of values."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from skillforge.learn.actions import AlignedAction
from skillforge.learn.inputs import (
    Input,
    as_name,
    as_text,
    have_same_values,
    is_generic,
    source_tool,
    unused_name,
)
from skillforge.learn.task_template import gaps, shared_words
from skillforge.model import Example
from skillforge.redact import PLACEHOLDER
from skillforge.text import on_one_line

_MOST_LETTERS = 160
_SHORTEST_VALUE = 3  # a shorter one may be equal by chance
_FORM = 0.6  # of the words of a text are shared: it is a form to fill in
_NAME = re.compile(r"^\W*[A-Z][a-z]|\d{3}|<[A-Z]+_\d+>")
_SENTENCE = 6  # words, beyond which a value is a sentence


class SkillStep(NamedTuple):
    """One step of a skill, and how many of the runs took it."""

    text: str
    tool: str
    support: int
    of: int
    is_repeated: bool = False

    @property
    def is_optional(self) -> bool:
        return self.support < self.of


class StepWriter:
    """Describes actions as steps; new values that vary are added to the inputs."""

    def __init__(self, examples: Sequence[Example], inputs: Sequence[Input]) -> None:
        self.examples = examples
        self.inputs = list(inputs)

    def steps(self, actions: Sequence[AlignedAction]) -> list[SkillStep]:
        return [self._step(action) for action in actions]

    def _step(self, aligned: AlignedAction) -> SkillStep:
        action = aligned.any_action
        if not action.tool:  # a plain description
            is_shared = aligned.support > 1
            text = self._template(self._texts(aligned)) if is_shared else aligned.sign
        elif action.text:
            text = f"Run `{self._command(aligned)}` with `{action.tool}`"
        else:
            text = f"Call `{action.tool}`{self._arguments(aligned)}"
        support, of = aligned.support, len(self.examples)
        return SkillStep(text, action.tool, support, of, aligned.is_repeated)

    def _command(self, aligned: AlignedAction) -> str:
        """A command as a template; of a single run, only its program."""
        texts = self._texts(aligned)
        is_long = any(
            "\n" in text or len(text) > _MOST_LETTERS for text in texts.values()
        )
        if is_long or aligned.support == 1:
            return f"{aligned.sign.partition(' ')[2]} …"
        return self._template(texts)

    def _texts(self, aligned: AlignedAction) -> dict[int, str]:
        """The text of each run, with inputs in place of the run's values."""
        return {
            run: self._with_inputs(run, action.text)
            for run, action in aligned.by_episode.items()
        }

    def _with_inputs(self, run: int, text: str) -> str:
        for known in self.inputs:
            value = as_text(known.values.get(run, ""))
            if len(value) >= _SHORTEST_VALUE:
                text = _whole(value).sub(f"{{{{{known.name}}}}}", text)
        return text

    def _template(self, texts: dict[int, str]) -> str:
        """The shared words of some texts, with inputs where at least half differ."""
        split = {run: text.split() for run, text in texts.items()}
        shared = shared_words(list(split.values()))
        values: dict[int, dict[int, str]] = {}
        for run, words in split.items():
            for place, start, end in gaps(shared, words):
                values.setdefault(place, {})[run] = " ".join(words[start:end])
        words = list(shared)
        for place, by_run in sorted(values.items(), reverse=True):
            if len(by_run) * 2 >= len(texts):
                before = words[place - 1] if place else ""
                words.insert(place, self._input(as_name(before.lstrip("-")), by_run))
        return on_one_line(without_placeholders(" ".join(words)))

    def _arguments(self, aligned: AlignedAction) -> str:
        names = Counter(
            name for action in aligned.by_episode.values() for name in action.arguments
        )
        arguments = [
            f"`{on_one_line(name, 60)}` = {self._argument(aligned, name)}"
            for name, count in names.items()
            if count * 2 >= aligned.support
        ]
        return f" with {', '.join(arguments)}" if arguments else ""

    def _argument(self, aligned: AlignedAction, name: str) -> str:
        values = {
            run: action.arguments[name]
            for run, action in aligned.by_episode.items()
            if name in action.arguments
        }
        value, count = Counter(map(as_text, values.values())).most_common(1)[0]
        is_fixed = count > 1 and count * 4 >= len(values) * 3
        if is_fixed and is_generic(value, count):
            return f"`{value}`"
        if known := self._known(values):
            return f"{{{{{known.name}}}}}"
        if text := self._composed(values):
            return text
        if source := self._source(aligned, values):
            return f"the answer of `{source}`"
        return self._input(as_name(name), values)

    def _composed(self, values: dict[int, Any]) -> str:
        """A value that is composed of inputs, or free text; empty for another."""
        if not all(isinstance(value, str) for value in values.values()):
            return ""
        filled = {run: self._with_inputs(run, text) for run, text in values.items()}
        same, count = Counter(filled.values()).most_common(1)[0]
        if "{{" in same and count > 1 and count * 4 >= len(filled) * 3:
            return f"`{on_one_line(without_placeholders(same))}`"
        sentences = sum(len(text.split()) > _SENTENCE for text in values.values())
        if sentences * 2 <= len(values):
            return ""
        split = [text.split() for text in filled.values()]
        shared = shared_words(split)
        length = sum(map(len, split)) / len(split)
        has_names = any(map(_NAME.search, shared[1:]))  # all runs may be of one person
        is_form = len(filled) > 1 and len(shared) >= _FORM * length and not has_names
        return f"`{self._template(filled)}`" if is_form else "your own text"

    def _known(self, values: dict[int, Any]) -> Input | None:
        matches = (
            item for item in self.inputs if have_same_values(item.values, values)
        )
        return next(matches, None)

    def _source(self, aligned: AlignedAction, values: dict[int, Any]) -> str:
        """The tool whose answers contained the values in more than half of the runs."""
        tools = Counter(
            source_tool(self.examples[run], aligned.by_episode[run].at, value)
            for run, value in values.items()
        )
        tool, count = tools.most_common(1)[0]
        return tool if tool and count * 2 > len(values) else ""

    def _input(self, name: str, values: dict[int, Any]) -> str:
        """The input that has these values; a new one if none does."""
        known = self._known(values)
        if known is None:
            known = Input(unused_name(name, self.inputs), values)
            self.inputs.append(known)
        return f"{{{{{known.name}}}}}"


def _whole(value: str) -> re.Pattern[str]:
    """A pattern for a value that is not part of a longer number or word."""
    kind = r"\d" if value[0].isdigit() else r"[^\W\d]"
    end = r"\d" if value[-1].isdigit() else r"[^\W\d]"
    before = rf"(?<!{kind})" if value[0].isalnum() else ""
    after = rf"(?!{end})" if value[-1].isalnum() else ""
    return re.compile(f"{before}{re.escape(value)}{after}")


def without_placeholders(text: str) -> str:
    """A text in which redacted values became inputs."""
    return PLACEHOLDER.sub(lambda match: f"{{{{{match[1].lower()}}}}}", text)
