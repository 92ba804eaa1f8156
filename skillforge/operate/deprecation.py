"""Say on a skill that it is broken, and take that back when it works again."""

from collections.abc import Iterable, Iterator

from skillforge.checks import status_metadata
from skillforge.errors import SkillforgeError
from skillforge.library import Library
from skillforge.model import Draft
from skillforge.operate.health_record import Checkup, Condition, Environment, is_bad
from skillforge.operate.skill_edits import curators, edited
from skillforge.report import plural
from skillforge.text import on_one_line

_MARK = "its cases fail"  # how a mark of ours begins: what people write stays
_WORDS = {
    "interpreter": "with {now}; they passed with {was}",
    "dependency": "with other packages than they passed with",
    "platform": "on {now}; they passed on {was}",
    "sandbox": "in {now}; they passed in {was}",
}
_TITLES = ("to take its mark out", "to mark it as deprecated")
_SHOWN = 5  # cases that a reason names


def drafts(library: Library, tip: str, found: Iterable[Checkup]) -> Iterator[Draft]:
    """What should be said on skills, or no longer: none for one that says so."""
    for one in found:
        said = status_metadata.deprecation(one.skill.document)
        if one.has_broken and not said:
            yield from _draft(library, tip, one, reason(one), _broken(one))
        elif one.condition is Condition.PASSED and said.startswith(_MARK):
            why = f"All of its cases pass again, with {one.environment.interpreter}."
            yield from _draft(library, tip, one, "", why)


def _draft(
    library: Library, tip: str, one: Checkup, mark: str, why: str
) -> Iterator[Draft]:
    def change(text: str) -> str:
        return status_metadata.marked(text, status_metadata.DEPRECATED, mark)

    try:
        draft = edited(library, tip, one.name, change)
    except SkillforgeError:
        return  # a header that cannot be spliced; that it fails is told anyway
    if draft is not None:
        yield curators(draft, why, _TITLES[bool(mark)])


def reason(one: Checkup) -> str:
    """Why a skill should not be used, in a line: what changed since it passed.

    Equal for the same failure on another day, so that it is proposed once.
    """
    assert one.passed is not None
    was = Environment.read(one.passed.environment)._asdict()
    now = one.environment._asdict()
    told = [
        f"{_MARK} {_WORDS[name].format(was=was[name], now=now[name])}"
        for name in one.changed
        if name in _WORDS
    ]
    if "skill" in one.changed:
        told.append(f"{_MARK}; those of version {one.passed.version[:10]} passed")
    return "; ".join(told) or f"{_MARK}; they passed before, in the same environment"


def _broken(one: Checkup) -> str:
    bad = [trial for trial in one.trials if is_bad(trial)]
    changed = ", ".join(one.changed) or "nothing that is known"
    lines = [
        f"In the health run {len(bad)} of {plural(len(one.trials), 'case')} failed.",
        f"Changed since it passed: {changed}.",
        *(f"- {_told(t.case)} ({t.outcome}): {_told(t.detail)}" for t in bad[:_SHOWN]),
    ]
    return "\n".join(lines)


def _told(words: str) -> str:
    return on_one_line(words, 120)
