"""The steps of a skill: what successful runs did, with inputs in place of values."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from skillforge.learn.actions import AlignedAction, ToolAction
from skillforge.learn.inputs import (
    Input,
    as_name,
    as_word,
    comes_from,
    is_anybodys,
    is_equal,
    unused,
)
from skillforge.learn.task_template import gaps, shared_words
from skillforge.model import Example
from skillforge.redact import PLACEHOLDER
from skillforge.text import on_one_line

_MOST_LETTERS = 160
_TELLING = 3  # letters of a value that is not there by chance
_FORM = 0.6  # of the words of a text are shared: it is a form to fill in
_NAME = re.compile(r"^\W*[A-Z][a-z]|\d{3}|<[A-Z]+_\d+>")
_SENTENCE = 6  # words, beyond which a value is one


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
    """Writes steps down; values that vary and are new become inputs, too."""

    def __init__(self, examples: Sequence[Example], inputs: Sequence[Input]) -> None:
        self.examples = examples
        self.inputs = list(inputs)

    def written(self, lined: Sequence[AlignedAction]) -> list[SkillStep]:
        return [self._step(step) for step in lined]

    def _step(self, step: AlignedAction) -> SkillStep:
        action = step.any_action
        if not action.tool:
            text = self._told(step)
        elif action.text:
            text = f"Run `{self._command(step)}` with `{action.tool}`"
        else:
            text = f"Call `{action.tool}`{self._arguments(step)}"
        support, of = step.support, len(self.examples)
        return SkillStep(text, action.tool, support, of, step.is_repeated)

    def _told(self, step: AlignedAction) -> str:
        """A step that people described in words: what they share."""
        return self._lined_up(self._texts(step)) if step.support > 1 else step.sign

    def _command(self, step: AlignedAction) -> str:
        """A command as a template; of a single run, only what it runs."""
        texts = self._texts(step)
        is_long = any("\n" in it or len(it) > _MOST_LETTERS for it in texts.values())
        if is_long or step.support == 1:
            return f"{step.sign.partition(' ')[2]} …"
        return self._lined_up(texts)

    def _texts(self, step: AlignedAction) -> dict[int, str]:
        """What was said or run, each with inputs in place of its own values."""
        return {at: self._filled(at, it.text) for at, it in step.seen.items()}

    def _filled(self, at: int, text: str) -> str:
        for known in self.inputs:
            value = as_word(known.values.get(at, ""))
            if len(value) >= _TELLING:
                text = _whole(value).sub(f"{{{{{known.name}}}}}", text)
        return text

    def _lined_up(self, texts: dict[int, str]) -> str:
        split = {at: text.split() for at, text in texts.items()}
        shared = shared_words(list(split.values()))
        values: dict[int, dict[int, str]] = {}
        for at, words in split.items():
            for place, start, end in gaps(shared, words):
                values.setdefault(place, {})[at] = " ".join(words[start:end])
        words = list(shared)
        for place, seen in sorted(values.items(), reverse=True):
            if len(seen) * 2 >= len(texts):
                before = words[place - 1] if place else ""
                words.insert(place, self._put(as_name(before.lstrip("-")), seen))
        return on_one_line(without_placeholders(" ".join(words)))

    def _arguments(self, step: AlignedAction) -> str:
        names = Counter(name for it in step.seen.values() for name in it.arguments)
        usual = [name for name, seen in names.items() if seen * 2 >= step.support]
        said = [f"`{on_one_line(n, 60)}` = {self._argument(step, n)}" for n in usual]
        return f" with {', '.join(said)}" if said else ""

    def _argument(self, step: AlignedAction, name: str) -> str:
        given = {
            at: action.arguments[name]
            for at, action in step.seen.items()
            if name in action.arguments
        }
        often = Counter(map(as_word, given.values()))
        value, seen = often.most_common(1)[0]
        is_fixed = seen > 1 and seen * 4 >= len(given) * 3
        if is_fixed and is_anybodys(value, seen):
            return f"`{value}`"
        if known := self._known(given):
            return f"{{{{{known.name}}}}}"
        if said := self._made_of(given):
            return said
        if source := self._source(step.seen, given):
            return f"what `{source}` answered"
        return self._put(as_name(name), given)

    def _made_of(self, given: dict[int, Any]) -> str:
        """A value that is put together from inputs, or a text of its own."""
        texts = {at: it for at, it in given.items() if isinstance(it, str)}
        if len(texts) < len(given):
            return ""
        filled = {at: self._filled(at, text) for at, text in texts.items()}
        same, seen = Counter(filled.values()).most_common(1)[0]
        if "{{" in same and seen > 1 and seen * 4 >= len(filled) * 3:
            return f"`{on_one_line(without_placeholders(same))}`"
        if not _are_prose(list(texts.values())):
            return ""
        shared = shared_words([it.split() for it in filled.values()])
        usual = sum(len(it.split()) for it in filled.values()) / len(filled)
        has_names = any(map(_NAME.search, shared[1:]))  # all runs may be of one person
        is_form = len(filled) > 1 and len(shared) >= _FORM * usual and not has_names
        return f"`{self._lined_up(filled)}`" if is_form else "a text of your own"

    def _known(self, given: dict[int, Any]) -> Input | None:
        return next((it for it in self.inputs if is_equal(it.values, given)), None)

    def _source(self, seen: dict[int, ToolAction], given: dict[int, Any]) -> str:
        """The tool whose answers held the values, in more than half of the runs."""
        found = Counter(
            comes_from(self.examples[at], seen[at].at, value)
            for at, value in given.items()
        )
        source, count = found.most_common(1)[0]
        return source if source and count * 2 > len(given) else ""

    def _put(self, name: str, values: dict[int, Any]) -> str:
        """The input that has these values: one that is known, or a new one."""
        known = self._known(values)
        if known is None:
            known = Input(unused(name, self.inputs), values)
            self.inputs.append(known)
        return f"{{{{{known.name}}}}}"


def _whole(value: str) -> re.Pattern[str]:
    """A value where it stands for itself: not within a longer number or word."""
    kind = r"\d" if value[0].isdigit() else r"[^\W\d]"
    end = r"\d" if value[-1].isdigit() else r"[^\W\d]"
    before = rf"(?<!{kind})" if value[0].isalnum() else ""
    after = rf"(?!{end})" if value[-1].isalnum() else ""
    return re.compile(f"{before}{re.escape(value)}{after}")


def _are_prose(values: Sequence[Any]) -> bool:
    """Whether values are sentences, each written for its occasion."""
    texts = [value for value in values if isinstance(value, str)]
    long = sum(len(text.split()) > _SENTENCE for text in texts)
    return long * 2 > len(values)


def without_placeholders(text: str) -> str:
    """What was redacted is an input, not a part of the skill."""
    return PLACEHOLDER.sub(lambda found: f"{{{{{found[1].lower()}}}}}", text)
