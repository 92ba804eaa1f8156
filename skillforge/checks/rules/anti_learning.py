"""What an agent must not learn: one-off failures, presented as knowledge.

The rules on the body apply to skills by agents; a person may well know that a tool is
missing somewhere, or does not work.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.model import (
    Document,
    Profile,
    RuleProblem,
    Severity,
    Skill,
    rule,
    rules_in,
)
from skillforge.text import code_blocks, in_any

_DATE = r"\d{4}-?\d\d-?\d\d|(?<![^-])20[2-4]\d(?![^-])"
_TICKET = r"(?<![^-])(?:issue|bug|ticket|pr|jira|gh|inc|incident)-?\d+"
_FIX = r"^(?:fix|debug|hotfix|workaround)-"
ONE_OCCASION = re.compile(
    f"(?P<date>{_DATE})|(?P<ticket>{_TICKET})|(?P<repair>{_FIX})", re.ASCII
)
ENVIRONMENT = re.compile(
    r"not installed|command not found|permission denied|no module named"
    r"|no such file or directory|not available (?:here|in this environment)",
    re.IGNORECASE,
)
TRANSIENT = re.compile(
    r"timed out|connection refused|econnrefused|temporarily unavailable"
    r"|too many requests|rate[- ]limit|network error",
    re.IGNORECASE,
)
DOES_NOT_WORK = re.compile(
    r"\b(?:does|did|will|can)(?:n['\u2019]t|\s?not)\s+work\b|\bwon['\u2019]t\s+work\b"
    r"|\bis\s+(?:broken|unusable)\b|\bnever\s+works\b",
    re.IGNORECASE,
)
ONE_OFF = re.compile(
    r"this (?:session|conversation)|earlier today|yesterday|the user asked|\bi tried\b",
    re.IGNORECASE,
)
# A sentence with a condition is advice for such a case, as a skill should give.
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|until|in case|handle|handles|after)\b", re.IGNORECASE
)
_FAILURE_SECTION = re.compile(
    r"^#{1,6} [^\n]*(?:fail|error|troubleshoot|recover)[^\n]*\n"
    r"(?:(?!#{1,6} )[^\n]*+\n)*+",
    re.IGNORECASE | re.MULTILINE,
)


@rule(profile=Profile.PORTABLE)
def learned_name(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A name describes a kind of task, not one occasion: no date, no ticket number, no
    `fix-` or `debug-`.

    What was learned from `fix-login-4711` belongs in a skill on logins.
    """
    name = doc.words("name")
    if match := ONE_OCCASION.search(name):
        yield RuleProblem(
            f"the name {name!r} is about one {match.lastgroup}, not a kind of task",
            "name the skill after the recurring task",
            doc.line_of("name"),
        )


FIELD_RULES = rules_in(globals())


@rule(profile=Profile.PORTABLE)
def learned_environment(skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A skill does not record what one machine lacked.

    Other machines may have the command, the module or the permission. Name what the
    skill needs in `compatibility`, and how to check for it.
    """
    if match := _lesson(skill, doc, ENVIRONMENT, fine_in=_FAILURE_SECTION):
        hint = "describe what is needed and how to check for it instead"
        yield RuleProblem(
            f"records a failure of one environment: {match.phrase}", hint, match.line
        )


@rule(profile=Profile.PORTABLE)
def learned_transient(skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A skill does not record transient errors.

    Retry after a timeout or a busy service, instead of recording it in a skill.
    """
    if match := _lesson(skill, doc, TRANSIENT, fine_in=_FAILURE_SECTION):
        hint = "describe when to retry and when to give up instead"
        yield RuleProblem(
            f"records a transient error: {match.phrase}", hint, match.line
        )


@rule(profile=Profile.PORTABLE)
def learned_helplessness(skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A skill does not teach that something does not work.

    The cause is fixed, but the sentence stays, and agents that read it don't try.
    Write what works.
    """
    if match := _lesson(skill, doc, DOES_NOT_WORK):
        hint = "write what to do instead"
        yield RuleProblem(
            f"teaches that something does not work: {match.phrase}", hint, match.line
        )


@rule(profile=Profile.PORTABLE)
def learned_story(skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A skill is a procedure, not the story of one session."""
    if match := _lesson(skill, doc, ONE_OFF):
        hint = "write the step that applies every time"
        yield RuleProblem(
            f"tells the story of one session: {match.phrase}", hint, match.line
        )


BODY_RULES = rules_in(globals())[len(FIELD_RULES) :]


def sections_severity(skill: Skill, severity: Severity) -> Severity:
    """Sections are required only if a skill declares that an agent made it.

    An agent that edits a person's skill follows that person's style.
    """
    return severity if skill.says_agent else Severity.WARNING


class _PhraseMatch(NamedTuple):
    """A phrase of such a lesson, and its line."""

    line: int
    phrase: str


def _lesson(
    skill: Skill,
    doc: Document,
    phrase: re.Pattern[str],
    *,
    fine_in: re.Pattern[str] | None = None,
) -> _PhraseMatch | None:
    """The first phrase in a skill by an agent that reports an event as a lesson.

    Phrases in code, in a section `fine_in` and in advice are none.
    """
    if not skill.is_agent_made:
        return None
    text = doc.text
    sections = [match.span() for match in fine_in.finditer(text)] if fine_in else []
    code = code_blocks(text)
    for match in phrase.finditer(text):
        at = match.start()
        sentence = re.split(r"\n\s*\n|[.!?]\s", text[max(0, at - 300) : at])[-1]
        is_advice = sentence.count("`") % 2 or _CONDITION.search(sentence)
        if not is_advice and not in_any(at, code) and not in_any(at, sections):
            line = doc.line_around(at)
            return _PhraseMatch(doc.line_at(at), repr(line.strip()[:60]))
    return None
