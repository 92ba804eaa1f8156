"""What the curator knows about each skill: who made it, and how it is used."""

import time
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from skillforge.history.lineage import Life, absorptions, lives
from skillforge.library import Library
from skillforge.model import is_of_agent
from skillforge.model.time_units import DAY
from skillforge.operate.skill_summary import SkillSummary, summaries
from skillforge.policy import Policy
from skillforge.report import plural
from skillforge.store import Tally, Uses


class SkillUsage(NamedTuple):
    """How often a skill was used, and when last."""

    loaded: int = 0
    last: int = 0  # day since 1970; 0 for never
    not_loaded: int = 0  # offers that were not taken


@dataclass(frozen=True, slots=True)
class LibraryFacts:
    """The skills of main, with everything that decides whether they stay."""

    skills: Mapping[str, SkillSummary]
    trees: Mapping[str, str]
    lives: Mapping[str, Life]
    usage: Mapping[str, SkillUsage]
    policy: Policy
    today: int  # day since 1970
    first: int  # day of the first recorded use; 0 if there is none
    recent: Set[str] = frozenset()  # used lately
    absorbed: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_recorded(self) -> bool:
        """Whether any use is recorded; otherwise no skill counts as unused."""
        return self.first > 0

    def used(self, name: str) -> SkillUsage:
        return self.usage.get(name, SkillUsage())

    def life(self, name: str) -> Life:
        return self.lives.get(name, Life())

    def unused_days(self, name: str) -> int:
        """Days since the last use, the last change, or the first record of any use."""
        changed = self.life(name).changed // DAY
        return self.today - max(self.used(name).last, changed, self.first)

    def others_are_used(self, name: str) -> bool:
        """Whether other skills were used lately."""
        return len(self.recent) > (name in self.recent)

    def protection(self, name: str) -> str:
        """Why the curator must not change a skill; empty if it may."""
        skill, life = self.skills[name], self.life(name)
        if skill.is_pinned:
            return "pinned"
        makers = [maker for maker in (life.origin, skill.origin.lower()) if maker]
        if not makers or not all(map(is_of_agent, makers)):
            return "made by a person"
        age = self.today - life.changed // DAY
        if age < self.policy.curate.young:
            return f"changed {plural(max(age, 0), 'day')} ago"
        return ""


def read_facts(library: Library, tip: str) -> LibraryFacts:
    repo = library.repository()
    trees = library.skill_trees(tip)
    tally = Uses.of(repo.common_dir).tally()
    used, policy, today = usage(tally), library.policy(tip), int(time.time()) // DAY
    first_day = today - policy.curate.stale
    return LibraryFacts(
        summaries(library, tip, trees),
        trees,
        lives(library, tip, trees),
        used,
        policy,
        today,
        min((row.day for row in tally), default=0),
        frozenset(name for name, uses in used.items() if uses.last >= first_day),
        absorptions(library, tip),
    )


def usage(tally: Iterable[Tally]) -> dict[str, SkillUsage]:
    """Uses by skill; a use by a key that got no skill doesn't count."""
    usages: dict[str, SkillUsage] = {}
    for row in tally:
        if not row.version:
            continue
        was = usages.get(row.skill, SkillUsage())
        if row.is_loaded:
            last = max(was.last, row.day)
            usages[row.skill] = was._replace(loaded=was.loaded + row.uses, last=last)
        else:
            usages[row.skill] = was._replace(not_loaded=was.not_loaded + row.uses)
    return usages
