"""The files of a skill: what there is, how large, and the text of those that are text.

They are shown inside the page. None is ever served as a page of its own: an HTML file
of a skill would run its scripts there.
"""

from collections.abc import Iterator, Mapping

from skillforge.model import SKILL_FILE, DraftFile
from skillforge.share.site.markup import Html, el, join

MOST_OF_ONE, MOST_OF_ALL = 100_000, 400_000  # bytes that a page shows


def places(files: Mapping[str, DraftFile]) -> dict[str, str]:
    """Where on the skill's page each file is."""
    return {path: f"#file-{at}" for at, path in enumerate(_in_order(files))}


def file_list(files: Mapping[str, DraftFile]) -> Html:
    return el("ul", _entries(files), class_="files")


def size(count: int) -> str:
    """Bytes as people say them, in steps of a thousand."""
    if count < 1000:
        return f"{count} B"
    if count < 1_000_000:
        return f"{count / 1000:.1f} kB"
    return f"{count / 1_000_000:.1f} MB"


def _in_order(files: Mapping[str, DraftFile]) -> list[str]:
    return sorted(files, key=lambda path: (path != SKILL_FILE, path))


def _entries(files: Mapping[str, DraftFile]) -> Iterator[Html]:
    left = MOST_OF_ALL
    for at, path in enumerate(_in_order(files)):
        file = files[path]
        text = _text(file.data)
        if text is None or len(file.data) > min(left, MOST_OF_ONE):
            why = "not text" if text is None else "too long to show here"
            yield el("li", _name(path, file, why), id=f"file-{at}", class_="closed")
            continue
        left -= len(file.data)
        yield el("li", _opened(at, _name(path, file), text))


def _opened(at: int, name: Html, text: str) -> Html:
    """A link to what is inside of it opens it, with no script."""
    shown = el("pre", el("code", text), id=f"file-{at}")
    return el("details", el("summary", name), shown)


def _name(path: str, file: DraftFile, why: str = "") -> Html:
    return join(
        el("code", el("bdi", path)),
        el("span", "runs", class_="mark plain") if file.is_executable else None,
        el("small", why) if why else None,
        el("small", size(len(file.data)), class_="size"),
    )


def _text(data: bytes) -> str | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
