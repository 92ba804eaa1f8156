"""The checks of the gate: each a name and a function from a skill to findings."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from skillforge.config import Policy
from skillforge.library import Library
from skillforge.model import Finding, Skill


@dataclass(frozen=True, slots=True)
class Subject:
    """What a check may look at: a skill as proposed, and as it was on the base.

    `skill` is None for one that goes, `before` for one that is new. `replaced` names
    skills that go for its sake.
    """

    library: Library
    policy: Policy
    base: str
    head: str
    skill: Skill | None
    before: Skill | None
    replaced: tuple[str, ...] = ()


class Check(NamedTuple):
    """One check; paths of its findings are relative to the skill's folder.

    `missing` says what it lacks on this machine: a check that cannot run has not
    passed.
    """

    name: str
    run: Callable[[Subject], Iterable[Finding]]
    seconds: float = 60
    missing: Callable[[], str] = lambda: ""
    is_for_rollbacks: bool = True  # a rollback does not wait for what takes long


@cache
def checks() -> dict[str, Check]:
    """Every check by name, the cheap ones first."""
    from skillforge.checks import overlap, run
    from skillforge.checks.testing import check

    return {each.name: each for each in (run.CHECK, overlap.CHECK, check.CHECK)}
