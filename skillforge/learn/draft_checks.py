"""What the checks have against a draft, before anybody else sees it."""

from skillforge.checks import Ruleset
from skillforge.checks.cases import held_out
from skillforge.checks.evidence import private
from skillforge.checks.overlap import Neighbour, neighbours
from skillforge.checks.private_names import private_to
from skillforge.checks.scan import scan
from skillforge.document.draft_skill import draft_document, draft_skill
from skillforge.learn.draft import Drafted
from skillforge.library import Library
from skillforge.model import Report


def proven(library: Library, made: Drafted) -> Report:
    """Validation, the scan, and whether it holds text of held-out examples."""
    skill = draft_skill(made.draft)
    policy = library.policy()
    held = [
        held_out.HeldOutExample(number, it.record) for number, it in made.held.items()
    ]
    shown = [
        held_out.HeldOutExample(number, it.record) for number, it in made.shown.items()
    ]
    found = (
        *Ruleset(policy.profile, policy.rules).check(skill),
        *scan(skill).findings,
        *held_out.copied(skill, held, shown),
        *private(skill, private_to(library)),
    )
    return Report(tuple(it.under(skill.path) for it in found), (skill.path,))


def doubles(library: Library, made: Drafted) -> list[Neighbour]:
    """Skills that are there and say nearly the same as a new one would."""
    document = draft_document(made.draft)
    commit = library.repository().name_of("HEAD^{commit}")
    if made.is_edit or document is None or not commit:
        return []
    near = neighbours(library, commit, document)
    return [it for it in near if it.name != made.draft.skill]
