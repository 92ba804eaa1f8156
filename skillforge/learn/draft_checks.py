"""What the checks have against a draft, before anybody else sees it."""

from skillforge.checks import Ruleset
from skillforge.checks.cases import held_out
from skillforge.checks.evidence import private
from skillforge.checks.overlap import Neighbour, neighbours
from skillforge.checks.private_names import private_to
from skillforge.checks.scan import scan
from skillforge.document import parse
from skillforge.learn.draft import Drafted
from skillforge.library import Library
from skillforge.model import SKILL_FILE, SKILLS, Draft, File, FileKind, Report, Skill


def proven(library: Library, made: Drafted) -> Report:
    """Validation, the scan, and whether it holds text of held-out examples."""
    skill = as_skill(made.draft)
    policy = library.policy()
    held = [
        held_out.HeldOutExample(number, it.said) for number, it in made.held.items()
    ]
    shown = [
        held_out.HeldOutExample(number, it.said) for number, it in made.shown.items()
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
    document = as_skill(made.draft).document
    commit = library.repository().name_of("HEAD^{commit}")
    if made.is_edit or document is None or not commit:
        return []
    near = neighbours(library, commit, document)
    return [it for it in near if it.name != made.draft.skill]


def as_skill(draft: Draft) -> Skill:
    """A draft as the skill that it would be."""
    files = {
        path: File(
            FileKind.EXECUTABLE if it.is_executable else FileKind.FILE, len(it.data)
        )
        for path, it in draft.files.items()
    }
    page = draft.files.get(SKILL_FILE)
    return Skill(
        draft.skill,
        f"{SKILLS}/{draft.skill}",
        files,
        parse(page.data) if page else None,
        {path: it.data for path, it in draft.files.items()}.__getitem__,
        origin=str(draft.origin),
    )
