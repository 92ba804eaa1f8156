"""The files that a body refers to: Markdown links, and paths in the usual folders."""

import re
from collections.abc import Iterator

from skillforge.model import Link
from skillforge.text import code_blocks, in_any, occurrences

# Bounded and possessive, so that a body full of brackets stays fast to read. A target
# may be in <>, and may contain one pair of parentheses.
_TARGET = re.compile(
    r"\([ \t]{0,9}+(?:<([^<>\n]{1,200}+)>"
    r"|((?:[^()<>\s]|\([^()\s]{0,99}\)){1,200}+))[^)\n]{0,200}+\)"
)
_REMOTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|#|\$|\{|/|~|www\.|[^./]*\Z")
_FOLDERS = ("script", "reference", "asset", "template")  # followed by "s/"
_FOLDER_ENDS = tuple(f"{folder}s".encode() for folder in _FOLDERS)
_REST = re.compile(r"s/[\w./-]*\.[A-Za-z]\w{0,9}+(?!/)")
_WITHIN_PATH = re.compile(r"[\w/.$}-]")


def find_links(text: str, data: bytes, start: int) -> tuple[Link, ...]:
    """Links to local files and files named by path, from `start` on."""
    links = tuple(_markdown_links(text, start))
    # Few bodies name files, and splitting the bytes is the fastest test for that.
    if any(part.endswith(_FOLDER_ENDS) for part in data.split(b"/")):
        links += tuple(_named_files(text, start))
    return links


def _markdown_links(text: str, start: int) -> Iterator[Link]:
    blocks: list[tuple[int, int]] | None = None
    for at in occurrences(text, "](", start):
        match = _TARGET.match(text, at + 1)
        target = re.split("[#?]", match[1] or match[2])[0] if match else ""
        if not target or _REMOTE.match(target):
            continue
        if blocks is None:
            blocks = code_blocks(text)
        if not in_any(at, blocks) and not _is_hidden(text, at):
            yield Link(_unquoted(target), at, is_markdown=True)


def _unquoted(target: str) -> str:
    if "%" not in target:
        return target
    from urllib.parse import unquote

    return unquote(target)


def _is_hidden(text: str, offset: int) -> bool:
    """Whether a link is in code or a comment, or escaped; only nearby text counts."""
    before = text[max(0, offset - 2000) : offset]
    line = before[before.rfind("\n") + 1 :]
    bracket = line.rfind("[")
    return (
        line.count("`") % 2 == 1
        or before.rfind("<!--") > before.rfind("-->")
        or bool(re.match(r"(?: {4}|\t)\s*(?![-*+\d])", line))
        or bool(re.search(r"[\\\w]\Z", line[: max(bracket, 0)]))
    )


def _named_files(text: str, start: int) -> Iterator[Link]:
    for at in occurrences(text, "s/", start):
        folder = _folder_before(text, at)
        if folder and (rest := _REST.match(text, at)):
            yield Link(folder + rest[0], at - len(folder), is_markdown=False)


def _folder_before(text: str, at: int) -> str:
    """The usual folder's name that ends at `at`, if a path begins with it."""
    for folder in _FOLDERS:
        start = at - len(folder)
        if text.startswith(folder, start) and not _WITHIN_PATH.match(text, start - 1):
            return folder
    return ""
