"""HTML and SVG as values: whatever is not markup already is escaped on the way in."""

import json
from typing import Any

from skillforge.report import printable

_VOID = frozenset({"br", "hr", "input", "link", "meta"})
_SHAPES = frozenset({"circle", "line", "path", "rect"})
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
)
_LONGEST = 400  # letters of one text
_SPACE = "\N{NO-BREAK SPACE}"
# In a data block nothing can end the script, and no parser sees a comment begin.
_JSON_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


class Html(str):
    """Text that is markup already, made by this module only."""

    __slots__ = ()


EMPTY = Html("")


def escape(text: object) -> Html:
    """Any value as text that can stand between tags and in a quoted attribute."""
    if isinstance(text, Html):
        return text
    return Html(seen(str(text)).translate(_ESCAPES))


def seen(text: str) -> str:
    """A text as it can be shown: nothing in it is hidden, and it ends."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 1]}…"
    # A space that does not break is our own, between a number and its unit.
    return _SPACE.join(map(printable, text.split(_SPACE)))


def join(*parts: object) -> Html:
    return Html("".join(escape(part) for part in parts))


def tag(name: str, *inside: object, **attributes: object) -> Html:
    """One element. `class_` is `class`, `data_tip` is `data-tip`; None is left out."""
    opened = f"<{name}{_attributes(attributes)}"
    if not inside and name in _VOID | _SHAPES:
        return Html(f"{opened}/>")
    return Html(f"{opened}>{join(*inside)}</{name}>")


def _attributes(given: dict[str, object]) -> str:
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in given.items()
        if value is not None and value is not False
    )


def _value(value: object) -> str:
    if value is True:
        return ""
    if isinstance(value, float):
        return short(value)
    return escape(value)


def short(number: float) -> str:
    """A length in a drawing, to a tenth: more cannot be seen and only takes room."""
    return f"{number:.1f}".removesuffix(".0").replace("-0", "0", number == 0)


def data_block(value: Any, identity: str) -> Html:
    """JSON for the script of the page, in a block that no browser runs."""
    text = json.dumps(value, separators=(",", ":")).translate(_JSON_ESCAPES)
    return tag("script", Html(text), type="application/json", id=identity)
