"""Service tokens in a text, with their places; also encoded or wrapped ones."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillforge.redact import wrapped_tokens
from skillforge.redact.decoded_views import (
    DecodedView,
    Edit,
    views,
    without_overlaps,
)
from skillforge.redact.formats import formats_in, token_pattern


class ServiceToken(NamedTuple):
    """A token as it would be used, and its place in a text."""

    what: str
    value: str
    start: int
    end: int


def find(text: str) -> list[ServiceToken]:
    """The tokens in a text, in order; each place is reported once."""
    return in_order(token for view in views(text) for token in in_view(view))


def in_order(tokens: Iterable[ServiceToken]) -> list[ServiceToken]:
    """Tokens by place, without those that overlap an earlier one."""
    by_place: dict[tuple[int, int], ServiceToken] = {}
    for token in tokens:
        by_place.setdefault((token.start, token.end), token)
    edits = without_overlaps(Edit(*place, "") for place in by_place)
    return [by_place[edit.start, edit.end] for edit in edits]


def in_view(view: DecodedView) -> Iterator[ServiceToken]:
    """The tokens in a view of a text, with their places in the text."""
    for token in formats_in(view.text):
        for match in token_pattern(token).finditer(view.text):
            yield ServiceToken(token.what, match[0], *view.span(*match.span()))
    for wrapped in wrapped_tokens.find(view.text):
        span = view.span(wrapped.start, wrapped.end)
        yield ServiceToken(wrapped.what, wrapped.value, *span)
