"""HTML pages from Jinja2 templates: one layout, one set of macros, one stylesheet.

Callers compute plain values; a template shows them. Every value is escaped on its way
into a page, and characters that hide or reorder text are spelled out.
"""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillforge.text import BLANKS

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent
# Control, bidirectional, zero-width, filler and tag characters, lone surrogates: these
# are invisible or change the shown text. Joiners of letters and emoji stay.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff"
    f"\U000e0000-\U000e0fff{BLANKS}]"
)


def visible(text: str) -> str:
    """The text with characters that hide or reorder it spelled out by code point."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda match: f"‹U+{ord(match[0]):04X}›", text)


def render(template: str, **values: Any) -> str:
    """Render a page; `template` is a path below `templates/`."""
    return _environment().get_template(template).render(values)


def macro(template: str, name: str) -> Any:
    """One macro of a template, as a function that returns markup."""
    return getattr(_environment().get_template(template).module, name)


def static(*names: str) -> str:
    """The text of our own stylesheets and scripts, one after the other."""
    return "".join(
        (_HERE / "static" / name).read_text(encoding="utf-8") for name in names
    )


@cache
def _environment() -> "Environment":
    """The environment of all pages; templates are compiled once per process."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment


def _finalize(value: Any) -> Any:
    # Markup is a subclass of str: only plain text can hide anything.
    return visible(value) if type(value) is str else value
