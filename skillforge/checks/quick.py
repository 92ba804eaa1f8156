"""Tell in one look that a skill is fine, as most are, without asking every rule.

A yes here means that no rule on fields, or on files, has anything to say; the tests
hold this together with the rules. A no means nothing: then the rules have to look.
"""

from skillforge.checks import learned, portable, spec
from skillforge.model import SKILL_FILE, Document, Kind, Skill

_SIMPLE_FIELDS = frozenset(("name", "description", "license", "metadata"))
_SMALL = 1 << 20


def files_are_fine(skill: Skill) -> bool:
    """Whether the skill is one ordinary SKILL.md and nothing else."""
    if len(skill.files) != 1:
        return False
    file = skill.files.get(SKILL_FILE)
    return file is not None and file.kind is Kind.FILE and file.size < _SMALL


def fields_are_fine(skill: Skill, doc: Document) -> bool:
    """Whether the frontmatter has the usual fields with nothing odd about them."""
    fields = doc.fields
    return (
        not doc.kinds
        and _SIMPLE_FIELDS.issuperset(fields)
        and _name_is_fine(fields.get("name"), skill.name)
        and _description_is_fine(fields.get("description"))
        and isinstance(fields.get("license", ""), str)
        and ("metadata" not in fields or _metadata_is_fine(fields["metadata"]))
    )


def _name_is_fine(name: object, folder: str) -> bool:
    return (
        isinstance(name, str)
        and name == folder
        and portable.NAME_MIN <= len(name) <= spec.limit("name")
        and spec.ASCII_NAME.fullmatch(name) is not None
        and portable.RESERVED.search(name) is None
        and learned.ONE_OCCASION.search(name) is None
    )


def _description_is_fine(description: object) -> bool:
    return (
        isinstance(description, str)
        and len(description) <= spec.limit("description")
        and "when" in description
        and "<" not in description
        and ">" not in description
    )


def _metadata_is_fine(metadata: object) -> bool:
    return isinstance(metadata, dict) and all(
        isinstance(value, str) and not key.startswith(portable.LEFTOVER_STARTS)
        for key, value in metadata.items()
    )
