"""Accepts most ordinary skills in one pass, without trying every rule.

True means that no rule on fields, files or the body reports anything; tests ensure
that. False means nothing: the rules decide.
"""

import re

from skillforge.checks.rules import (
    anti_learning,
    file_layout,
    portability,
    quality,
    specification,
    template_text,
)
from skillforge.model import SKILL_FILE, Document, FileKind, Skill
from skillforge.text import BYTES_PER_TOKEN

_SIMPLE_FIELDS = frozenset(
    ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
)
_FEW, _SMALL = 20, 1 << 20
# Lower case only, so that paths can't collide.
_SIMPLE_PATH = re.compile(
    r"(?!.*skill\.md)(?:[a-z0-9][a-z0-9_-]*/){0,3}[a-z0-9][a-z0-9_-]*"
    r"\.(?:md|py|txt|json|csv|ya?ml|toml|html|js|sh|ts)"
)


def files_are_fine(skill: Skill) -> bool:
    """Whether the skill is a SKILL.md and a few ordinary files with simple names."""
    files = skill.files
    return (
        SKILL_FILE in files
        and len(files) <= _FEW
        and all(
            file.kind is FileKind.FILE
            and file.size < _SMALL
            and (path == SKILL_FILE or _path_is_fine(path))
            for path, file in files.items()
        )
    )


def _path_is_fine(path: str) -> bool:
    return (
        len(path) <= file_layout.MAX_PATH
        and _SIMPLE_PATH.fullmatch(path) is not None
        and file_layout.WINDOWS.search(path) is None
    )


def fields_are_fine(skill: Skill, doc: Document) -> bool:
    """Whether the frontmatter has only the usual fields with ordinary values."""
    fields = doc.fields
    return (
        not doc.kinds
        and _SIMPLE_FIELDS.issuperset(fields)
        and _name_is_fine(fields.get("name"), skill.folder)
        and _description_is_fine(fields.get("description"))
        and isinstance(fields.get("license", ""), str)
        and isinstance(fields.get("allowed-tools", ""), str)
        and _compatibility_is_fine(fields.get("compatibility", "any"))
        and ("metadata" not in fields or _metadata_is_fine(fields["metadata"]))
    )


def body_is_fine(skill: Skill, doc: Document) -> bool:
    """Whether the body is short prose by a person, without links or odd characters."""
    data = doc.data
    return (
        not doc.links
        and not skill.is_agent_made
        and len(data) < quality.MAX_TOKENS * BYTES_PER_TOKEN
        and data.count(b"\n") < quality.MAX_LINES
        and b"\r" not in data
        and not doc.text[doc.body_start : doc.body_start + 200].isspace()
        and doc.body_start < len(doc.text)
        and template_text.SIGN not in doc.text
        and not portability.has_hidden(doc)
    )


def _name_is_fine(name: object, folder: str) -> bool:
    return (
        isinstance(name, str)
        and name == folder
        and portability.NAME_MIN <= len(name) <= specification.limit("name")
        and specification.ASCII_NAME.fullmatch(name) is not None
        and portability.RESERVED.search(name) is None
        and anti_learning.ONE_OCCASION.search(name) is None
    )


def _description_is_fine(description: object) -> bool:
    return (
        isinstance(description, str)
        and len(description) <= specification.limit("description")
        and "when" in description
        and not template_text.has_template_description(description)
        and "<" not in description
        and ">" not in description
    )


def _compatibility_is_fine(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= specification.limit(
        "compatibility"
    )


def _metadata_is_fine(metadata: object) -> bool:
    return isinstance(metadata, dict) and all(
        isinstance(value, str) and key not in portability.LEFTOVERS
        for key, value in metadata.items()
    )
