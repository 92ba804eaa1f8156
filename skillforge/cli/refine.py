"""The command `refine`: what uses teach a skill, as proposals."""

import secrets
from typing import TYPE_CHECKING, Any

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.cli.offers import offered

if TYPE_CHECKING:
    from skillforge.library import Library
    from skillforge.model import Draft
    from skillforge.operate.refine import Refinement
    from skillforge.propose.workspace import Workspace


@click.command()
@click.argument(
    "names", nargs=-1, metavar="[SKILL]...", shell_complete=completions.skills
)
@click.option("--propose", "is_proposed", is_flag=True, help="Open the proposals.")
@click.option(
    "--agent",
    default="",
    metavar="CMD",
    help="Let a command write skills anew that fail more often than not.",
)
@click.option("--retire", is_flag=True, help="Propose to archive such skills instead.")
@click.option("--brief", "is_brief", is_flag=True, help="Print what CMD is told.")
@as_option
@forge_options
@click.pass_obj
def refine(
    settings: GlobalOptions, /, names: tuple[str, ...], **given: Any
) -> CommandResult:
    """Turn what uses reported into small edits; find skills that fail.

    A pitfall that three keys reported becomes a line of the skill. An edit changes a
    fifth of the text at most, and all of them together three fifths of what a person
    last wrote. A skill of which at least ten uses were verified, and whose success is
    below one half for sure, is to be written anew (--agent), or retired (--retire).

    \b
    skillforge refine                     what there is to learn
    skillforge refine --propose           open the edits
    skillforge refine csv-tables --brief  what an agent would be told
    skillforge refine csv-tables --agent 'claude -p' --propose

    Nothing is proposed without --propose.
    """
    from skillforge.operate import refine as refines
    from skillforge.propose.workspace import Workspace

    if given["agent"] and given["retire"]:
        raise click.UsageError("--agent or --retire, not both")
    desk = Workspace.at(settings.start, given["speaks_for"], settings.choice)
    library = desk.settled()
    found = [_refined(library, name) for name in names or _known(library)]
    if given["is_brief"]:
        briefs = {it.skill: refines.brief(it, _fence()) for it in found}
        return CommandResult({"briefs": briefs}, "\n".join(briefs.values()).rstrip())
    return _answer(found, _drafts(library, found, given), desk, given)


def _fence() -> str:
    return f"DATA-{secrets.token_hex(8)}"  # that no report can close


def _known(library: "Library") -> list[str]:
    """Skills of main that uses were recorded of."""
    from skillforge.model import SKILLS
    from skillforge.store import Uses

    repo = library.repository()
    there = repo.tree(f"{library.tip}:{SKILLS}")
    rows = Uses.of(repo.common_dir).tally()
    return sorted({row.skill for row in rows} & there.keys())


def _refined(library: "Library", name: str) -> "Refinement":
    from skillforge.model import SKILLS
    from skillforge.operate import assignment
    from skillforge.operate.refine import refined
    from skillforge.operate.stats import added_up
    from skillforge.store import Uses

    assignment.assigned(library, name, "")  # a name that there is
    repo = library.repository()
    uses = Uses.of(repo.common_dir)
    tree = repo.name_of(f"{library.tip}:{SKILLS}/{name}")
    rows = [row for row in uses.tally(name) if row.version == tree and row.is_loaded]
    pitfalls = [pitfall for _, pitfall in uses.pitfalls(name)]
    return refined(library, name, added_up(rows), pitfalls, _anchor(library, name))


def _anchor(library: "Library", name: str) -> str:
    """The text that a person last wrote; the first one, if no person ever did."""
    from skillforge.model import SKILL_FILE, is_of_agent
    from skillforge.propose import skill_history

    versions = [it for it in skill_history.log(library, name) if it.tree]
    of_people = [it for it in versions if not is_of_agent(it.origin)]
    chosen = of_people[0] if of_people else versions[-1]
    found = library.repository().find(f"{chosen.tree}:{SKILL_FILE}")
    return found.data.decode("utf-8", "surrogateescape") if found else ""


def _draft(
    library: "Library", one: "Refinement", given: dict[str, Any]
) -> "Draft | None":
    """The change to propose: lessons added, or a failing skill anew or retired."""
    from skillforge.operate import refine as refines

    if one.is_failing and given["agent"]:
        from skillforge.learn.agent_rewrite import worked_on

        start = refines.start_of_rewrite(library, one)
        return worked_on(start, given["agent"], refines.brief(one, _fence()))
    if one.is_failing and given["retire"]:
        from skillforge.operate.archive import archived

        return archived(library, one.skill, f"{one.complaint}.")
    return one.draft


def _drafts(
    library: "Library", found: "list[Refinement]", given: dict[str, Any]
) -> "list[Draft]":
    if not given["is_proposed"]:
        return []
    drafts = (_draft(library, one, given) for one in found)
    return [draft for draft in drafts if draft is not None]


def _answer(
    found: "list[Refinement]",
    drafts: "list[Draft]",
    desk: "Workspace",
    given: dict[str, Any],
) -> CommandResult:
    from skillforge.operate import words

    lines = [line for one in found for line in words.refinement_lines(one)]
    if not given["is_proposed"] and any(one.draft for one in found):
        lines.append("next: skillforge refine --propose")
    text = "\n".join(lines) or "uses taught nothing new"
    data: dict[str, Any] = {"refinements": [words.refinement_data(it) for it in found]}
    if not drafts:
        return CommandResult(data, text)
    data, text = offered(desk, drafts, data, text, again=True)
    ok = all(row["proposal"] for row in data["proposals"])
    return CommandResult(data, text, ok)
