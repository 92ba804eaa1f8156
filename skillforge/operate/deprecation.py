"""Mark a broken skill as deprecated, and remove the mark when it works again."""

from collections.abc import Iterable, Iterator

from skillforge.checks import status_metadata
from skillforge.errors import SkillforgeError
from skillforge.library import Library
from skillforge.model import Draft
from skillforge.operate.health_record import Checkup, Condition, Environment, is_bad
from skillforge.operate.skill_edits import by_curator, edited
from skillforge.report import plural
from skillforge.text import on_one_line

_MARK = "its cases fail"  # prefix of our marks; those of people stay
_CHANGES = {
    "interpreter": "with {now}; they passed with {was}",
    "dependency": "with other packages than before",
    "platform": "on {now}; they passed on {was}",
    "sandbox": "in {now}; they passed in {was}",
}
_TITLES = ("to remove its deprecation", "to mark it as deprecated")
_MAX_CASES = 5  # listed in a proposal


def drafts(library: Library, tip: str, checkups: Iterable[Checkup]) -> Iterator[Draft]:
    """Drafts that mark broken skills, and unmark those that pass again."""
    for checkup in checkups:
        mark = checkup.deprecation
        if checkup.has_broken and not mark:
            why = _report(checkup)
            yield from _draft(library, tip, checkup.name, reason(checkup), why)
        elif checkup.condition is Condition.PASSED and mark.startswith(_MARK):
            why = (
                f"All of its cases pass again, with {checkup.environment.interpreter}."
            )
            yield from _draft(library, tip, checkup.name, "", why)


def _draft(
    library: Library, tip: str, name: str, mark: str, why: str
) -> Iterator[Draft]:
    def change(text: str) -> str:
        return status_metadata.marked(text, status_metadata.DEPRECATED, mark)

    try:
        draft = edited(library, tip, name, change)
    except SkillforgeError:
        return  # its header can't be edited; the run reports the failure anyway
    if draft is not None:
        yield by_curator(draft, why, _TITLES[bool(mark)])


def reason(checkup: Checkup) -> str:
    """What changed since a broken skill passed, in one line.

    The same on every day, so that a failure is proposed once.
    """
    assert checkup.passed is not None
    was = Environment.read(checkup.passed.environment)._asdict()
    now = checkup.environment._asdict()
    reasons = [
        f"{_MARK} {_CHANGES[name].format(was=was[name], now=now[name])}"
        for name in checkup.changed
        if name in _CHANGES
    ]
    if "skill" in checkup.changed:
        reasons.append(f"{_MARK}; version {checkup.passed.version[:10]} passed")
    return "; ".join(reasons) or f"{_MARK}; they passed before, in the same environment"


def _report(checkup: Checkup) -> str:
    """The body of a proposal: what failed, and what changed."""
    failed = [trial for trial in checkup.trials if is_bad(trial)]
    changed = ", ".join(checkup.changed) or "nothing recorded"
    cases = (
        f"- {on_one_line(trial.case, 120)} ({trial.outcome}): "
        f"{on_one_line(trial.detail, 120)}"
        for trial in failed[:_MAX_CASES]
    )
    total = plural(len(checkup.trials), "case")
    lines = [
        f"{len(failed)} of {total} failed in the health run.",
        f"Changed since it passed: {changed}.",
        *cases,
    ]
    return "\n".join(lines)
