"""Skills as the `data` of `--json`: lists, search results, one skill, catalogs."""

import base64
from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from skillforge.share.catalog import CatalogItem
    from skillforge.share.skill_view import SkillView
    from skillforge.store.index import IndexedSkill
    from skillforge.workflows.catalog import FittedCatalog
    from skillforge.workflows.skills import SearchResults, SkillFile, SkillList


class ListedSkillRow(TypedDict):
    """A skill in a list; `problem` says why clients can't read it."""

    name: str
    description: str
    path: str
    score: float | None
    version: str | None
    group: str
    tree: str
    problem: str | None


class HitRow(ListedSkillRow):
    """A skill that matches a query; `why` has the words, by where they are."""

    why: dict[str, list[str]]


class ListData(TypedDict):
    """The skills of a commit."""

    commit: str
    skills: list[ListedSkillRow]


class SearchData(TypedDict):
    """The skills that match a query, the best first."""

    query: str
    commit: str
    results: list[HitRow]


class FileRow(TypedDict):
    """A file of a skill."""

    path: str
    kind: str
    size: int


class SkillData(TypedDict):
    """A skill with its files and instructions."""

    name: str
    path: str
    description: str
    version: str | None
    license: str | None
    commit: str
    tree: str
    files: list[FileRow]
    body: str
    problems: list[str]


class FileData(TypedDict):
    """The content of a file; `encoding` is utf-8 or base64."""

    name: str
    path: str
    size: int
    encoding: str
    content: str


class CatalogItemData(TypedDict):
    """A skill of a catalog; without a description if only its name fits."""

    name: str
    description: NotRequired[str]
    score: NotRequired[float]


class CatalogGroupData(TypedDict):
    """Skills that a catalog lists as a group."""

    name: str
    skills: int
    examples: list[str]


class OmissionsData(TypedDict):
    """How much a catalog shortens or leaves out."""

    shortened: int
    names_only: int
    skills: int
    groups: int
    unusable: int


class FittedCatalogData(TypedDict):
    """All skills in a token budget; `detail` is full, shortened, names or groups."""

    detail: str
    budget: int
    tokens: int
    total: int
    skills: list[CatalogItemData]
    groups: list[CatalogGroupData]
    left_out: OmissionsData
    note: str | None


def list_(result: "SkillList") -> ListData:
    return {
        "commit": result.commit,
        "skills": [_row(skill, result) for skill in result.skills],
    }


def search(result: "SearchResults") -> SearchData:
    return {
        "query": result.query,
        "commit": result.commit,
        "results": [
            {**_row(hit.skill, result, hit.score), "why": hit.why}
            for hit in result.hits
        ],
    }


def _row(
    skill: "IndexedSkill",
    result: "SkillList | SearchResults",
    score: float | None = None,
) -> ListedSkillRow:
    path, group = result.describe(skill)
    return {
        "name": skill.name,
        "path": path,
        "description": skill.description,
        "score": score,
        "version": skill.version or None,
        "group": group,
        "tree": skill.tree,
        "problem": skill.problem or None,
    }


def show(view: "SkillView") -> SkillData:
    document = view.skill.document
    return {
        "name": view.skill.name,
        "path": view.skill.path,
        "description": view.words("description"),
        "version": view.version or None,
        "license": view.words("license") or None,
        "commit": view.commit,
        "tree": view.tree,
        "files": [
            {"path": path, "kind": str(file.kind), "size": file.size}
            for path, file in sorted(view.files.items())
        ],
        "body": view.body,
        "problems": [p.message for p in document.problems] if document else [],
    }


def file(result: "SkillFile") -> FileData:
    """Text where the file is text, else base64."""
    try:
        encoding, content = "utf-8", result.content.decode()
    except UnicodeDecodeError:
        encoding, content = "base64", base64.b64encode(result.content).decode()
    return {
        "name": result.skill,
        "path": result.path,
        "size": len(result.content),
        "encoding": encoding,
        "content": content,
    }


def catalog(result: "FittedCatalog") -> FittedCatalogData:
    catalog, omissions = result.catalog, result.catalog.omissions
    return {
        "detail": catalog.detail,
        "budget": result.budget,
        "tokens": result.tokens,
        "total": catalog.total,
        "skills": [_item(item) for item in catalog.items],
        "groups": [
            {"name": g.name, "skills": g.skills, "examples": list(g.examples)}
            for g in catalog.groups
        ],
        "left_out": {
            "shortened": omissions.shortened,
            "names_only": omissions.names_only,
            "skills": omissions.skills,
            "groups": omissions.groups,
            "unusable": omissions.unusable,
        },
        "note": result.omissions or None,
    }


def _item(item: "CatalogItem") -> CatalogItemData:
    """Unknown values are left out: they would cost tokens."""
    data: CatalogItemData = {"name": item.name}
    if item.description is not None:
        data["description"] = item.description
    if item.score is not None:
        data["score"] = item.score
    return data
