"""One skill of two that say the same: it keeps all that the other brought along."""

import posixpath

from skillforge.errors import ConflictError
from skillforge.library import Library
from skillforge.model import SKILL_FILE, Document, Draft, DraftFile, Skill
from skillforge.operate.link_fixes import TextSplice, place_of, spliced, told_apart
from skillforge.operate.skill_edits import curators, editable

_REFERENCES = "references"


def consolidated(
    library: Library, tip: str, umbrella: Skill, absorbed: Skill, why: str
) -> Draft:
    """A draft in which one skill takes the place of another.

    Files of the other go to `references/<its name>/`, unless the umbrella has the same
    file in the same place. What it said becomes `references/<its name>.md`, with links
    that lead to where its files are now.
    """
    editable(umbrella)
    their_page = editable(absorbed)
    files = library.files_at(tip, umbrella.name)
    theirs = library.files_at(tip, absorbed.name)
    support = {path: it for path, it in theirs.items() if path != SKILL_FILE}
    homes = {
        path: path if files.get(path) == it else f"{_REFERENCES}/{absorbed.name}/{path}"
        for path, it in support.items()
    }
    page = f"{_REFERENCES}/{absorbed.name}.md"
    moved = {homes[path]: it for path, it in support.items() if homes[path] != path}
    if taken := files.keys() & {page, *moved}:
        raise ConflictError(
            f"{umbrella.name} has a file {min(taken)} already",
            hint=f"consolidate {absorbed.name} by hand: skillforge propose takes a "
            "batch with `absorbed_into`",
        )
    said = rehomed(absorbed.name, their_page, homes).encode()
    skill_md = files[SKILL_FILE]
    linked = skill_md._replace(data=_with_link(skill_md.data, absorbed.name, page))
    whole = {**files, **moved, page: DraftFile(said), SKILL_FILE: linked}
    return curators(Draft(umbrella.name, whole, absorbed=(absorbed.name,)), why)


def rehomed(name: str, document: Document, homes: dict[str, str]) -> str:
    """What a skill says, as a page of another: each path is where its file is now.

    A link leads there from the page; a path in the text is seen from the skill.
    """
    splices = []
    for link in told_apart(document):
        path = posixpath.normpath(link.target)
        start = place_of(document, link)
        if path not in homes or start is None:
            continue
        home = homes[path]
        new = posixpath.relpath(home, _REFERENCES) if link.is_markdown else home
        splices.append(TextSplice(start, start + len(link.target), new))
    whole = spliced(document.text, splices)
    body = whole[document.body_start :].strip("\n")
    return f"From the skill {name}: {document.words('description')}\n\n{body}\n"


def _with_link(skill_md: bytes, name: str, page: str) -> bytes:
    """An agent that followed the old skill has to find what it said."""
    text = skill_md.decode()
    newline = "" if text.endswith("\n") else "\n"
    section = f"## What {name} said\n\nRead [{page}]({page}) where this says less.\n"
    return f"{text}{newline}\n{section}".encode()
