"""The tools that read: lists, skills and their files, in the versions a key gets."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from skillforge.errors import RequestError
from skillforge.mcp_server.context import Caller, FileRead, LibraryContext
from skillforge.model import SKILL_FILE, Document
from skillforge.text import BYTES_PER_TOKEN, CATALOG_TOKENS
from skillforge.workflows.assigned_skills import (
    SkillVersion,
    differences,
    search_for,
    skills_for,
    version_for,
)

if TYPE_CHECKING:
    from skillforge.model import Value
    from skillforge.store.index import IndexedSkill

_LINKED = ("references", "templates", "assets", "scripts")
_HINT = "Use skill_view(name) to see a skill's instructions and its linked files"
_ENVELOPE = 200  # tokens of an answer besides its skills and categories
T = TypeVar("T")


def skills_list(
    context: LibraryContext, caller: Caller, arguments: Mapping[str, Any]
) -> str:
    """The skills that this key gets, as JSON: as many as fit in a catalog's budget.

    The whole list is cached until something changes.
    """
    library = context.library()
    commit = library.tip
    after = _position(arguments.get("cursor") or "")
    different = differences(library, commit, caller.key)
    key = (library.skills_state(commit), different)
    skills = context.listings.get(key)
    if skills is None:
        skills = skills_for(library, commit, different)
        context.listings.add(key, skills)
    return _to_json(_listing(skills, arguments.get("category") or "", after))


def _position(cursor: str) -> tuple[str, str]:
    """The group and name that a page starts after."""
    try:
        group, name = json.loads(cursor) if cursor else ("", "")
        if isinstance(group, str) and isinstance(name, str):
            return group, name
    except (ValueError, TypeError, RecursionError):
        pass
    raise RequestError(
        "`cursor` is not from skills_list",
        hint="call skills_list without it for the first page",
    )


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _listing(
    skills: "list[IndexedSkill]", category: str, after: tuple[str, str]
) -> dict[str, Any]:
    chosen = [skill for skill in skills if category in ("", skill.group)]
    if not chosen:
        where = f" in category {category!r}" if category else ""
        answer = {"success": True, "skills": [], "categories": [], "count": 0}
        return answer | {"message": f"no skills{where}"}
    groups = sorted({skill.group for skill in chosen if skill.group})
    categories = list(_fitting(groups, CATALOG_TOKENS // 4))
    left = [skill for skill in chosen if (skill.group, skill.name) > after]
    budget = CATALOG_TOKENS - _tokens(categories) - _ENVELOPE
    rows = list(_fitting(map(_row, left), budget))
    answer = {
        "success": True,
        "skills": rows,
        "categories": categories,
        "count": len(rows),
        "total": len(chosen),
    }
    if len(rows) == len(left):
        return answer | {"hint": _HINT}
    last = left[len(rows) - 1]
    return answer | {
        "hint": f"{len(left) - len(rows):,} more: skill_search(query) finds those for "
        f"a task, skills_list(cursor=next_cursor) lists the next ones. {_HINT}",
        "next_cursor": _to_json([last.group, last.name]),
    }


def _row(skill: "IndexedSkill") -> dict[str, str | None]:
    return {
        "name": skill.name,
        "description": skill.description,
        "category": skill.group or None,
    }


def _fitting(values: Iterable[T], budget: int) -> Iterator[T]:
    """The first values that fit in a token budget; at least one, to make progress."""
    for number, value in enumerate(values):
        budget -= _tokens(value)
        if number and budget < 0:
            return
        yield value


def _tokens(value: Any) -> int:
    return -(-len(f"{_to_json(value)}, ".encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def skill_view(
    context: LibraryContext, caller: Caller, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """A skill's instructions or one of its files, which count as read from now on."""
    tree = arguments.get("version") or ""
    version = version_for(context.library(), arguments["name"], caller.key, tree)
    path = arguments.get("file_path") or SKILL_FILE
    data = read(context, caller, version, path)
    if not tree:
        version.remember(caller.key)
    if arguments.get("file_path"):
        return _file(version, path, data)
    return _skill(version, data)


def read(
    context: LibraryContext, caller: Caller, version: SkillVersion, path: str
) -> bytes:
    """The bytes of a file, which counts as read by the session from now on."""
    data = version.read(path)
    context.reads.add(FileRead(caller.session, version.name, version.tree, path))
    return data


def as_text(data: bytes) -> str | None:
    """The text of a file; None if it is binary."""
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def _file(version: SkillVersion, path: str, data: bytes) -> dict[str, Any]:
    text = as_text(data)
    return {
        "success": True,
        "name": version.name,
        "file": path,
        "content": text if text is not None else f"[{len(data):,} bytes, not text]",
        "is_binary": text is None,
        "version": version.tree,
    }


def _skill(version: SkillVersion, data: bytes) -> dict[str, Any]:
    document = version.document
    linked = _linked(version.files)
    folder, problem = version.folder()
    hermes = _entry(document.fields.get("metadata"), "hermes")
    return {
        "success": True,
        "name": version.name,
        "description": document.words("description"),
        "tags": _strings(_entry(hermes, "tags") or document.fields.get("tags")),
        "related_skills": _strings(_entry(hermes, "related_skills")),
        "content": data.decode("utf-8", "replace"),
        "path": f"{version.library.path_of(version.name)}/{SKILL_FILE}",
        "skill_dir": folder,
        "org_provenance": None,
        "linked_files": linked or None,
        "usage_hint": "skill_view(name, file_path) shows a linked file; scripts run "
        "from skill_dir, which is read-only"
        if linked
        else None,
        **_requirements(document),
        "compatibility": document.words("compatibility") or None,
        "files": sorted(version.files),
        "version": version.tree,
        "readable_version": document.metadata("version")
        or document.words("version")
        or None,
        "main_version": version.main,
        "arm": str(version.assignment.arm),
        **({"note": problem} if problem else {}),
    }


def _requirements(document: Document) -> dict[str, Any]:
    """What a skill requires; only the agent's machine knows whether it is there."""
    field = document.fields.get("required_environment_variables")
    names = [
        _entry(item, "name") if isinstance(item, dict) else item
        for item in (field if isinstance(field, list) else [])
    ]
    return {
        "required_environment_variables": _strings([name for name in names if name]),
        "required_commands": [],
        "missing_required_environment_variables": [],
        "missing_credential_files": [],
        "missing_required_commands": [],
        "setup_needed": False,
        "setup_skipped": False,
        "readiness_status": "available",
    }


def _linked(paths: Iterable[str]) -> dict[str, list[str]]:
    """The files in the folders that instructions link to, by folder."""
    linked: dict[str, list[str]] = {}
    for path in sorted(paths):
        folder, _, rest = path.partition("/")
        if rest and folder in _LINKED:
            linked.setdefault(folder, []).append(path)
    return linked


def _entry(value: "Value | None", name: str) -> "Value | None":
    return value.get(name) if isinstance(value, dict) else None


def _strings(value: "Value | None") -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [item for item in value or [] if isinstance(item, str)]


def skill_search(
    context: LibraryContext, caller: Caller, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """The skills that match a query and that this key gets, the best first."""
    limit = arguments.get("limit") or 10
    hits = search_for(context.library(), arguments["query"], limit, caller.key)
    rows = [_row(hit.skill) | {"score": hit.score, "why": hit.why} for hit in hits]
    return {"success": True, "results": rows, "count": len(rows), "hint": _HINT}


def skills_by_name(context: LibraryContext, caller: Caller) -> "list[IndexedSkill]":
    """Every skill that this key gets."""
    library = context.library()
    commit = library.tip
    skills = skills_for(library, commit, differences(library, commit, caller.key))
    return sorted(skills, key=lambda skill: skill.name)
