"""Drafts that change a skill on main: spliced, so that every other byte stays."""

from collections.abc import Callable
from dataclasses import replace

from skillforge.checks import status_metadata
from skillforge.document import parse
from skillforge.errors import ConflictError, RequestError
from skillforge.gitrepo.lineage import successors
from skillforge.library import Library
from skillforge.model import (
    ARCHIVE,
    SKILL_FILE,
    SKILLS,
    Document,
    Draft,
    FileKind,
    Origin,
    Skill,
)
from skillforge.text import nearest


def refuse_unknown(library: Library, tip: str, name: str) -> None:
    """Stop at a name that main has no skill for, and say what may be meant."""
    repo = library.repository()
    known = repo.tree(f"{tip}:{SKILLS}")
    if name in known and known[name].is_tree:
        return
    hint = "skillforge validate lists all skills"
    if into := successors(repo, tip).get(name):
        hint = f"it went into {into}"
    elif name in repo.tree(f"{tip}:{ARCHIVE}"):
        hint = f"it is archived: skillforge curate --restore {name} --propose"
    elif meant := nearest(name, list(known)):
        hint = f"did you mean {meant}?"
    raise RequestError(f"{library.main} has no skill {name!r}", hint=hint)


def editable(skill: Skill) -> Document:
    """The page of a skill that a draft can carry; stop at one that it cannot."""
    for path, file in skill.files.items():
        if file.kind not in (FileKind.FILE, FileKind.EXECUTABLE):
            raise ConflictError(
                f"{skill.path}/{path} is no ordinary file, and no draft can hold it",
                hint="propose the skill with a copy of the file in its place first",
            )
    if skill.document is None or not skill.document.readable:
        raise ConflictError(
            f"{skill.path}/{SKILL_FILE} cannot be read",
            hint=f"mend it first: skillforge validate {skill.name} --fix",
        )
    return skill.document


def edited(
    library: Library, tip: str, name: str, change: Callable[[str], str]
) -> Draft | None:
    """A draft with another SKILL.md; None if it would be the same."""
    refuse_unknown(library, tip, name)
    skill = library.skill_at(tip, name)
    assert skill is not None
    before = editable(skill).text
    after = change(before)
    if after == before:
        return None
    files = library.files_at(tip, name)
    page = files[SKILL_FILE]._replace(data=after.encode())
    return Draft(name, files | {SKILL_FILE: page})


def pinned(library: Library, tip: str, name: str, *, is_wanted: bool) -> Draft | None:
    """A draft that pins a skill, or takes the pin out; None if it is so already."""

    def change(text: str) -> str:
        if status_metadata.is_pinned(parse(text.encode())) == is_wanted:
            return text
        return status_metadata.marked(
            text, status_metadata.PINNED, "true" if is_wanted else ""
        )

    draft = edited(library, tip, name, change)
    target = "to pin it" if is_wanted else "to unpin it"
    return replace(draft, target=target) if draft else None


def curators(draft: Draft, why: str, target: str = "") -> Draft:
    """The same draft, as the curator's wish; `target` goes on with its title."""
    return replace(draft, origin=Origin.CURATOR, why=why, target=target)
