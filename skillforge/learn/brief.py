"""What an agent should know before it learns from a session, and where lessons go."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillforge.checks import similarity_index
from skillforge.checks.private_names import private_to
from skillforge.learn import capture_trigger, patterns, triage
from skillforge.learn.lessons import is_lasting
from skillforge.library import Library
from skillforge.model import Example, Step, StepKind
from skillforge.model.example import digest
from skillforge.model.layout import folder_names
from skillforge.redact import warm_up

_LOADS_SKILL = re.compile(
    r"(?:.*[._])?(?:skill_?view|view_?skill|load_?skill|skill)", re.IGNORECASE
)
_SKILL_ARGUMENTS = ("name", "skill", "skill_name", "command")
_SKILL_PATH = re.compile(r"([A-Za-z0-9._/-]+)/SKILL\.md")
_MOST_EPISODES = 5
_MOST = 5
_NEAR = 0.1  # similarity from which a skill is worth a mention


@dataclass(frozen=True, slots=True)
class SessionError:
    """An error in a session, and whether the same tool succeeded later."""

    tool: str
    text: str
    is_recovered: bool


@dataclass(frozen=True, slots=True)
class SessionBrief:
    """What sessions contain that may be worth learning. All texts are redacted."""

    library: Path
    subject: str  # a file, or a pattern
    session: str
    tasks: tuple[str, ...]
    calls: int
    corrections: tuple[str, ...]  # the user's messages after the first request
    errors: tuple[SessionError, ...]
    loaded: tuple[str, ...]  # skills of main that were read
    near: tuple[tuple[str, float], ...]  # skills of main for such tasks
    pattern: str = ""


def of_transcript(library: Library, path: Path) -> SessionBrief:
    """The brief of a transcript; nothing of it is stored."""
    raw = [
        triage.RawEpisode(example, digest(example.observed))
        for example in capture_trigger.episodes(path)
    ]
    warm_up()
    prepared = triage.prepare(private_to(library), triage.Attestation(), raw)
    examples = [item.example for item in prepared if item.example.task.strip()]
    examples.sort(key=lambda example: -_calls(example))
    return _brief(library, path.name, examples[:_MOST_EPISODES])


def of_pattern(library: Library, number: str) -> SessionBrief:
    """The brief of a pattern of approved examples."""
    pattern = patterns.get(library, number)
    examples = patterns.full_examples(library, pattern.members)
    return _brief(library, f"pattern {pattern.id}", examples, pattern.id)


def _brief(
    library: Library, subject: str, examples: Sequence[Example], pattern: str = ""
) -> SessionBrief:
    tasks = tuple(dict.fromkeys(example.task for example in examples))
    errors = [error for example in examples for error in _errors(example.steps)]
    corrections = [text for example in examples for text in _corrections(example.steps)]
    known = _known(library)
    loaded = dict.fromkeys(
        name for example in examples for name in _loaded(example.steps, known)
    )
    near = similarity_index.triggers(library, library.tip).ranked(" ".join(tasks))
    return SessionBrief(
        library.root,
        subject,
        next((example.session for example in examples if example.session), ""),
        tasks[:_MOST],
        sum(map(_calls, examples)),
        tuple(corrections[:_MOST]),
        tuple(errors[:_MOST]),
        tuple(loaded),
        tuple((name, alike) for name, alike in near[:3] if alike >= _NEAR),
        pattern,
    )


def _calls(example: Example) -> int:
    return sum(1 for _ in example.calls)


def _corrections(steps: Iterable[Step]) -> list[str]:
    """The user's messages after the first request, often corrections."""
    messages = (step for step in steps if step.kind is StepKind.MESSAGE)
    return [
        message.text
        for message in messages
        if message.role == "user" and message.text.strip()
    ][1:]


def _errors(steps: Sequence[Step]) -> list[SessionError]:
    errors = []
    for at, step in enumerate(steps):
        if step.kind is StepKind.ERROR and is_lasting(step.text):
            is_recovered = any(
                later.kind is StepKind.OBSERVATION and later.tool == step.tool
                for later in steps[at + 1 :]
            )
            errors.append(SessionError(step.tool, step.text, is_recovered))
    return errors


def _known(library: Library) -> dict[str, str]:
    """The skills of main by path, by the folder that agents have, and by name."""
    names = library.skill_trees(library.tip)
    known = {library.path_of(name): name for name in names}
    known |= {folder: name for name, folder in folder_names(names).items()}
    return known | {name: name for name in names}


def _loaded(steps: Iterable[Step], known: Mapping[str, str]) -> Iterator[str]:
    """The skills that were read, by a tool or by path."""
    names = []
    for step in steps:
        if step.kind is not StepKind.CALL:
            continue
        if _LOADS_SKILL.fullmatch(step.tool):
            names += [str(step.arguments.get(key, "")) for key in _SKILL_ARGUMENTS]
        names += _SKILL_PATH.findall(str(dict(step.arguments)))
    for parts in (name.split("/") for name in names):
        ends = ("/".join(parts[at:]) for at in range(len(parts)))
        if skill := next((known[end] for end in ends if end in known), ""):
            yield skill
