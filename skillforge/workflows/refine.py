"""Turn reported pitfalls into edits; rewrite or retire skills that fail."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from skillforge.history import skill_history
from skillforge.history.lineage import require_skill
from skillforge.learn.agent_rewrite import worked_on
from skillforge.library import Library
from skillforge.model import SKILL_FILE, Draft, is_of_agent
from skillforge.operate import archive, refine
from skillforge.operate.refine import Refinement
from skillforge.operate.stats import totals
from skillforge.propose.workspace import Workspace
from skillforge.store import Uses
from skillforge.workflows.offers import OfferBatch, offer_drafts


@dataclass(frozen=True, slots=True)
class RefineOptions:
    """What to do with the findings.

    `agent` is a command that rewrites failing skills; `retire` archives them instead.
    """

    propose: bool = False
    agent: str = ""
    retire: bool = False


@dataclass(frozen=True, slots=True)
class RefineReport:
    """What uses suggest to change, and the proposals for it."""

    refinements: tuple[Refinement, ...]
    is_dry: bool = True
    offers: OfferBatch | None = None

    @property
    def ok(self) -> bool:
        """Whether every draft has a proposal."""
        return not self.offers or all(offer.number for offer in self.offers.offers)


def refine_skills(
    workspace: Workspace, names: Iterable[str], options: RefineOptions
) -> RefineReport:
    """Refine these skills, or all that have recorded uses."""
    library = workspace.library
    found = _refinements(library, names)
    if not options.propose:
        return RefineReport(found)
    made = (_draft(library, refinement, options) for refinement in found)
    drafts = [draft for draft in made if draft is not None]
    offers = offer_drafts(workspace, drafts, again=True) if drafts else None
    return RefineReport(found, is_dry=False, offers=offers)


def briefs(workspace: Workspace, names: Iterable[str]) -> dict[str, str]:
    """The instructions for an agent that rewrites these skills, by name."""
    found = _refinements(workspace.library, names)
    return {refinement.skill: _brief(refinement) for refinement in found}


def _brief(refinement: Refinement) -> str:
    return refine.brief(refinement, f"DATA-{secrets.token_hex(8)}")


def _refinements(library: Library, names: Iterable[str]) -> tuple[Refinement, ...]:
    chosen = list(names) or _used_skills(library)
    return tuple(_refinement(library, name) for name in chosen)


def _used_skills(library: Library) -> list[str]:
    rows = Uses.of(library.repository().common_dir).tally()
    return sorted({row.skill for row in rows} & library.skill_trees(library.tip).keys())


def _refinement(library: Library, name: str) -> Refinement:
    require_skill(library, library.tip, name)
    tree = library.skill_trees(library.tip)[name]
    uses = Uses.of(library.repository().common_dir)
    rows = [row for row in uses.tally(name) if row.version == tree and row.is_loaded]
    pitfalls = [pitfall for _, pitfall in uses.pitfalls(name)]
    anchor = _last_human_text(library, name)
    return refine.refined(library, name, totals(rows), pitfalls, anchor)


def _last_human_text(library: Library, name: str) -> str:
    """The last SKILL.md that a person wrote; the first one, if no person ever did."""
    versions = [version for version in skill_history.log(library, name) if version.tree]
    human = [version for version in versions if not is_of_agent(version.origin)]
    chosen = human[0] if human else versions[-1]
    found = library.repository().find(f"{chosen.tree}:{SKILL_FILE}")
    return found.data.decode("utf-8", "surrogateescape") if found else ""


def _draft(library: Library, found: Refinement, options: RefineOptions) -> Draft | None:
    """Added pitfalls, or a failing skill rewritten or archived."""
    if found.is_failing and options.agent:
        return worked_on(
            refine.rewrite_draft(library, found), options.agent, _brief(found)
        )
    if found.is_failing and options.retire:
        return archive.archived(library, found.skill, f"{found.summary}.")
    return found.draft
