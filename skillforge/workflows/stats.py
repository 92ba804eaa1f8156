"""Statistics of recorded uses, and the dashboard."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from skillforge.errors import SkillforgeError
from skillforge.history import readable_version, timeline
from skillforge.history.lineage import require_skill
from skillforge.history.steps import HistoryStep, read_steps, refuse_shallow
from skillforge.library import Library
from skillforge.model import SKILL_FILE
from skillforge.operate import dashboard_data, rollouts
from skillforge.operate.canary import judge
from skillforge.operate.stats import (
    MAX_RECENT,
    OriginStats,
    SkillStats,
    by_origin,
    grouped,
    skill_stats,
)
from skillforge.propose.workspace import Workspace
from skillforge.render.data.proposals import ProposalRow, proposal_row
from skillforge.render.data.stats import rows
from skillforge.store import Uses


@dataclass(frozen=True, slots=True)
class StatsReport:
    """Statistics of skills, the most used first.

    `versions` and `origins` are by tree: the readable version (trees that are gone are
    missing), and who made it.
    """

    skills: tuple[SkillStats, ...]
    versions: Mapping[str, str]
    origins: Mapping[str, str]
    by_origin: Mapping[str, OriginStats]


def stats(workspace: Workspace, name: str = "") -> StatsReport:
    """Statistics of one skill, or of all that have recorded uses."""
    library = workspace.library
    skills = _skill_stats(library, name)
    return _report(library, skills, read_steps(library, library.tip) if skills else [])


def dashboard(workspace: Workspace, name: str = "") -> tuple[StatsReport, str]:
    """The same, with the HTML page that shows it."""
    library = workspace.library
    steps = read_steps(library, library.tip)
    refuse_shallow(library, steps)  # the growth would be wrong
    report = _report(library, _skill_stats(library, name), steps)
    return report, _page(workspace, report, steps)


def _report(
    library: Library, skills: list[SkillStats], steps: list[HistoryStep]
) -> StatsReport:
    trees = {tree for skill in skills for tree in skill.versions}
    origins = timeline.origins(steps)
    return StatsReport(
        tuple(skills),
        _readable_versions(library, trees),
        origins,
        by_origin(skills, origins),
    )


def _skill_stats(library: Library, name: str) -> list[SkillStats]:
    uses = Uses.of(library.repository().common_dir)
    by_skill = grouped(uses.tally(name), lambda row: row.skill)
    if name and name not in by_skill:
        require_skill(library, library.tip, name)
    latest, keys = uses.latest(by_skill, MAX_RECENT), uses.voices()
    found = [
        skill_stats(skill, tallies, latest.get(skill, []), keys.get(skill, 0))
        for skill, tallies in by_skill.items()
    ]
    return sorted(found, key=lambda skill: (-skill.total.uses, skill.name))


def _readable_versions(library: Library, trees: Iterable[str]) -> dict[str, str]:
    """`metadata.version` of each tree; trees that are gone are missing."""
    wanted = sorted(trees)
    files = library.repository().find_all([f"{tree}:{SKILL_FILE}" for tree in wanted])
    both = zip(wanted, files, strict=True)
    return {tree: readable_version.of(file.data) for tree, file in both if file}


def _page(workspace: Workspace, report: StatsReport, steps: list[HistoryStep]) -> str:
    from skillforge.operate.dashboard import page

    library = workspace.library
    uses = Uses.of(library.repository().common_dir)
    trees = library.skill_trees(library.tip)
    checked = [
        row for row in uses.case_records() if trees.get(row.skill) == row.version
    ]
    versions = _readable_versions(library, {row.version for row in checked})
    return page(
        {
            "title": library.root.name,
            "generated": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "main": library.tip,
            "branch": library.main,
            "skills": dashboard_data.skills(rows(report)),
            "canaries": _canaries(library, uses),
            "growth": [list(day) for day in timeline.days(steps)],
            "proposals": _proposals(workspace),
            "health": dashboard_data.health(checked, trees, versions),
        }
    )


def _canaries(library: Library, uses: Uses) -> list[dict[str, Any]]:
    rule = library.policy(library.tip).canary
    now = int(time.time())
    found = []
    for name in sorted(rollouts.read_all(library.repository()).valid):
        if rollout := rollouts.current(library, name):
            judgement = judge(rollout, uses.votes(rollout.id), rule, now)
            found.append(dashboard_data.canary(judgement, uses.tally(name)))
    return found


def _proposals(workspace: Workspace) -> list[ProposalRow]:
    """Open proposals; none if the forge is out of reach."""
    try:
        waiting = workspace.forge.proposals(only_open=True)
    except SkillforgeError:
        return []
    return [proposal_row(proposal) for proposal in waiting]
