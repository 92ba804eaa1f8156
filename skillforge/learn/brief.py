"""What an agent should look for in sessions, and where what it finds belongs.

A transcript is data: what is taken from it was redacted, and stands in code spans.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillforge.checks import similarity_index
from skillforge.checks.private_names import private_to
from skillforge.learn import capture_trigger, patterns, triage
from skillforge.learn.lessons import may_be_learned
from skillforge.library import Library
from skillforge.model import Example, Step, StepKind
from skillforge.model.example import digest
from skillforge.redact import warm_up

_LOADS = re.compile(r"(?:.*[._])?(?:skill_?view|view_?skill|load_?skill|skill)", re.I)
_NAMES = ("name", "skill", "skill_name", "command")
_PATH = re.compile(r"skills/([A-Za-z0-9][A-Za-z0-9._-]*)/SKILL\.md")
_MOST_EPISODES = 5
_MOST = 5
_NEAR = 0.1  # that a skill has in common with tasks, to be worth a look


@dataclass(frozen=True, slots=True)
class SessionError:
    """An error that a session ran into, and whether the same tool went on to work."""

    tool: str
    said: str
    is_cured: bool


@dataclass(frozen=True, slots=True)
class SessionBrief:
    """What is known of sessions before anybody learns from them."""

    subject: str  # a file, or a pattern
    session: str
    tasks: tuple[str, ...]
    calls: int
    corrections: tuple[str, ...]  # what the user said after the first request
    troubles: tuple[SessionError, ...]
    loaded: tuple[str, ...]  # skills of main that were read
    near: tuple[tuple[str, float], ...]  # skills of main for such tasks
    pattern: str = ""


def of_transcript(library: Library, path: Path) -> SessionBrief:
    """What there is to learn from a transcript; nothing of it is kept."""
    raws = [
        triage.RawEpisode(it, digest(it.observed))
        for it in capture_trigger.episodes(path)
    ]
    warm_up()
    ready = triage.prepared(private_to(library), triage.CaptureClaim(), raws)
    found = [it.example for it in ready if it.example.task.strip()]
    longest = sorted(found, key=lambda it: -sum(1 for _ in it.calls))
    return _brief(library, path.name, longest[:_MOST_EPISODES])


def of_pattern(library: Library, number: str) -> SessionBrief:
    """What there is to learn from a pattern of approved examples."""
    pattern = patterns.one(library, number)
    examples = patterns.full(library, pattern.members)
    return _brief(library, f"pattern {pattern.id}", examples, pattern.id)


def _brief(
    library: Library, subject: str, examples: Sequence[Example], pattern: str = ""
) -> SessionBrief:
    tasks = tuple(dict.fromkeys(it.task for it in examples))
    troubles = [trouble for it in examples for trouble in _troubles(it.steps)]
    known = library.skill_trees(library.tip)
    read = dict.fromkeys(name for it in examples for name in _loaded(it.steps))
    near = similarity_index.triggers(library, library.tip).ranked(" ".join(tasks))
    return SessionBrief(
        subject,
        next((it.session for it in examples if it.session), ""),
        tasks[:_MOST],
        sum(1 for it in examples for _ in it.calls),
        tuple(said for it in examples for said in _corrections(it.steps))[:_MOST],
        tuple(troubles[:_MOST]),
        tuple(name for name in read if name in known),
        tuple((name, alike) for name, alike in near[:3] if alike >= _NEAR),
        pattern,
    )


def _corrections(steps: Iterable[Step]) -> list[str]:
    """What the user said after the first request: often where a way was wrong."""
    talk = (it for it in steps if it.kind is StepKind.MESSAGE)
    said = [it.text for it in talk if it.role == "user" and it.text.strip()]
    return said[1:]


def _troubles(steps: Sequence[Step]) -> list[SessionError]:
    found = []
    for at, step in enumerate(steps):
        if step.kind is StepKind.ERROR and may_be_learned(step.text):
            after = steps[at + 1 :]
            is_cured = any(
                it.kind is StepKind.OBSERVATION and it.tool == step.tool for it in after
            )
            found.append(SessionError(step.tool, step.text, is_cured))
    return found


def _loaded(steps: Iterable[Step]) -> list[str]:
    """Names of skills that somebody has read, by tool or by path."""
    found = []
    for step in steps:
        if step.kind is not StepKind.CALL:
            continue
        if _LOADS.fullmatch(step.tool):
            found += [str(step.arguments.get(it, "")) for it in _NAMES]
        found += _PATH.findall(str(dict(step.arguments)))
    return [name.rpartition("/")[2] for name in found if name]
