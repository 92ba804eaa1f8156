"""What the curator knows of each skill: who made it, and who uses it."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from skillforge.gitrepo.lineage import Life, lives
from skillforge.library import Library
from skillforge.model import SKILLS, is_of_agent
from skillforge.model.time_units import DAY
from skillforge.operate.skill_summary import SkillSummary, summaries
from skillforge.policy import Policy
from skillforge.report import plural
from skillforge.store import Tally, Uses


class SkillUsage(NamedTuple):
    """How a skill was used: how often, when at last, and how often it was passed by."""

    loaded: int = 0
    last: int = 0  # day since 1970; 0 for never
    passed_by: int = 0  # it was offered, and not loaded


@dataclass(frozen=True, slots=True)
class SkillFacts:
    """The skills of main, with all that bears on whether they stay."""

    skills: Mapping[str, SkillSummary]
    trees: Mapping[str, str]
    lives: Mapping[str, Life]
    usage: Mapping[str, SkillUsage]
    policy: Policy
    today: int  # day since 1970
    first: int  # the day of the first use that is recorded; 0 if none is
    absorbed: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_recorded(self) -> bool:
        """Whether any use is known; without one nothing can be said to be unused."""
        return self.first > 0

    def used(self, name: str) -> SkillUsage:
        return self.usage.get(name, SkillUsage())

    def life(self, name: str) -> Life:
        return self.lives.get(name, Life())

    def quiet_days(self, name: str) -> int:
        """For how long a skill could have been used, and was not, as far as is known.

        Before its last change it was another skill, before the first record nobody
        counted.
        """
        changed = self.life(name).changed // DAY
        return self.today - max(self.used(name).last, changed, self.first)

    def others_are_used(self, name: str) -> bool:
        """Whether agents were at work lately, with other skills."""
        from_day = self.today - self.policy.curate.stale
        return any(
            other != name and usage.last >= from_day
            for other, usage in self.usage.items()
        )

    def hands_off(self, name: str) -> str:
        """Why the curator leaves a skill alone; empty if it need not."""
        skill, life = self.skills[name], self.life(name)
        if skill.is_pinned:
            return "it is pinned"
        makers = [maker for maker in (life.origin, skill.origin.lower()) if maker]
        if not makers or not all(map(is_of_agent, makers)):
            return "a person made it"
        age = self.today - life.changed // DAY
        if age < self.policy.curate.young:
            return f"it changed {plural(max(age, 0), 'day')} ago"
        return ""


def look(library: Library, tip: str) -> SkillFacts:
    """Gather what is known of every skill on main."""
    from skillforge.gitrepo.lineage import absorptions

    repo = library.repository()
    entries = repo.tree(f"{tip}:{SKILLS}")
    trees = {name: it.object for name, it in entries.items() if it.is_tree}
    tally = Uses.of(repo.common_dir).tally()
    return SkillFacts(
        summaries(library, tip, trees),
        trees,
        lives(repo, tip, trees),
        usage(tally),
        library.policy(tip),
        int(time.time()) // DAY,
        min((row.day for row in tally), default=0),
        absorptions(repo, tip),
    )


def usage(tally: Iterable[Tally]) -> dict[str, SkillUsage]:
    """Uses by skill; where a key got no skill, none was used."""
    found: dict[str, SkillUsage] = {}
    for row in tally:
        if not row.version:
            continue
        was = found.get(row.skill, SkillUsage())
        if row.is_loaded:
            last = max(was.last, row.day)
            found[row.skill] = was._replace(loaded=was.loaded + row.uses, last=last)
        else:
            found[row.skill] = was._replace(passed_by=was.passed_by + row.uses)
    return found
