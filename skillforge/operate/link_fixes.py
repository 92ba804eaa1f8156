"""Mend links of a SKILL.md to files that are not there, where one answer is right."""

import posixpath
from collections.abc import Iterable
from typing import NamedTuple

from skillforge.library import Library
from skillforge.model import SKILL_FILE, SKILLS, Document, Link, Skill


class TextSplice(NamedTuple):
    """A part of a text, and what is to stand there instead."""

    start: int
    end: int
    new: str


def spliced(text: str, splices: Iterable[TextSplice]) -> str:
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def place_of(document: Document, link: Link) -> int | None:
    """Where the target of a link begins; None if it is written in another way."""
    text, target = document.text, link.target
    start = link.offset + 2
    if not link.is_markdown:
        start = link.offset - target.index("s/")
    start += text.startswith("<", start)
    return start if text.startswith(target, start) else None


def told_apart(document: Document) -> list[Link]:
    """The links of a document; the path in a Markdown link is not told twice."""
    inner = {place_of(document, it) for it in document.links if it.is_markdown}
    return [
        link
        for link in document.links
        if link.is_markdown or place_of(document, link) not in inner
    ]


def mended(
    library: Library, tip: str, skill: Skill, dead: list[Link]
) -> tuple[str, list[Link]]:
    """A SKILL.md with links mended, and those of them that only a person can mend.

    A file that moved is found by its name, if just one has it. A link to a file that
    was taken out becomes words.
    """
    document = skill.document
    assert document is not None
    splices: list[TextSplice] = []
    left: list[Link] = []
    for link in dead:
        found = _answers(library, tip, skill, document, link)
        splices += found
        left += [] if found else [link]
    return spliced(document.text, splices), left


def _answers(
    library: Library, tip: str, skill: Skill, document: Document, link: Link
) -> list[TextSplice]:
    """What mends every link to one target; nothing if it is not clear what would."""
    path = posixpath.normpath(link.target)
    links = told_apart(document)
    same = [it for it in links if posixpath.normpath(it.target) == path]
    if meant := _meant(skill, path):
        found = [_corrected(document, it, meant) for it in same]
    elif all(it.is_markdown for it in same) and _was_there(library, tip, skill, path):
        found = [_unlinked(document, it) for it in same]
    else:
        return []
    whole = [splice for splice in found if splice is not None]
    return whole if len(whole) == len(same) else []


def _meant(skill: Skill, path: str) -> str:
    """The one file of a skill that has the name of another."""
    name = posixpath.basename(path).casefold()
    found = [
        file
        for file in skill.files
        if file != SKILL_FILE and posixpath.basename(file).casefold() == name
    ]
    return found[0] if len(found) == 1 else ""


def _was_there(library: Library, tip: str, skill: Skill, path: str) -> bool:
    """Whether main held a file once, and it was taken out since."""
    if path.startswith(".."):
        return False
    options = ("--max-count=1", tip, "--", f":(literal){SKILLS}/{skill.name}/{path}")
    return any(True for _ in library.repository().log(*options))


def _corrected(document: Document, link: Link, meant: str) -> TextSplice | None:
    start = place_of(document, link)
    return None if start is None else TextSplice(start, start + len(link.target), meant)


def _unlinked(document: Document, link: Link) -> TextSplice | None:
    """`[the guide](guide.md)` as `the guide`; a picture says nothing without it."""
    text, at = document.text, link.offset
    start = text.rfind("[", 0, at)
    end = text.find(")", at)
    words = text[start + 1 : at]
    is_plain = start >= 0 and end >= 0 and not set("[]()\n") & set(words)
    if not is_plain or text[start - 1 : start] == "!" or "(" in text[at + 2 : end]:
        return None
    return TextSplice(start, end + 1, words)
