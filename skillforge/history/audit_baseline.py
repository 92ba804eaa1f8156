"""Where a library came under review: what was on main before is not to be judged."""

from skillforge.errors import ConfigError
from skillforge.history.steps import HistoryStep
from skillforge.library import Library
from skillforge.policy import POLICY_FILE

TOO_LATE = "the policy adopts promotions: the commit that it names is too late"


def adopted(library: Library, all_steps: list[HistoryStep], tip: str) -> set[str]:
    """Commits from before the library was under review.

    The first commit, the one that brought the policy, and all up to the one that the
    policy names.
    """
    if not all_steps:
        return set()
    found = {all_steps[0].name}
    for step in all_steps:
        if step.is_promotion:
            break  # a policy that comes later adopts nothing
        if _adds(step, POLICY_FILE):
            found.add(step.name)
            break
    if named := library.policy(tip).adopted:
        names = [step.name for step in all_steps]
        if library.repository().is_ancestor(names[-1], named):
            return set(names)  # the range ends before the library was adopted
        found.update(names[: _position(library, names, named) + 1])
    return found


def _position(library: Library, names: list[str], named: str) -> int:
    for at, name in enumerate(names):
        if name.startswith(named):
            return at
    raise ConfigError(
        f"{POLICY_FILE}: the adoption commit {named} is not on {library.main}",
        hint=f"name one of its own line: git log --first-parent {library.main}",
    )


def moved(library: Library, all_steps: list[HistoryStep], tip: str) -> str:
    """The commit up to which a library was adopted, if that came too late.

    A library is adopted before it is used: later, that would hide what came in.
    """
    named = library.policy(tip).adopted
    names = [step.name for step in all_steps]
    is_all = bool(named) and library.repository().is_ancestor(names[-1], named)
    until = -1
    if named:
        until = len(names) - 1 if is_all else _position(library, names, named)
    is_late = any(step.is_promotion for step in all_steps[: until + 1])
    return names[until] if is_late else ""


def _adds(step: HistoryStep, path: str) -> bool:
    change = step.commit.changes.get(path)
    return change is not None and not change.before
