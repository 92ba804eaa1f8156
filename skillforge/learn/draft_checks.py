"""Check a draft before a reviewer sees it."""

from skillforge.checks import Ruleset
from skillforge.checks.cases import held_out
from skillforge.checks.evidence import private
from skillforge.checks.overlap import Neighbour, neighbours
from skillforge.checks.private_names import private_to
from skillforge.checks.scan import scan
from skillforge.document.draft_skill import draft_document, draft_skill
from skillforge.learn.draft import LearnedDraft
from skillforge.library import Library
from skillforge.model import Report


def check(library: Library, learned: LearnedDraft) -> Report:
    """Validate and scan a draft, and look for text of held-out examples in it."""
    skill = draft_skill(learned.draft, library.path_of(learned.draft.skill))
    policy = library.policy()
    hidden, shown = (
        [held_out.HeldOutExample(key, example.record) for key, example in group.items()]
        for group in (learned.held_out, learned.shown)
    )
    findings = (
        *Ruleset(policy.profile, policy.rules).check(skill),
        *scan(skill).findings,
        *held_out.copied(skill, hidden, shown),
        *private(skill, private_to(library)),
    )
    return Report(
        tuple(finding.under(skill.path) for finding in findings), (skill.path,)
    )


def similar_skills(library: Library, learned: LearnedDraft) -> list[Neighbour]:
    """Skills on main that are nearly the same as a new draft."""
    document = draft_document(learned.draft)
    commit = library.repository().name_of("HEAD^{commit}")
    if learned.is_edit or document is None or not commit:
        return []
    near = neighbours(library, commit, document)
    return [skill for skill in near if skill.name != learned.draft.skill]
