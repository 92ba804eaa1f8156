"""Where a library came under review: earlier commits are exempt from the audit."""

from skillforge.errors import ConfigError
from skillforge.history.steps import HistoryStep
from skillforge.library import Library
from skillforge.policy import POLICY_FILE

TOO_LATE = "the policy's adoption commit is too late: promotions came before it"


def adopted(library: Library, all_steps: list[HistoryStep], tip: str) -> set[str]:
    """Commits from before the library was under review.

    These are the first commit, the one that added the policy, and all up to the one
    that the policy names.
    """
    if not all_steps:
        return set()
    exempt = {all_steps[0].name}
    for step in all_steps:
        if step.is_promotion:
            break  # a policy that comes later exempts nothing
        change = step.commit.changes.get(POLICY_FILE)
        if change is not None and not change.before:
            exempt.add(step.name)
            break
    end = _named_position(library, all_steps, tip)
    return exempt | {step.name for step in all_steps[: end + 1]}


def moved(library: Library, all_steps: list[HistoryStep], tip: str) -> str:
    """The commit that the policy names, if promotions came before it; else empty.

    A library is adopted before it is used: later, that would hide changes.
    """
    end = _named_position(library, all_steps, tip)
    is_late = any(step.is_promotion for step in all_steps[: end + 1])
    return all_steps[end].name if is_late else ""


def _named_position(library: Library, all_steps: list[HistoryStep], tip: str) -> int:
    """The last step up to the commit that the policy names; -1 if it names none."""
    named = library.policy(tip).adopted
    if not named or not all_steps:
        return -1
    if library.repository().is_ancestor(all_steps[-1].name, named):
        return len(all_steps) - 1  # the steps end before the library was adopted
    for position, step in enumerate(all_steps):
        if step.name.startswith(named):
            return position
    raise ConfigError(
        f"{POLICY_FILE}: the adoption commit {named} is not on {library.main}",
        hint=f"name one of its own commits: git log --first-parent {library.main}",
    )
