"""Tokens of services that are wrapped over several lines.

Exact formats only: if lines are joined, any two words may look like an id.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.redact.signs import TOKENS
from skillforge.redact.views import View, substituted

# A line break in a word, with what a mail, a diff or a shell puts around it.
_JOINT = re.compile(
    r"(?<=[\w+/=.\-])(?:[=\\]?\r?\n|(?:\\r)?\\n)[ \t]{0,40}(?:[>|#+] ?)?(?=[\w+/=.\-])"
)
_JWT = ("eyJ", "a JSON Web Token", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}")
_PATTERNS = [
    (needs, what, re.compile(pattern.replace(r"\b", "")))
    for needs, what, pattern in (*TOKENS, _JWT)
    if what != "a private key"
]
_WORD = re.compile(r"\w")
_PART = 12  # letters of a line that is a part of a token, rather than a word


class Wrapped(NamedTuple):
    """A token in one line, and where it is over several."""

    what: str
    value: str
    start: int
    end: int


def tokens(text: str) -> Iterator[str]:
    """Tokens with a line break in them, as they are written."""
    return (text[it.start : it.end] for it in find(text))


def find(text: str) -> Iterator[Wrapped]:
    """Tokens with a line break in them."""
    joined = _JOINT.sub("", text)
    if len(joined) == len(text):
        return
    view: View | None = None
    for needs, what, pattern in _PATTERNS:
        for match in pattern.finditer(joined) if needs in joined else ():
            view = view or substituted(View(text), _JOINT, "")
            start, end = view.span(*match.span())
            if end - start > len(match[0]) and _is_whole(text, start, end):
                written = _shortened(text[start:end])
                value = _JOINT.sub("", written)
                yield Wrapped(what, value, start, start + len(written))


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no letter precedes or follows on the same line."""
    before, after = text[max(0, start - 2) : start], text[end : end + 1]
    is_begun = not _WORD.match(before[-1:]) or before in ("\\n", "\\r", "\\t")
    return is_begun and not _WORD.match(after)


def _shortened(token: str) -> str:
    """A token of any length without the words of the line after its last one."""
    parts = list(_JOINT.finditer(token))
    last = token[parts[-1].end() :]
    is_part = len(last) >= _PART or (re.search(r"\d", last) and re.search(r"\D", last))
    return token if is_part or len(token) < 60 else token[: parts[-1].start()]
