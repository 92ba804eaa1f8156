"""Fix links of a SKILL.md to missing files, where there is a single right fix."""

import posixpath
from collections.abc import Iterable
from typing import NamedTuple

from skillforge.library import Library
from skillforge.model import SKILL_FILE, Document, Link, Skill


class TextSplice(NamedTuple):
    """A range of a text, and its replacement."""

    start: int
    end: int
    new: str


def spliced(text: str, splices: Iterable[TextSplice]) -> str:
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def target_start(document: Document, link: Link) -> int | None:
    """Where the target of a link begins; None if it is written differently."""
    text, target = document.text, link.target
    start = link.offset + 2 * link.is_markdown
    start += text.startswith("<", start)
    return start if text.startswith(target, start) else None


def unique_links(document: Document) -> list[Link]:
    """The links of a document; the path inside a Markdown link is not repeated."""
    inner = {target_start(document, li) for li in document.links if li.is_markdown}
    return [
        link
        for link in document.links
        if link.is_markdown or target_start(document, link) not in inner
    ]


def fix_links(
    library: Library, tip: str, skill: Skill, dead: list[Link]
) -> tuple[str, list[Link]]:
    """A SKILL.md with fixed links, and the links that only a person can fix.

    A moved file is found by its name, if only one file has it. A link to a file that
    was removed is replaced by its text.
    """
    document = skill.document
    assert document is not None
    splices: list[TextSplice] = []
    left: list[Link] = []
    for link in dead:
        fixes = _fixes(library, tip, skill, document, link)
        splices += fixes
        left += [] if fixes else [link]
    return spliced(document.text, splices), left


def _fixes(
    library: Library, tip: str, skill: Skill, document: Document, link: Link
) -> list[TextSplice]:
    """Splices that fix every link to one target; none if there is no single fix."""
    path = posixpath.normpath(link.target)
    links = unique_links(document)
    same = [other for other in links if posixpath.normpath(other.target) == path]
    is_removable = all(other.is_markdown for other in same)
    if moved := _moved_file(skill, path):
        splices = [_corrected(document, other, moved) for other in same]
    elif is_removable and _was_on_main(library, tip, skill, path):
        splices = [_unlinked(document, other) for other in same]
    else:
        return []
    whole = [splice for splice in splices if splice is not None]
    return whole if len(whole) == len(same) else []


def _moved_file(skill: Skill, path: str) -> str:
    """The only file of a skill with the same name in another folder."""
    name = posixpath.basename(path).casefold()
    matches = [
        file
        for file in skill.files
        if file != SKILL_FILE and posixpath.basename(file).casefold() == name
    ]
    return matches[0] if len(matches) == 1 else ""


def _was_on_main(library: Library, tip: str, skill: Skill, path: str) -> bool:
    """Whether main had a file that was removed since."""
    if path.startswith(".."):
        return False
    options = ("--max-count=1", tip, "--", f":(literal){skill.path}/{path}")
    return any(True for _ in library.repository().log(*options))


def _corrected(document: Document, link: Link, path: str) -> TextSplice | None:
    start = target_start(document, link)
    return None if start is None else TextSplice(start, start + len(link.target), path)


def _unlinked(document: Document, link: Link) -> TextSplice | None:
    """`[the guide](guide.md)` as `the guide`; None for an image."""
    text, at = document.text, link.offset
    start = text.rfind("[", 0, at)
    end = text.find(")", at)
    words = text[start + 1 : at]
    is_plain = start >= 0 and end >= 0 and not set("[]()\n") & set(words)
    if not is_plain or text[start - 1 : start] == "!" or "(" in text[at + 2 : end]:
        return None
    return TextSplice(start, end + 1, words)
