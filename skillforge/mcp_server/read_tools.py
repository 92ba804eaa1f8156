"""What agents read: lists, skills and their files, in the versions that a key gets."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from skillforge.document import parse
from skillforge.errors import ConfigError, RequestError, ToolError
from skillforge.gitrepo.trees import TreeEntry
from skillforge.history.lineage import successors
from skillforge.library import Library
from skillforge.mcp_server.context import Caller, FileRead, LibraryContext
from skillforge.model import SKILL_FILE, SKILLS, Assignment, Document, Value
from skillforge.operate import assignment, materialize, rollouts
from skillforge.share import catalog, skill_index
from skillforge.share import search as searching
from skillforge.store.index import Index, IndexedSkill
from skillforge.text import CATALOG_TOKENS, nearest
from skillforge.workflows.lookup import unknown

MAIN = "main"  # the version that an edit is based on, whatever the key gets
_ORDINARY = ("100644", "100755")
_LINKED = ("references", "templates", "assets", "scripts")
_HINT = "Use skill_view(name) to see a skill's instructions and its linked files"
_MOST_NAMES = 20
_ENVELOPE = 200  # tokens of an answer besides its skills and categories
T = TypeVar("T")


def skills_list(door: LibraryContext, caller: Caller, given: Mapping[str, Any]) -> str:
    """The skills that this key gets, as JSON: as many as fit in a catalog's budget.

    The list that a page is cut from is kept until something changes.
    """
    library = door.library()
    repo = library.repository()
    commit = library.tip
    after = _position(given.get("cursor") or "")
    other = _other_arms(library, commit, caller.key)
    made_of = (repo.name_of(f"{commit}:{SKILLS}"), other)
    skills = door.listings.find(made_of)
    if skills is None:
        skills = _shown(library, commit, dict(other))
        door.listings.keep(made_of, skills)
    return _dumped(_listing(skills, given.get("category") or "", after))


def _position(cursor: str) -> tuple[str, str]:
    """The group and the name that a page comes after; the first comes after nothing."""
    try:
        group, name = json.loads(cursor) if cursor else ("", "")
        if isinstance(group, str) and isinstance(name, str):
            return group, name
    except (ValueError, TypeError, RecursionError):
        pass
    raise RequestError(
        "`cursor` is none that skills_list gave",
        hint="call skills_list without it for the first page",
    )


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _other_arms(
    library: Library, commit: str, key: str
) -> tuple[tuple[str, Assignment], ...]:
    """Where a key gets something else than what main holds; in doubt, nothing."""
    repo = library.repository()
    known = rollouts.read_all(repo)
    names = sorted({*known.valid, *known.damaged})
    trees = repo.names_of([f"{commit}:{SKILLS}/{name}" for name in names])
    main = {name: tree for name, tree in zip(names, trees, strict=True) if tree}
    given, doubts = assignment.assign_all(library, main, known, key)
    given |= {name: Assignment(name, "") for name in doubts}
    return tuple(
        (it.skill, it) for it in given.values() if it.version != main[it.skill]
    )


def _shown(
    library: Library, commit: str, other: Mapping[str, Assignment]
) -> list[IndexedSkill]:
    found = skill_index.query(library, commit, Index.skills)
    shown = [it for it in found if not it.problem and it.name not in other]
    for name, given in other.items():
        if given.version:
            document = _document(library, given.version)
            about = document.words("description"), document.metadata("category")
            shown.append(IndexedSkill(name, given.version, about[0], group=about[1]))
    return sorted(shown, key=lambda it: (it.group, it.name))


def _document(library: Library, tree: str) -> Document:
    found = library.repository().find(f"{tree}:{SKILL_FILE}")
    return parse(found.data if found else b"")


def _listing(
    skills: list[IndexedSkill], category: str, after: tuple[str, str]
) -> dict[str, Any]:
    chosen = [it for it in skills if category in ("", it.group)]
    if not chosen:
        where = f" in category {category!r}" if category else ""
        answer = {"success": True, "skills": [], "categories": [], "count": 0}
        return answer | {"message": f"there are no skills{where}"}
    groups = sorted({it.group for it in chosen if it.group})
    names = list(_fitting(groups, CATALOG_TOKENS // 4))
    left = [it for it in chosen if (it.group, it.name) > after]
    rows = list(_fitting(map(_row, left), CATALOG_TOKENS - _tokens(names) - _ENVELOPE))
    answer = {"success": True, "skills": rows, "categories": names, "count": len(rows)}
    if len(rows) == len(left):
        return answer | {"total": len(chosen), "hint": _HINT}
    last = left[len(rows) - 1]
    return answer | {
        "total": len(chosen),
        "hint": f"{len(left) - len(rows):,} more: skill_search(query) finds those for "
        f"a task, skills_list(cursor=next_cursor) the next ones. {_HINT}",
        "next_cursor": _dumped([last.group, last.name]),
    }


def _row(skill: IndexedSkill) -> dict[str, str | None]:
    return {
        "name": skill.name,
        "description": skill.description,
        "category": skill.group or None,
    }


def _fitting(values: Iterable[T], budget: int) -> Iterator[T]:
    """The first values that fit in so many tokens; at least one, so that it goes on."""
    for place, value in enumerate(values):
        budget -= _tokens(value)
        if place and budget < 0:
            return
        yield value


def _tokens(value: Any) -> int:
    return catalog.tokens(f"{_dumped(value)}, ")


@dataclass(frozen=True)
class SkillVersion:
    """One version of a skill: its files straight from git's objects."""

    library: Library
    given: Assignment
    main: str  # the tree that main holds
    files: Mapping[str, TreeEntry]

    @property
    def name(self) -> str:
        return self.given.skill

    @property
    def tree(self) -> str:
        return self.given.version

    def read(self, path: str) -> bytes:
        """The bytes of a file; one that is none is an error that names others."""
        wanted = path.removeprefix("./")
        entry = self.files.get(wanted)
        if entry is None or entry.mode not in _ORDINARY:
            some = sorted(self.files)[:_MOST_NAMES]
            meant = nearest(wanted, list(self.files))
            hint = f"did you mean {meant}?" if meant else f"there are {', '.join(some)}"
            raise RequestError(
                f"{self.name} has no file {path!r}",
                hint=hint,
                facts={"available_files": some},
            )
        [data] = self.library.repository().blobs([entry.object])
        return data


def version_of(
    door: LibraryContext, caller: Caller, name: str, wanted: str = ""
) -> SkillVersion:
    """The version of a skill that a key gets, or the one it asks for."""
    library = door.library()
    commit = library.tip
    plain, main = _found(library, commit, name)
    given = Assignment(plain, main)
    if wanted not in ("", MAIN):
        given = Assignment(plain, _known_tree(library, plain, wanted))
    elif not wanted:
        given = assignment.assigned(library, plain, caller.key)
    if not given.version:
        raise _unknown(library, commit, name)
    files = library.repository().files_in(given.version)
    return SkillVersion(library, given, main, files)


def _found(library: Library, commit: str, name: str) -> tuple[str, str]:
    """A skill and its tree on main; an old name leads to what took its place."""
    repo = library.repository()
    plain = name.rpartition("/")[2]  # `category/skill`, as Hermes has it
    if plain.isprintable() and plain not in ("", ".", ".."):
        found = repo.find(f"{commit}:{SKILLS}/{plain}")
        if found is None and (later := successors(repo, commit).get(plain)):
            plain, found = later, repo.find(f"{commit}:{SKILLS}/{later}")
        if found is not None and found.kind == "tree":
            return plain, found.name
    raise _unknown(library, commit, name)


def _known_tree(library: Library, name: str, wanted: str) -> str:
    """A tree that was a version of the skill on main; no other object is shown."""
    commits = library.repository().log(
        "--first-parent", library.tip, "--", f"{SKILLS}/{name}"
    )
    expressions = [f"{commit.name}:{SKILLS}/{name}" for commit in commits]
    if wanted.isalnum() and wanted in library.repository().names_of(expressions):
        return wanted
    raise RequestError(
        f"{name} never had the version {wanted!r} on {library.main}",
        hint='a version is a git tree; "main" is the one that edits are based on',
    )


def _unknown(library: Library, commit: str, name: str) -> RequestError:
    err = unknown(library, commit, name, is_now=True)
    names = sorted(library.skill_trees(commit))[:_MOST_NAMES]
    return RequestError(
        err.message,
        hint="skills_list shows what there is; skill_search finds it by words",
        facts={"available_skills": names},
    )


def skill_view(
    door: LibraryContext, caller: Caller, given: Mapping[str, Any]
) -> dict[str, Any]:
    """A skill's instructions or one of its files; from then on the session knows it."""
    wanted = given.get("version") or ""
    version = version_of(door, caller, given["name"], wanted)
    path = given.get("file_path") or SKILL_FILE
    data = version.read(path)
    saw(door, caller, version, path)
    if not wanted:
        assignment.remember(version.library, [version.given], caller.key)
    if given.get("file_path"):
        return _file(version, path, data)
    return _skill(version, data)


def saw(door: LibraryContext, caller: Caller, version: SkillVersion, path: str) -> None:
    door.seen.add(FileRead(caller.session, version.name, version.tree, path))


def as_text(data: bytes) -> str | None:
    """Text, if it is some."""
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
        "content": text if text is not None else f"[{len(data):,} bytes, no text]",
        "is_binary": text is None,
        "version": version.tree,
    }


def _skill(version: SkillVersion, data: bytes) -> dict[str, Any]:
    document = parse(data)
    linked = _linked(version.files)
    folder, why_not = _laid_out(version)
    hermes = _entry(document.fields.get("metadata"), "hermes")
    return {
        "success": True,
        "name": version.name,
        "description": document.words("description"),
        "tags": _words(_entry(hermes, "tags") or document.fields.get("tags")),
        "related_skills": _words(_entry(hermes, "related_skills")),
        "content": data.decode("utf-8", "replace"),
        "path": f"{SKILLS}/{version.name}/{SKILL_FILE}",
        "skill_dir": folder,
        "org_provenance": None,
        "linked_files": linked or None,
        "usage_hint": "skill_view(name, file_path) shows a linked file; scripts run "
        "from skill_dir, which is read-only"
        if linked
        else None,
        **_needs(document),
        "compatibility": document.words("compatibility") or None,
        "files": sorted(version.files),
        "version": version.tree,
        "readable_version": document.metadata("version")
        or document.words("version")
        or None,
        "main_version": version.main,
        "arm": str(version.given.arm),
        **({"note": why_not} if why_not else {}),
    }


def _needs(document: Document) -> dict[str, Any]:
    """What a skill asks for. Whether it is there, only the agent's machine can tell."""
    named = document.fields.get("required_environment_variables")
    names = [
        _entry(it, "name") if isinstance(it, dict) else it
        for it in (named if isinstance(named, list) else [])
    ]
    return {
        "required_environment_variables": _words([it for it in names if it]),
        "required_commands": [],
        "missing_required_environment_variables": [],
        "missing_credential_files": [],
        "missing_required_commands": [],
        "setup_needed": False,
        "setup_skipped": False,
        "readiness_status": "available",
    }


def _linked(files: Mapping[str, TreeEntry]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted(files):
        folder, _, rest = path.partition("/")
        if rest and folder in _LINKED:
            found.setdefault(folder, []).append(path)
    return found


def _laid_out(version: SkillVersion) -> tuple[str | None, str]:
    """The folder of a version in the cache; or why there is none."""
    repo = version.library.repository()
    try:
        return str(materialize.cached_folder(repo, version.name, version.tree)), ""
    except (ToolError, ConfigError) as err:
        return None, f"no skill_dir: {err.message}"


def _entry(value: "Value | None", name: str) -> "Value | None":
    return value.get(name) if isinstance(value, dict) else None


def _words(value: "Value | None") -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [it for it in value or [] if isinstance(it, str)]


def skill_search(
    door: LibraryContext, caller: Caller, given: Mapping[str, Any]
) -> dict[str, Any]:
    """The skills that words call for, the best first, as far as this key gets them."""
    library = door.library()
    commit, limit = library.tip, given.get("limit") or 10
    hidden = {
        name for name, it in _other_arms(library, commit, caller.key) if not it.version
    }
    hits = searching.search(library, commit, given["query"], limit + len(hidden))
    shown = [hit for hit in hits if hit.skill.name not in hidden][:limit]
    rows = [
        {
            "name": hit.skill.name,
            "description": hit.skill.description,
            "category": hit.skill.group or None,
            "score": hit.score,
            "why": hit.why,
        }
        for hit in shown
    ]
    return {"success": True, "results": rows, "count": len(rows), "hint": _HINT}


def names(door: LibraryContext, caller: Caller) -> list[IndexedSkill]:
    """Every skill that this key gets, by name."""
    library = door.library()
    commit = library.tip
    other = dict(_other_arms(library, commit, caller.key))
    return sorted(_shown(library, commit, other), key=lambda it: it.name)
