"""What an agent must not learn: failures of one day, dressed up as knowledge.

What the body says is judged in skills that an agent made; a person may well know that
a tool is missing somewhere. `does not work` is a warning in theirs, too.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.model import Document, Problem, Profile, Severity, Skill, rule, rules_in
from skillforge.text import code_blocks, in_any, occurrences

_DATE = r"\d{4}-?\d\d-?\d\d|(?<![^-])20[2-4]\d(?![^-])"
_TICKET = r"(?<![^-])(?:issue|bug|ticket|pr|jira|gh|inc|incident)-?\d+"
_FIX = r"^(?:fix|debug|hotfix|workaround)-"
ONE_OCCASION = re.compile(
    f"(?P<date>{_DATE})|(?P<ticket>{_TICKET})|(?P<repair>{_FIX})", re.ASCII
)
_ENVIRONMENT = (
    "not installed",
    "command not found",
    "permission denied",
    "no module named",
    "no such file or directory",
    "not available in this environment",
)
_TRANSIENT = (
    "timed out",
    "connection refused",
    "econnrefused",
    "temporarily unavailable",
    "too many requests",
    "rate limit",
    "rate-limit",
    "network error",
)
DOES_NOT_WORK = ("not work", "n't work", "is broken", "never works", "is unusable")
_ONE_OFF = (
    "this session",
    "this conversation",
    "earlier today",
    "yesterday",
    "the user asked",
    "i tried",
)


@rule(profile=Profile.PORTABLE)
def learned_name(_skill: Skill, doc: Document) -> Iterator[Problem]:
    """A name tells a kind of task, not one occasion: no date, no ticket number, no
    `fix-` or `debug-`.

    What was learned from `fix-login-4711` belongs in a skill on logins.
    """
    name = doc.words("name")
    if found := ONE_OCCASION.search(name):
        yield Problem(
            f"the name {name!r} tells of one {found.lastgroup}, not of a kind of task",
            "name the skill after the task that comes again",
            doc.line_of("name"),
        )


FIELD_RULES = rules_in(globals())


@rule(profile=Profile.PORTABLE)
def learned_environment(skill: Skill, doc: Document) -> Iterator[Problem]:
    """A skill does not record what one machine lacked.

    The next machine has the command, the module or the permission. Name what the skill
    needs in `compatibility`, and how to check for it.
    """
    if found := _lesson(skill, doc, _ENVIRONMENT):
        hint = "say what is needed and how to check for it instead"
        yield Problem(
            f"records a failure of one environment: {found.said}", hint, found.line
        )


@rule(profile=Profile.PORTABLE)
def learned_transient(skill: Skill, doc: Document) -> Iterator[Problem]:
    """A skill does not record errors that pass by themselves.

    A time-out or a busy service is handled by trying again, not by remembering it.
    """
    if found := _lesson(skill, doc, _TRANSIENT):
        hint = "describe when to retry and when to give up instead"
        yield Problem(f"records an error that passes: {found.said}", hint, found.line)


@rule(profile=Profile.PORTABLE)
def learned_helplessness(skill: Skill, doc: Document) -> Iterator[Problem]:
    """A skill does not teach that something does not work.

    Such a sentence outlives its cause, and an agent that believes it never tries again.
    Write what does work.
    """
    found = _lesson(skill, doc, DOES_NOT_WORK)
    if not skill.is_agent_made and DOES_NOT_WORK[0] in doc.text:
        found = _first(doc, doc.text, DOES_NOT_WORK[:1])
    if found:
        hint = "write what to do instead"
        yield Problem(
            f"teaches that something does not work: {found.said}", hint, found.line
        )


@rule(profile=Profile.PORTABLE)
def learned_story(skill: Skill, doc: Document) -> Iterator[Problem]:
    """A skill is a procedure, not the story of one session."""
    if found := _lesson(skill, doc, _ONE_OFF):
        hint = "write the step that holds every time"
        yield Problem(f"tells the story of one session: {found.said}", hint, found.line)


BODY_RULES = rules_in(globals())[len(FIELD_RULES) :]


def severity_for(skill: Skill, severity: Severity) -> Severity:
    """Errors in what an agent wrote are warnings in what a person wrote."""
    return severity if skill.is_agent_made else Severity.WARNING


class _Found(NamedTuple):
    """A phrase that gives a lesson away: the line's number and what it says."""

    line: int
    said: str


def _lesson(skill: Skill, doc: Document, phrases: tuple[str, ...]) -> _Found | None:
    """The first phrase in what an agent wrote, the description included."""
    if not skill.is_agent_made:
        return None
    return _first(doc, doc.text.lower().replace("\u2019", "'"), phrases)


def _first(doc: Document, text: str, phrases: tuple[str, ...]) -> _Found | None:
    """The first phrase that stands in prose; code may well handle such an error."""
    code = code_blocks(text)
    for phrase in phrases:
        for at in occurrences(text, phrase):
            if not in_any(at, code):
                line = text.count("\n", 0, at) + 1
                return _Found(line, repr(doc.text.split("\n")[line - 1].strip()[:60]))
    return None
