"""HTML that is safe by its type: a `str` is text and is escaped, `Html` is markup."""

import html
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from skillforge.text import BLANKS

# Control, bidirectional, zero-width, filler and tag characters: they show nothing, or
# show other text than there is. Joiners between letters and emoji stay as they are.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f"
    f"\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff{BLANKS}]"
)
_SHORT = 60
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """Markup of our own making."""

    __slots__ = ()


Child: TypeAlias = "str | Iterable[Child] | None"


def visible(text: str) -> str:
    """The text with what hides or reorders it spelled out, as in U+202E."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(lambda found: f"‹U+{ord(found[0]):04X}›", text)


def escape(text: str) -> Html:
    return _escaped(text) if len(text) < _SHORT else Html(html.escape(visible(text)))


@lru_cache(4096)
def _escaped(text: str) -> Html:
    """Short texts are labels and classes, the same on every page."""
    return Html(html.escape(visible(text)))


def join(*children: Child) -> Html:
    """Children one after the other; what is not markup yet is escaped."""
    return Html(_inner(children))


def el(tag: str, *children: Child, **attributes: str | bool | None) -> Html:
    """An element; `class_` and `aria_label` are `class` and `aria-label`.

    An attribute that is False or None is left out, one that is True has no value.
    """
    said = "".join(map(_attribute, attributes.items())) if attributes else ""
    closed = "" if tag in _VOID else f"</{tag}>"
    return Html(f"<{tag}{said}>{_inner(children)}{closed}")


def _inner(children: Iterable[Child]) -> str:
    parts: list[str] = []
    _add(parts, children)
    return "".join(parts)


def _add(parts: list[str], children: Iterable[Child]) -> None:
    """Put children into a list: pages have a hundred thousand, generators are slow."""
    for child in children:
        if type(child) is Html:
            parts.append(child)
        elif isinstance(child, str):
            parts.append(escape(child))
        elif child is not None:
            _add(parts, child)


@lru_cache(4096)
def _attribute(item: tuple[str, str | bool | None]) -> str:
    name, value = item
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(value)}"'
