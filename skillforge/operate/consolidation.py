"""Merge two duplicate skills into one, which keeps all files of the other."""

import posixpath

from skillforge.errors import ConflictError
from skillforge.library import Library
from skillforge.model import SKILL_FILE, Document, Draft, DraftFile, Skill
from skillforge.operate.link_fixes import (
    TextSplice,
    spliced,
    target_start,
    unique_links,
)
from skillforge.operate.skill_edits import by_curator, editable

_REFERENCES = "references"


def consolidated(
    library: Library, tip: str, umbrella: Skill, absorbed: Skill, why: str
) -> Draft:
    """A draft in which `umbrella` absorbs another skill.

    Files of the other go to `references/<its name>/`, unless the umbrella has the same
    file at the same path. Its instructions become `references/<its name>.md`, with
    links that follow its files.
    """
    editable(umbrella)
    their_page = editable(absorbed)
    files = library.files_at(tip, umbrella.name)
    theirs = library.files_at(tip, absorbed.name)
    support = {path: file for path, file in theirs.items() if path != SKILL_FILE}
    homes = {
        path: path
        if files.get(path) == file
        else f"{_REFERENCES}/{absorbed.name}/{path}"
        for path, file in support.items()
    }
    page = f"{_REFERENCES}/{absorbed.name}.md"
    moved = {homes[path]: f for path, f in support.items() if homes[path] != path}
    if taken := files.keys() & {page, *moved}:
        raise ConflictError(
            f"{umbrella.name} already has a file {min(taken)}",
            hint=f"consolidate {absorbed.name} by hand: propose a batch with "
            "`absorbed_into`",
        )
    text = rehomed(absorbed.name, their_page, homes).encode()
    skill_md = files[SKILL_FILE]
    linked = skill_md._replace(data=_with_link(skill_md.data, absorbed.name, page))
    whole = {**files, **moved, page: DraftFile(text), SKILL_FILE: linked}
    return by_curator(Draft(umbrella.name, whole, absorbed=(absorbed.name,)), why)


def rehomed(name: str, document: Document, homes: dict[str, str]) -> str:
    """The instructions of a skill as a page of another, with corrected paths.

    A link is relative to the page; a path in the text is relative to the skill.
    """
    splices = []
    for link in unique_links(document):
        path = posixpath.normpath(link.target)
        start = target_start(document, link)
        if path not in homes or start is None:
            continue
        home = homes[path]
        new = posixpath.relpath(home, _REFERENCES) if link.is_markdown else home
        splices.append(TextSplice(start, start + len(link.target), new))
    whole = spliced(document.text, splices)
    body = whole[document.body_start :].strip("\n")
    return f"From the skill {name}: {document.words('description')}\n\n{body}\n"


def _with_link(skill_md: bytes, name: str, page: str) -> bytes:
    """The umbrella's SKILL.md, with a link to the absorbed instructions."""
    text = skill_md.decode()
    newline = "" if text.endswith("\n") else "\n"
    section = f"## From {name}\n\nFor details, read [{page}]({page}).\n"
    return f"{text}{newline}\n{section}".encode()
