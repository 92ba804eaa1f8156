"""The actions of an episode, comparable between episodes, and their alignment."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from skillforge.learn import intent_vectors
from skillforge.learn.task_template import common_sequence
from skillforge.model import Example, Step, StepKind
from skillforge.text import on_one_line, plain_words

_COMMAND_ARGUMENTS = ("command", "cmd", "script", "code")
_PLANNING_TOOLS = re.compile(
    r"(?:think|todo_?write|todo_?read|update_?plan|plan)", re.IGNORECASE
)
_COMMAND_PREFIX = re.compile(
    r"^(?:\s*(?:sudo|env|time|exec|\w+=\S*|cd\s+\S+\s*(?:&&|;)|set\s+-\w+\s*(?:&&|;)))+\s+"
)
_MOST_WORDS = 5  # of a command, in its signature
_MOST_ACTIONS = 120

Vocabulary = frozenset[tuple[str, str]]


class ToolAction(NamedTuple):
    """One or more equal actions in a row.

    `sign` identifies it between episodes: the tool, for a shell also the program.
    `at` is its step in the episode. `error` is the tool's answer if that is an error.
    """

    sign: str
    tool: str
    arguments: Mapping[str, Any]
    text: str
    at: int
    times: int = 1
    error: str = ""
    is_after_error: bool = False


def vocabulary(examples: Sequence[Example]) -> Vocabulary:
    """Programs with those words of their commands that several examples share."""
    counts: Counter[tuple[str, str]] = Counter()
    for example in examples:
        commands = [command_of(step.arguments) for step in example.calls]
        counts.update(
            {(program(line), word) for line in commands for word in _words(line)}
        )
    return frozenset(word for word, count in counts.items() if count > 1)


def actions(example: Example, known: Vocabulary) -> list[ToolAction]:
    """The actions of an episode; equal ones in a row are merged."""
    merged: list[ToolAction] = []
    for _, group in groupby(
        all_actions(example, known), key=lambda action: action.sign
    ):
        same = list(group)
        is_after_error = same[0].is_after_error
        merged.append(same[-1]._replace(times=len(same), is_after_error=is_after_error))
    return merged[:_MOST_ACTIONS]


def all_actions(example: Example, known: Vocabulary) -> Iterator[ToolAction]:
    """Every action of an episode, without thinking and planning."""
    has_calls = any(True for _ in example.calls)
    has_failed = False
    for at, step in enumerate(example.steps):
        is_action = step.tool.strip() and not _PLANNING_TOOLS.fullmatch(step.tool)
        if step.kind is StepKind.CALL and is_action:
            command, tool = command_of(step.arguments), on_one_line(step.tool, 80)
            sign = on_one_line(f"{tool} {_command_sign(command, known)}", 120)
            error = _error_after(example.steps, at)
            yield ToolAction(
                sign, tool, step.arguments, command, at, 1, error, has_failed
            )
            has_failed = bool(error)
        elif (
            step.kind is StepKind.MESSAGE
            and step.role == "assistant"
            and example.format == "plain"
            and not has_calls
        ):
            sign = " ".join(intent_vectors.words(step.text))
            if sign:
                yield ToolAction(sign, "", {}, plain_words(step.text), at)


def _command_sign(command: str, known: Vocabulary) -> str:
    """The program of a command, and its first words that other examples share."""
    name = program(command)
    shared = [word for word in _words(command) if (name, word) in known]
    return " ".join([name, *shared[:_MOST_WORDS]]).strip()


def _words(command: str) -> list[str]:
    return _COMMAND_PREFIX.sub("", command.partition("\n")[0]).split()[1:20]


def command_of(arguments: Mapping[str, Any]) -> str:
    """The command line of a shell call; empty for another call."""
    for key in _COMMAND_ARGUMENTS:
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
    first = _COMMAND_PREFIX.sub("", command).split(maxsplit=1)[:1] or [""]
    return first[0].rpartition("/")[2]


def _error_after(steps: Sequence[Step], at: int) -> str:
    """The answer to a call if it is an error, else empty."""
    for step in steps[at + 1 :]:
        if step.kind is StepKind.ERROR:
            return step.text
        if step.kind is not StepKind.MESSAGE:
            return ""
    return ""


@dataclass(slots=True)
class AlignedAction:
    """The same action in several episodes, by the index of the episode."""

    sign: str
    by_episode: dict[int, ToolAction] = field(default_factory=dict)

    @property
    def support(self) -> int:
        return len(self.by_episode)

    @property
    def any_action(self) -> ToolAction:
        return next(iter(self.by_episode.values()))

    @property
    def usually_fails(self) -> bool:
        failed = sum(bool(action.error) for action in self.by_episode.values())
        return failed * 2 > self.support

    @property
    def is_repeated(self) -> bool:
        """Whether most episodes take it several times in a row."""
        repeated = sum(action.times > 1 for action in self.by_episode.values())
        return repeated * 2 > self.support

    def is_workaround(self, episodes: int) -> bool:
        """Whether only some episodes take it, mostly after an error."""
        forced = sum(action.is_after_error for action in self.by_episode.values())
        return self.support < episodes and forced * 2 > self.support


def align(episodes: Sequence[Sequence[ToolAction]]) -> list[AlignedAction]:
    """Merge the action sequences of several episodes into one."""
    if not episodes:
        return []
    signs = [{action.sign for action in episode} for episode in episodes]

    def overlap(index: int) -> int:
        return sum(len(signs[index] & other) for other in signs)

    start = max(range(len(episodes)), key=lambda index: (overlap(index), -index))
    line: list[AlignedAction] = []
    for index in (start, *(other for other in range(len(episodes)) if other != start)):
        line = _with_episode(line, index, episodes[index])
    return line


def _with_episode(
    line: list[AlignedAction], number: int, episode: Sequence[ToolAction]
) -> list[AlignedAction]:
    """The sequence with one more episode; its new actions go where it took them."""
    pairs = common_sequence(
        [action.sign for action in line], [action.sign for action in episode]
    )
    merged: list[AlignedAction] = []
    done = start = 0
    for at, index in (*pairs, (len(line), len(episode))):
        merged += line[done:at]
        merged += [
            AlignedAction(new.sign, {number: new}) for new in episode[start:index]
        ]
        if at < len(line):
            line[at].by_episode[number] = episode[index]
            merged.append(line[at])
        done, start = at + 1, index + 1
    return merged


def common_actions(line: Sequence[AlignedAction], episodes: int) -> list[AlignedAction]:
    """What at least half of the episodes do, without failures and workarounds."""
    steps: list[AlignedAction] = []
    for action in line:
        is_rare = action.support * 2 < episodes
        is_retry = action.support < episodes and any(
            earlier.sign == action.sign for earlier in steps
        )
        if not (
            is_rare
            or is_retry
            or action.usually_fails
            or action.is_workaround(episodes)
        ):
            steps.append(action)
    return steps
