"""Output of list, search, show and catalog: `data` of `--json`, and text."""

import base64
from collections.abc import Sequence
from typing import Any

from skillforge.model import SKILL_FILE
from skillforge.report import plural, printable
from skillforge.share.catalog import Catalog, group_of
from skillforge.share.catalog_formats import omission_note
from skillforge.share.search import Hit
from skillforge.share.skill_view import SkillView
from skillforge.store.index import IndexedSkill
from skillforge.text import shortened_between_words

_LINE = 100  # characters of a description in a list


def skill_row(skill: IndexedSkill, score: float | None = None) -> dict[str, Any]:
    """A skill in the `data` of list and search."""
    return {
        "name": skill.name,
        "description": skill.description,
        "score": score,
        "version": skill.version or None,
        "group": group_of(skill),
        "tree": skill.tree,
        "problem": skill.problem or None,
    }


def list_text(skills: Sequence[IndexedSkill]) -> str:
    """One line for each skill, then their number."""
    width = min(max((len(skill.name) for skill in skills), default=0), 40)
    lines = [f"{printable(s.name):<{width}}  {_summary(s)}" for s in skills]
    return "\n".join([*lines, plural(len(skills), "skill")])


def _summary(skill: IndexedSkill) -> str:
    if skill.problem:
        return f"({skill.problem})"
    return printable(
        " ".join(shortened_between_words(skill.description, _LINE).split())
    )


def hit_row(hit: Hit) -> dict[str, Any]:
    return skill_row(hit.skill, hit.score) | {"why": hit.why}


def hits_text(hits: Sequence[Hit], query: str) -> str:
    """Each skill with its description and the words that match."""
    if not hits:
        problem = f"no skill matches {query!r}" if query.strip() else "no search words"
        return f"{printable(problem)}\nnext: skillforge list"
    lines = []
    for hit in hits:
        lines.append(f"{hit.skill.name}  {_summary(hit.skill)}")
        why = (f"{place}: {', '.join(words)}" for place, words in hit.why.items())
        lines.append(printable(f"    {'; '.join(why)}"))
    return "\n".join([*lines, f"next: skillforge show {hits[0].skill.name}"])


def shown_data(shown: SkillView) -> dict[str, Any]:
    document = shown.skill.document
    return {
        "name": shown.skill.name,
        "description": shown.words("description"),
        "version": shown.version or None,
        "license": shown.words("license") or None,
        "commit": shown.commit,
        "tree": shown.tree,
        "files": [
            {"path": path, "kind": str(file.kind), "size": file.size}
            for path, file in sorted(shown.files.items())
        ],
        "body": shown.body,
        "problems": [problem.message for problem in document.problems]
        if document
        else [],
    }


def shown_text(shown: SkillView) -> str:
    """The fields, the other files, then the instructions."""
    name, version = shown.skill.name, shown.version
    lines = [f"{name} {version}".rstrip(), f"tree {shown.tree}"]
    lines.append(f"commit {shown.commit}")
    if licence := shown.words("license"):
        lines.append(f"license {licence}")
    lines += ["", shown.words("description") or "(no description)"]
    others = [path for path in sorted(shown.files) if path != SKILL_FILE]
    lines += [f"file {path} ({shown.files[path].size:,} bytes)" for path in others]
    lines += ["", *shown.body.strip("\n").split("\n")]
    return "\n".join(printable(line.replace("\t", "    ")) for line in _split(lines))


def _split(lines: list[str]) -> list[str]:
    return [part for line in lines for part in line.replace("\r\n", "\n").split("\n")]


def file_data(name: str, path: str, data: bytes) -> dict[str, Any]:
    """A file's content: as text if it is UTF-8, else in base64."""
    try:
        content = {"encoding": "utf-8", "content": data.decode()}
    except UnicodeDecodeError:
        content = {"encoding": "base64", "content": base64.b64encode(data).decode()}
    return {"name": name, "path": path, "size": len(data), **content}


def catalog_data(catalog: Catalog, budget: int, tokens: int) -> dict[str, Any]:
    return {
        "detail": catalog.detail,
        "budget": budget,
        "tokens": tokens,
        "total": catalog.total,
        "skills": [_item(item._asdict()) for item in catalog.items],
        "groups": [group._asdict() for group in catalog.groups],
        "left_out": catalog.omissions._asdict(),
        "note": omission_note(catalog) or None,
    }


def _item(item: dict[str, Any]) -> dict[str, Any]:
    """The item without unknown values, which would cost tokens."""
    return {key: value for key, value in item.items() if value is not None}
