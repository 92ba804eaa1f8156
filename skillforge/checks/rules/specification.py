"""The agentskills.io specification, one rule at a time.

The numbers come from `schemas/skill.schema.json`, which editors use too.
"""

import re
import unicodedata
from collections.abc import Iterator

from skillforge.checks.rules.client_fields import CLIENTS, is_clients
from skillforge.model import (
    SKILL_FILE,
    Document,
    FileKind,
    RuleProblem,
    Severity,
    Skill,
    rule,
    rules_in,
)
from skillforge.resources import schema
from skillforge.text import nearest

_FIELDS = schema("skill.schema.json")["properties"]
KNOWN_FIELDS = frozenset(_FIELDS)
_STANDARD = frozenset(_FIELDS) - frozenset(CLIENTS)
_REQUIRED = tuple(schema("skill.schema.json")["required"])
_TEXT_FIELDS = ("name", "description", "license", "compatibility")
ASCII_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)


_LIMITS = {
    name: field_schema["maxLength"]
    for name, field_schema in _FIELDS.items()
    if "maxLength" in field_schema
}


def limit(field: str) -> int:
    """The greatest length of a field, in characters."""
    return int(_LIMITS[field])


def probably_meant(field: str) -> str:
    """The most similar field of the specification; empty if none is."""
    return nearest(field.replace("_", "-"), sorted(_STANDARD))


def name_of(doc: Document) -> str:
    """The name as clients compare it: trimmed, in Unicode's NFKC form."""
    name = doc.words("name")
    return name if name.isascii() and name == name.strip() else _normal(name)


def _normal(name: str) -> str:
    return unicodedata.normalize("NFKC", name.strip())


def _rename(skill: Skill, name: str) -> str:
    also = "" if skill.folder == name else ", and rename the folder as well"
    return f"write `name: {name}`{also}"


@rule()
def field_required(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """`name` and `description` are set and not empty.

    Clients see only these two fields until they load the skill.
    """
    for name in _REQUIRED:
        if name not in doc.fields:
            yield RuleProblem(f"`{name}` is missing", f"add a line `{name}: …`")
        elif isinstance(value := doc.fields[name], str) and not value.strip():
            line = doc.line_of(name)
            yield RuleProblem(f"`{name}` is empty", f"write `{name}: …`", line)


@rule()
def field_unknown(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """All fields are defined by the specification or by a known client.

    The specification has `name`, `description`, `license`, `compatibility`, `metadata`
    and `allowed-tools`. All others belong under `metadata`, as text.
    """
    for name in doc.fields:
        if name in _FIELDS:
            continue
        similar = probably_meant(name)
        hint = f"did you mean `{similar}`? " if similar else ""
        yield RuleProblem(
            f"the specification has no field `{name}`; agents ignore it, claude.ai and "
            "the Skills API refuse it",
            f'{hint}move it under `metadata`: `{name}: "…"`',
            doc.line_of(name),
        )


@rule()
def field_text(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """`name`, `description`, `license` and `compatibility` are text, and
    `allowed-tools` is text or a list.

    Clients drop or refuse another value.
    """
    fields = list(_TEXT_FIELDS)
    if isinstance(doc.fields.get("allowed-tools"), dict):
        fields.append("allowed-tools")
    for name in fields:
        if not isinstance(doc.fields.get(name, ""), str):
            yield RuleProblem(
                f"`{name}` must be text",
                f'write it on one line: `{name}: "…"`',
                doc.line_of(name),
            )


@rule()
def name_length(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A name has at most 64 characters."""
    if (length := len(name_of(doc))) > limit("name"):
        yield RuleProblem(
            f"the name has {length} characters, more than {limit('name')}",
            "shorten it, and rename the folder as well",
            doc.line_of("name"),
        )


@rule()
def name_lowercase(skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A name is in lower case."""
    name = name_of(doc)
    if name != name.lower():
        yield RuleProblem(
            f"the name {name!r} has capital letters",
            _rename(skill, name.lower()),
            doc.line_of("name"),
        )


@rule()
def name_hyphens(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A name does not start or end with a hyphen and has no two in a row."""
    name = name_of(doc)
    if name.startswith("-") or name.endswith("-") or "--" in name:
        better = re.sub(r"-+", "-", name).strip("-") or "my-skill"
        yield RuleProblem(
            f"the name {name!r} has a hyphen at an end or two in a row",
            f"write `name: {better}`",
            doc.line_of("name"),
        )


@rule()
def name_characters(skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A name consists of letters, digits and hyphens.

    Spaces, underscores, dots, slashes and colons are special to some client, shell or
    file system.
    """
    name = name_of(doc)
    if ASCII_NAME.fullmatch(name):
        return
    wrong = sorted({c for c in name if not (c.isalnum() or c == "-")})
    if wrong:
        better = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "my-skill"
        shown = " ".join(repr(c) for c in wrong[:8])
        yield RuleProblem(
            f"the name {name!r} contains {shown}",
            _rename(skill, better),
            doc.line_of("name"),
        )


@rule()
def name_matches_folder(skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """The name is the name of the folder, so a path identifies a skill.

    VS Code does not load the skill otherwise, and `gh skill publish` refuses it. Claude
    Code, Codex, Hermes and OpenClaw do load it.
    """
    name = name_of(doc)
    if name and name != skill.folder and name != _normal(skill.folder):
        yield RuleProblem(
            f"the name is {name!r} but the folder is {skill.folder!r}; VS Code does "
            "not load such a skill",
            f"rename the folder, or write `name: {skill.folder}`",
            doc.line_of("name"),
        )


@rule()
def description_length(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A description has at most 1,024 characters.

    The descriptions of all skills are always part of the system prompt.
    """
    if (length := len(doc.words("description"))) > limit("description"):
        yield RuleProblem(
            f"the description has {length:,} characters, more than "
            f"{limit('description'):,}",
            "keep what it does and when to use it; move the rest to the body",
            doc.line_of("description"),
        )


@rule()
def compatibility_length(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """`compatibility` is optional, and has 1 to 500 characters."""
    value = doc.fields.get("compatibility")
    if isinstance(value, str) and not 0 < len(value) <= limit("compatibility"):
        yield RuleProblem(
            f"`compatibility` has {len(value)} characters",
            f"write 1 to {limit('compatibility')} characters, or remove the field",
            doc.line_of("compatibility"),
        )


@rule()
def metadata_map(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """`metadata` is a mapping."""
    metadata = doc.fields.get("metadata", {})
    is_empty = not metadata and "metadata" in doc.kinds
    if not isinstance(metadata, dict) and not is_empty:
        yield RuleProblem(
            "`metadata` must be a mapping",
            "indent its entries below `metadata:`",
            doc.line_of("metadata"),
        )


@rule(Severity.NOTE)
def metadata_text(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """The values of `metadata` are text, except those that a client defines.

    The specification maps text to text. Clients that follow it drop a list or a
    mapping, or show it as Python or JSON. `metadata.hermes` and `metadata.openclaw`
    are mappings, as Hermes and OpenClaw define them.
    """
    metadata = doc.fields.get("metadata")
    if not isinstance(metadata, dict):
        return
    nested = [
        f"metadata.{key}"
        for key, value in metadata.items()
        if not isinstance(value, str) and not is_clients(key, value)
    ]
    if nested:
        paths = ", ".join(f"`{path}`" for path in nested)
        yield RuleProblem(
            f"{paths}: a list or mapping, where the specification has text",
            'a text such as `tags: "a, b"` reaches every client',
            min(map(doc.line_of, nested)),
        )


@rule(Severity.WARNING)
def allowed_tools_text(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """`allowed-tools` is a text with spaces between the tools, not a list.

    allowed-tools: Bash(git:*) Read

    Claude Code also reads a list; `gh skill publish` refuses one.
    """
    value = doc.fields.get("allowed-tools")
    if isinstance(value, list):
        tools = [tool for tool in value if isinstance(tool, str)]
        example = " ".join(tools) if tools else "Read Grep"
        if any(" " in tool for tool in tools):
            hint = "write the tools in one text; replace spaces inside their names"
        else:
            hint = f"write `allowed-tools: {example}`"
        yield RuleProblem(
            "`allowed-tools` is a list; the specification reads text",
            hint,
            doc.line_of("allowed-tools"),
        )


FIELD_RULES = rules_in(globals())


@rule()
def skill_file(skill: Skill) -> Iterator[RuleProblem]:
    """The folder contains a file named exactly `SKILL.md`.

    A `skill.md` or `Skill.md` works on file systems that ignore case, and on no others.
    """
    if skill.document is not None and SKILL_FILE not in skill.files:
        return  # the folder cannot be read, which is already reported
    if file := skill.files.get(SKILL_FILE):
        if file.kind in (FileKind.OTHER, FileKind.SUBMODULE):
            yield RuleProblem("SKILL.md is not a file", "replace it with a text file")
        return
    for name in skill.files:
        if name.lower() == SKILL_FILE.lower():
            hint = f"rename it: git mv {name} {SKILL_FILE}"
            yield RuleProblem(f"the file is named {name}", hint, path=name)
            return
    yield RuleProblem("the folder has no SKILL.md", "skillforge new NAME creates one")


FOLDER_RULES = (skill_file,)
