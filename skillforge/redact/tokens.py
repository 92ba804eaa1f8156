"""Service tokens in a text, with their places; also encoded or wrapped ones."""

from typing import NamedTuple

from skillforge.redact import wrapped_tokens
from skillforge.redact.decoded_views import (
    DecodedView,
    Edit,
    replaced,
    views,
    without_overlaps,
)
from skillforge.redact.formats import TOKEN_PATTERNS


class ServiceToken(NamedTuple):
    """A token as it would be used, and its place in a text."""

    what: str
    value: str
    start: int
    end: int


def find(text: str) -> list[ServiceToken]:
    """The tokens in a text, in order; each place is reported once."""
    tokens = [token for view in views(text) for token in _in_view(view)]
    by_place = {(token.start, token.end): token for token in reversed(tokens)}
    edits = without_overlaps(Edit(*place, "") for place in by_place)
    return [by_place[edit.start, edit.end] for edit in edits]


def masked(text: str) -> str:
    """A text with its tokens cut to their first characters."""
    edits = [
        Edit(token.start, token.end, f"{token.value[:6]}…") for token in find(text)
    ]
    return replaced(text, edits)


def _in_view(view: DecodedView) -> list[ServiceToken]:
    exact = [
        ServiceToken(what, match[0], *view.span(*match.span()))
        for needs, what, pattern in TOKEN_PATTERNS
        if needs in view.text
        for match in pattern.finditer(view.text)
    ]
    return exact + [
        ServiceToken(token.what, token.value, *view.span(token.start, token.end))
        for token in wrapped_tokens.find(view.text)
    ]
