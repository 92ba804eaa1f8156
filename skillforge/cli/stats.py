"""The command `stats`: how skills fare, as text, JSON or a page."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.model.time_units import DAY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillforge.library import Library
    from skillforge.operate.stats import SkillStats
    from skillforge.propose.history_steps import HistoryStep
    from skillforge.propose.workspace import Workspace
    from skillforge.store import Uses

_MOST = 40  # lines of text


@click.command()
@click.argument("name", required=False, shell_complete=completions.skills)
@click.option(
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page with plots: one file that needs no network.",
)
@forge_options
@click.pass_obj
def stats(
    settings: GlobalOptions, name: str | None, page: Path | None
) -> CommandResult:
    """Tell how skills fare: uses, success, and how sure that is.

    The rate is a moving average of all outcomes, for a quick look. The interval is of
    verified outcomes only (95 %), and is what to go by. A bar is a week.

    \b
    skillforge stats
    skillforge stats csv-tables         with its versions, time and tokens
    skillforge stats --html stats.html
    """
    from skillforge.operate import words
    from skillforge.operate.stats import by_origin, data
    from skillforge.propose import history_steps, timeline
    from skillforge.propose.workspace import Workspace

    desk = Workspace.at(settings.start, None, settings.choice)
    library = desk.settled()
    found = _gathered(library, name or "")
    steps = history_steps.steps(library, library.tip) if found or page else []
    if page is not None:
        history_steps.refuse_shallow(library, steps)  # the growth would be wrong
    origins = timeline.origins(steps)
    readable = _readable(library, {tree for one in found for tree in one.versions})
    rows = [data(one, readable, origins) for one in found]
    answer = {"skills": rows, "origins": by_origin(rows)}
    if page is not None:
        return _write(page, answer, _page(desk, rows, steps))
    today = int(time.time()) // DAY
    return CommandResult(answer, words.stats_text(found, readable, today, _MOST))


def _gathered(library: "Library", name: str) -> "list[SkillStats]":
    """What is known of one skill or of all, the most used first."""
    from skillforge.operate import assignment
    from skillforge.operate.stats import MOST_RECENT, grouped, of_skill
    from skillforge.store import Uses

    uses = Uses.of(library.repository().common_dir)
    rows = grouped(uses.tally(name), lambda row: row.skill)
    if name and name not in rows:
        assignment.assigned(library, name, "")  # a name that there is
    latest, keys = uses.latest(rows, MOST_RECENT), uses.voices()
    found = [
        of_skill(skill, some, latest.get(skill, []), keys.get(skill, 0))
        for skill, some in rows.items()
    ]
    return sorted(found, key=lambda one: (-one.total.uses, one.name))


def _readable(library: "Library", trees: "Iterable[str]") -> dict[str, str]:
    """The version that each tree names; trees that are gone are left out."""
    from skillforge.model import SKILL_FILE
    from skillforge.propose import readable_version

    wanted = sorted(trees)
    files = library.repository().find_all([f"{tree}:{SKILL_FILE}" for tree in wanted])
    both = zip(wanted, files, strict=True)
    return {tree: readable_version.of(file.data) for tree, file in both if file}


def _page(
    desk: "Workspace", rows: list[dict[str, Any]], steps: "list[HistoryStep]"
) -> str:
    """The page, from all that this clone knows."""
    from skillforge.model import SKILLS
    from skillforge.operate import dashboard_data
    from skillforge.operate.dashboard import page
    from skillforge.propose import timeline
    from skillforge.store import Uses

    library = desk.library
    repo = library.repository()
    uses = Uses.of(repo.common_dir)
    entries = repo.tree(f"{library.tip}:{SKILLS}").items()
    trees = {name: entry.object for name, entry in entries}
    checked = [it for it in uses.checked() if trees.get(it.skill) == it.version]
    readable = _readable(library, {it.version for it in checked})
    return page(
        {
            "title": library.root.name,
            "generated": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "main": library.tip,
            "branch": library.main,
            "skills": dashboard_data.skills(rows),
            "canaries": _canaries(library, uses),
            "growth": [list(day) for day in timeline.days(steps)],
            "proposals": _proposals(desk),
            "health": dashboard_data.health(checked, trees, readable),
        }
    )


def _canaries(library: "Library", uses: "Uses") -> list[dict[str, Any]]:
    from skillforge.operate import dashboard_data, rollouts
    from skillforge.operate.canary import judge

    rule = library.policy(library.tip).canary
    now = int(time.time())
    found = []
    for name in sorted(rollouts.every(library.repository()).sound):
        if rollout := rollouts.current(library, name):
            judged = judge(rollout, uses.votes(rollout.id), rule, now)
            found.append(dashboard_data.canary(judged, uses.tally(name)))
    return found


def _proposals(desk: "Workspace") -> list[dict[str, Any]]:
    """What waits for a reviewer; a forge that is out of reach is no reason to stop."""
    from skillforge.errors import SkillforgeError
    from skillforge.render.data.proposals import proposal_row

    try:
        waiting = desk.forge.proposals(only_open=True)
    except SkillforgeError:
        return []
    return [dict(proposal_row(proposal)) for proposal in waiting]


def _write(path: Path, answer: dict[str, Any], text: str) -> CommandResult:
    from skillforge.library import replace_file

    replace_file(path, text.encode())
    return CommandResult(answer | {"path": str(path)}, f"wrote {path}")
