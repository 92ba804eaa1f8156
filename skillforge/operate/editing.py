"""Drafts that change a skill on main: spliced, so that every other byte stays."""

from collections.abc import Callable
from dataclasses import replace

from skillforge.checks import marks
from skillforge.document import parse
from skillforge.errors import ConflictError, RequestError
from skillforge.gitrepo.lineage import successors
from skillforge.library import Library
from skillforge.model import SKILL_FILE, SKILLS, Draft, Origin
from skillforge.text import nearest

_ORDINARY = ("100644", "100755")


def refuse_unknown(library: Library, tip: str, name: str) -> None:
    """Stop at a name that main has no skill for, and say what may be meant."""
    repo = library.repository()
    known = repo.tree(f"{tip}:{SKILLS}")
    if name in known and known[name].is_tree:
        return
    into = successors(repo, tip).get(name)
    meant = nearest(name, list(known))
    hint = f"it went into {into}" if into else "skillforge validate lists all skills"
    hint = f"did you mean {meant}?" if meant and not into else hint
    raise RequestError(f"main has no skill {name!r}", hint=hint)


def edited(
    library: Library, tip: str, name: str, change: Callable[[str], str]
) -> Draft | None:
    """A draft with another SKILL.md; None if it would be the same."""
    refuse_unknown(library, tip, name)
    modes = library.repository().files_in(f"{tip}:{SKILLS}/{name}")
    for path, entry in modes.items():
        if entry.mode not in _ORDINARY:
            raise ConflictError(
                f"{SKILLS}/{name}/{path} is no ordinary file, and no draft can hold it",
                hint="propose the skill with a copy of the file in its place first",
            )
    files = library.files_at(tip, name)
    skill_md = files.get(SKILL_FILE)
    document = parse(skill_md.data) if skill_md else None
    if skill_md is None or document is None or not document.readable:
        raise ConflictError(
            f"{SKILLS}/{name}/{SKILL_FILE} cannot be read",
            hint=f"mend it first: skillforge validate {name} --fix",
        )
    text = change(document.text)
    if text == document.text:
        return None
    return Draft(name, files | {SKILL_FILE: skill_md._replace(data=text.encode())})


def pinned(library: Library, tip: str, name: str, *, is_wanted: bool) -> Draft | None:
    """A draft that pins a skill, or takes the pin out; None if it is so already."""

    def change(text: str) -> str:
        if marks.is_pinned(parse(text.encode())) == is_wanted:
            return text
        return marks.marked(text, marks.PINNED, "true" if is_wanted else "")

    draft = edited(library, tip, name, change)
    target = "to pin it" if is_wanted else "to unpin it"
    return replace(draft, target=target) if draft else None


def curators(draft: Draft, why: str, target: str = "") -> Draft:
    """The same draft, as the curator's wish; `target` goes on with its title."""
    return replace(draft, origin=Origin.CURATOR, why=why, target=target)
