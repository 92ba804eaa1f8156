"""The skill that a draft would make, for checks to read."""

from skillforge.document import MAX_BYTES, parse, too_large
from skillforge.model import SKILL_FILE, SKILLS, Document, Draft, File, FileKind, Skill


def draft_document(draft: Draft) -> Document | None:
    """The SKILL.md of a draft; None for a draft that removes its skill."""
    skill_md = draft.files.get(SKILL_FILE)
    if skill_md is None:
        return None
    size = len(skill_md.data)
    return parse(skill_md.data) if size <= MAX_BYTES else too_large(size)


def draft_skill(draft: Draft, path: str = "") -> Skill:
    """The skill that a draft makes; `path` is its path in findings."""
    kinds = {False: FileKind.FILE, True: FileKind.EXECUTABLE}
    files = {
        name: File(kinds[file.is_executable], len(file.data))
        for name, file in draft.files.items()
    }
    return Skill(
        draft.skill,
        path or f"{SKILLS}/{draft.skill}",
        files,
        draft_document(draft),
        {name: file.data for name, file in draft.files.items()}.__getitem__,
        origin=str(draft.origin),
    )
