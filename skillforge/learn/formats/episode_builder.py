"""An episode as it is being read. Its size has a bound, whatever is read."""

from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from typing import Any

from skillforge.learn.formats import FormatProblem, Found
from skillforge.learn.formats.outcome_hints import is_error_text
from skillforge.learn.formats.untrusted_values import kept, shortened, when, word
from skillforge.model import Example, Outcome, Step, StepKind

KEPT_STEPS = 200  # at the start of an episode, and as many at its end
_UNJUDGED = Outcome()


class RecentIds:
    """What came before. Of very many, the oldest are forgotten."""

    def __init__(self, most: int = 50_000) -> None:
        self._most = most
        self._names: OrderedDict[int, str] = OrderedDict()

    def is_new(self, *parts: str) -> bool:
        """Whether this comes for the first time; from now on it does not."""
        is_new = hash(parts) not in self._names
        self._put(hash(parts), "")
        return is_new

    def remember(self, key: str, name: str) -> None:
        self._put(hash(key), name)

    def name(self, key: str) -> str:
        return self._names.get(hash(key), "")

    def _put(self, key: int, name: str) -> None:
        # A hash, as a key may be long; and moved to the end: it is of use again.
        self._names[key] = name
        self._names.move_to_end(key)
        if len(self._names) > self._most:
            self._names.popitem(last=False)


class Collector:
    """One episode: its first steps and its last, and how many there were between."""

    def __init__(self, form: str, line: int, session: str = "", task: str = "") -> None:
        self._form, self._line = form, line
        self._first: list[Step] = []
        self._last: deque[Step] = deque(maxlen=KEPT_STEPS)
        self._steps = 0
        self._tools = RecentIds(10_000)
        self._task = shortened(task.strip())
        self.output = ""
        self.session = session
        self.started = ""
        self.messages = 0
        self.environment: dict[str, str] = {}

    @property
    def is_empty(self) -> bool:
        return not self._steps

    def learn(self, started: Any = None, /, **facts: Any) -> None:
        """Keep what is said of the surroundings; what was said first stands."""
        self.started = self.started or when(started)
        for name, fact in facts.items():
            if name not in self.environment and (said := word(fact)):
                self.environment[name] = said

    def ask(self, text: str) -> None:
        """What the user wants, if that is not known yet."""
        self._task = self._task or shortened(text.strip())

    def say(self, role: str, text: str) -> None:
        """The user or the assistant speaks; silence is no step."""
        if not (said := shortened(text.strip())):
            return
        if role == "assistant":
            self.output = said
        else:
            self.ask(said)
        self._add(Step(StepKind.MESSAGE, said, role=role))

    def call(self, tool: str, arguments: Mapping[str, Any], key: Any = None) -> None:
        """A tool is called; an answer with the same key will be known as its own."""
        if word(key):
            self._tools.remember(word(key), tool)
        self._add(Step(StepKind.CALL, tool=tool, arguments=kept(arguments)))

    def answer(
        self, text: str, tool: str = "", key: Any = None, failed: bool | None = None
    ) -> None:
        """A tool answers. Where nothing says whether it failed, its words do."""
        failed = is_error_text(text) if failed is None else failed
        kind = StepKind.ERROR if failed else StepKind.OBSERVATION
        name = tool or self._tools.name(word(key))
        self._add(Step(kind, shortened(text), tool=name))

    def finished(self, outcome: Outcome = _UNJUDGED) -> Iterator[Found]:
        """The episode; or that nobody asked for it; or nothing, if nothing happened."""
        if self._task:
            yield self._example(outcome)
        elif self._steps:
            yield FormatProblem(
                self._line, "an episode in which no user asks for anything"
            )

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
        (self._first if len(self._first) < KEPT_STEPS else self._last).append(step)
