"""What was done in an episode, step by step, so that several can be lined up."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from skillforge.learn.intent_vectors import words
from skillforge.learn.task_template import common
from skillforge.model import Example, Step, StepKind
from skillforge.text import on_one_line, plain_words

_COMMAND = ("command", "cmd", "script", "code")
_NO_DEEDS = re.compile(r"(?:think|todo_?write|todo_?read|update_?plan|plan)", re.I)
_BEFORE_PROGRAM = re.compile(
    r"^(?:\s*(?:sudo|env|time|exec|\w+=\S*|cd\s+\S+\s*(?:&&|;)|set\s+-\w+\s*(?:&&|;)))+\s+"
)
_IN_SIGN = 5  # words
_MOST_ACTIONS = 120

Words = frozenset[tuple[str, str]]


class ToolAction(NamedTuple):
    """One thing that was done, and how often in a row.

    `sign` is what it is compared by: the tool, for a shell also the program. `at` says
    where it stands in the episode; `error` is what came back, if that was one.
    """

    sign: str
    tool: str
    arguments: Mapping[str, Any]
    text: str
    at: int
    times: int = 1
    error: str = ""
    is_forced: bool = False  # what was done before had failed


def vocabulary(examples: Sequence[Example]) -> Words:
    """Words of commands that more than one example has: others are of one occasion."""
    seen: Counter[tuple[str, str]] = Counter()
    for example in examples:
        commands = [command_of(step.arguments) for step in example.calls]
        words = [(program(it), word) for it in commands for word in _words(it)]
        seen.update(set(words))
    return frozenset(word for word, count in seen.items() if count > 1)


def actions(example: Example, words: Words) -> list[ToolAction]:
    """The deeds of an episode; the same several times in a row is one."""
    found: list[ToolAction] = []
    for _, run in groupby(deeds(example, words), key=lambda deed: deed.sign):
        same = list(run)
        forced = same[0].is_forced
        found.append(same[-1]._replace(times=len(same), is_forced=forced))
    return found[:_MOST_ACTIONS]


def deeds(example: Example, known: Words) -> Iterator[ToolAction]:
    """Everything that was done; what was only thought of or planned is left out."""
    calls = any(True for _ in example.calls)
    has_failed = False
    for at, step in enumerate(example.steps):
        is_deed = step.tool.strip() and not _NO_DEEDS.fullmatch(step.tool)
        if step.kind is StepKind.CALL and is_deed:
            command, tool = command_of(step.arguments), on_one_line(step.tool, 80)
            sign = on_one_line(f"{tool} {_sign(command, known)}", 120)
            error = _error_after(example.steps, at)
            yield ToolAction(
                sign, tool, step.arguments, command, at, 1, error, has_failed
            )
            has_failed = bool(error)
        elif not calls and step.kind is StepKind.MESSAGE and step.role == "assistant":
            sign = " ".join(words(step.text))
            if sign and example.format == "plain":
                yield ToolAction(sign, "", {}, plain_words(step.text), at)


def _sign(command: str, known: Words) -> str:
    """What a command is: the program, and its first words that others use, too."""
    name = program(command)
    kept = [word for word in _words(command) if (name, word) in known]
    return " ".join([name, *kept[:_IN_SIGN]]).strip()


def _words(command: str) -> list[str]:
    return _BEFORE_PROGRAM.sub("", command.partition("\n")[0]).split()[1:20]


def command_of(arguments: Mapping[str, Any]) -> str:
    """The line that a shell was given; empty if it is no such call."""
    for key in _COMMAND:
        value = arguments.get(key)
        if isinstance(value, str):
            return value.strip()
        if isinstance(value, Sequence) and value and all(map(_is_text, value)):
            is_shell = len(value) > 2 and value[1] in ("-c", "-lc")
            return value[2].strip() if is_shell else " ".join(value)
    return ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def program(command: str) -> str:
    """The program that a command runs."""
    first = _BEFORE_PROGRAM.sub("", command).split(maxsplit=1)[:1] or [""]
    return first[0].rpartition("/")[2]


def _error_after(steps: Sequence[Step], at: int) -> str:
    """What went wrong with a call, if the next answer says so."""
    for step in steps[at + 1 :]:
        if step.kind is StepKind.ERROR:
            return step.text
        if step.kind is not StepKind.MESSAGE:
            return ""
    return ""


@dataclass(slots=True)
class AlignedAction:
    """The same action in several episodes, by the number of the episode."""

    sign: str
    seen: dict[int, ToolAction] = field(default_factory=dict)

    @property
    def support(self) -> int:
        return len(self.seen)

    @property
    def any_action(self) -> ToolAction:
        return next(iter(self.seen.values()))

    @property
    def is_in_vain(self) -> bool:
        """Whether an error came of it, as a rule."""
        failed = sum(bool(action.error) for action in self.seen.values())
        return failed * 2 > self.support

    @property
    def is_repeated(self) -> bool:
        """Whether it is done several times in a row, as a rule."""
        several = sum(action.times > 1 for action in self.seen.values())
        return several * 2 > self.support


def aligned(episodes: Sequence[Sequence[ToolAction]]) -> list[AlignedAction]:
    """Episodes lined up, whatever the number of those that have a step."""
    some = list(enumerate(episodes))
    if not some:
        return []
    start = max(some, key=lambda it: (_in_common(it[1], episodes), -it[0]))
    lined: list[AlignedAction] = []
    for number, episode in (start, *(it for it in some if it[0] != start[0])):
        lined = _with(lined, number, episode)
    return lined


def _in_common(
    episode: Sequence[ToolAction], others: Sequence[Sequence[ToolAction]]
) -> int:
    signs = {action.sign for action in episode}
    return sum(len(signs & {a.sign for a in it}) for it in others)


def _with(
    lined: list[AlignedAction], number: int, episode: Sequence[ToolAction]
) -> list[AlignedAction]:
    """The line with one more episode: what is new in it is put where it was done."""
    pairs = common([it.sign for it in lined], [action.sign for action in episode])
    found: list[AlignedAction] = []
    done = start = 0
    for at, index in (*pairs, (len(lined), len(episode))):
        found += lined[done:at]
        found += [
            AlignedAction(new.sign, {number: new}) for new in episode[start:index]
        ]
        if at < len(lined):
            lined[at].seen[number] = episode[index]
            found.append(lined[at])
        done, start = at + 1, index + 1
    return found


def usual(lined: Sequence[AlignedAction], episodes: int) -> list[AlignedAction]:
    """The steps that at least half of the episodes have; not those that went wrong,
    nor what was done again, or at all, because of that.
    """
    often = [step for step in lined if step.support * 2 >= episodes]
    found: list[AlignedAction] = []
    for step in often:
        is_again = step.support < episodes and any(it.sign == step.sign for it in found)
        if not (is_again or step.is_in_vain or _is_cure(step, episodes)):
            found.append(step)
    return found


def _is_cure(step: AlignedAction, episodes: int) -> bool:
    """Whether it was done because something had gone wrong, and not by all."""
    forced = sum(action.is_forced for action in step.seen.values())
    return step.support < episodes and forced * 2 > step.support
