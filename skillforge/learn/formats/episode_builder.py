"""Build an episode while its transcript is read, within a limited size."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from skillforge.learn.formats import Episode, FormatProblem
from skillforge.learn.formats import untrusted_values as values
from skillforge.learn.formats.outcome_hints import is_error_text
from skillforge.model import Example, Outcome, Step, StepKind

_MOST_STEPS = 200  # at the start of an episode, and as many at its end
_UNKNOWN = Outcome()


class RecentIds:
    """Ids that occurred, with names; beyond a number, the oldest are forgotten."""

    def __init__(self, most: int = 50_000) -> None:
        self._most = most
        self._names: OrderedDict[int, str] = OrderedDict()

    def is_new(self, *parts: str) -> bool:
        """Whether an id occurs for the first time; it is remembered."""
        is_new = hash(parts) not in self._names
        self._put(hash(parts), "")
        return is_new

    def remember(self, key: str, name: str) -> None:
        self._put(hash(key), name)

    def name(self, key: str) -> str:
        return self._names.get(hash(key), "")

    def _put(self, key: int, name: str) -> None:
        # A hash, as a key may be long; moved to the end, as it is in use again.
        self._names[key] = name
        self._names.move_to_end(key)
        if len(self._names) > self._most:
            self._names.popitem(last=False)


class EpisodeBuilder:
    """One episode: its first and last steps, and the number of those between."""

    def __init__(self, form: str, line: int, session: str = "", task: str = "") -> None:
        self._form, self._line = form, line
        self._first: list[Step] = []
        self._last: deque[Step] = deque(maxlen=_MOST_STEPS)
        self._steps = 0
        self._tools = RecentIds(10_000)
        self._task = values.truncated(task.strip())
        self.output = ""
        self.session = session
        self.started = ""
        self.messages = 0
        self.environment: dict[str, str] = {}

    @property
    def is_empty(self) -> bool:
        return not self._steps

    def add_context(self, started: Any = None, /, **facts: Any) -> None:
        """Add the start time and facts of the environment; the first ones count."""
        self.started = self.started or values.iso_time(started)
        for name, fact in facts.items():
            if name not in self.environment and (value := values.name(fact)):
                self.environment[name] = value

    def ask(self, text: str) -> None:
        """Set the task, if it is not known yet."""
        self._task = self._task or values.truncated(text.strip())

    def say(self, role: str, text: str) -> None:
        """Add a message of the user or the assistant; a blank one is ignored."""
        if not (message := values.truncated(text.strip())):
            return
        if role == "assistant":
            self.output = message
        else:
            self.ask(message)
        self._add(Step(StepKind.MESSAGE, message, role=role))

    def call(self, tool: str, arguments: Mapping[str, Any], key: Any = None) -> None:
        """Add a tool call; an answer with the same key belongs to it."""
        if values.name(key):
            self._tools.remember(values.name(key), tool)
        self._add(Step(StepKind.CALL, tool=tool, arguments=values.limited(arguments)))

    def answer(
        self, text: str, tool: str = "", key: Any = None, failed: bool | None = None
    ) -> None:
        """Add a tool's answer; if `failed` is None, its text decides."""
        failed = is_error_text(text) if failed is None else failed
        kind = StepKind.ERROR if failed else StepKind.OBSERVATION
        name = tool or self._tools.name(values.name(key))
        self._add(Step(kind, values.truncated(text), tool=name))

    def add_all(
        self, what: str, items: Any, add: Callable[["EpisodeBuilder", Any], bool]
    ) -> Iterator[FormatProblem]:
        """Add the items of a list; reports the number that `add` did not understand."""
        items = values.sequence(items)
        if skipped := sum(not add(self, item) for item in items):
            message = f"{skipped} of {len(items)} {what} are not understood"
            yield FormatProblem(self._line, message)

    def finish(self, outcome: Outcome = _UNKNOWN) -> Iterator[Episode]:
        """The episode; a problem if it has no task; nothing if it has no steps."""
        if self._task:
            yield self._example(outcome)
        elif self._steps:
            yield FormatProblem(self._line, "an episode without a user request")

    def _example(self, outcome: Outcome) -> Example:
        return Example(
            task=self._task,
            session=self.session,
            format=self._form,
            started=self.started,
            environment=self.environment,
            steps=(*self._first, *self._last),
            output=self.output,
            messages=self.messages,
            left_out=self._steps - len(self._first) - len(self._last),
            outcome=outcome,
        )

    def _add(self, step: Step) -> None:
        self._steps += 1
        (self._first if len(self._first) < _MOST_STEPS else self._last).append(step)
