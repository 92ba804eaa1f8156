"""The files of a skill with their sizes, and the text of text files.

Files are shown inside the skill's page and never served as pages of their own, because
an HTML file of a skill would run its scripts there.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from skillforge.model import SKILL_FILE, DraftFile

MAX_FILE, MAX_TOTAL = 100_000, 400_000  # bytes shown of one file, and on one page


class FileEntry(NamedTuple):
    """A file on a page; `omitted` says why its text is not shown."""

    id: str
    path: str
    size: str
    is_executable: bool
    text: str
    omitted: str = ""


def anchors(files: Mapping[str, DraftFile]) -> dict[str, str]:
    """The link to each file on the skill's page."""
    return {path: f"#file-{at}" for at, path in enumerate(_ordered(files))}


def file_entries(files: Mapping[str, DraftFile]) -> Iterator[FileEntry]:
    left = MAX_TOTAL
    for at, path in enumerate(_ordered(files)):
        file = files[path]
        text, omitted = _text(file.data), ""
        if text is None:
            omitted = "binary file"
        elif len(file.data) > min(left, MAX_FILE):
            omitted = "too large to show here"
        else:
            left -= len(file.data)
        size = size_text(len(file.data))
        yield FileEntry(
            f"file-{at}", path, size, file.is_executable, text or "", omitted
        )


def size_text(count: int) -> str:
    """A number of bytes, in steps of a thousand."""
    if count < 1000:
        return f"{count} B"
    if count < 1_000_000:
        return f"{count / 1000:.1f} kB"
    return f"{count / 1_000_000:.1f} MB"


def _ordered(files: Mapping[str, DraftFile]) -> list[str]:
    return sorted(files, key=lambda path: (path != SKILL_FILE, path))


def _text(data: bytes) -> str | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
