"""Live tokens of services in a text, with their places; also disguised or wrapped."""

from typing import NamedTuple

from skillforge.redact import wrapped_tokens
from skillforge.redact.decoded_views import DecodedView, Edit, apart, replaced, views
from skillforge.redact.formats import TOKEN_PATTERNS


class ServiceToken(NamedTuple):
    """A token as it would be used, and where it is in a text."""

    what: str
    value: str
    start: int
    end: int


def find(text: str) -> list[ServiceToken]:
    """The tokens in a text, in order; each place is reported once."""
    found = [token for view in views(text) for token in _in_view(view)]
    by_place = {(token.start, token.end): token for token in reversed(found)}
    edits = sorted((Edit(*place, "") for place in by_place), key=_longest_first)
    return [by_place[edit.start, edit.end] for edit in apart(edits)]


def masked(text: str) -> str:
    """A text in which no live token can be read."""
    edits = [Edit(it.start, it.end, f"{it.value[:6]}…") for it in find(text)]
    return replaced(text, edits)


def _in_view(view: DecodedView) -> list[ServiceToken]:
    exact = [
        ServiceToken(what, match[0], *view.span(*match.span()))
        for needs, what, pattern in TOKEN_PATTERNS
        if needs in view.text
        for match in pattern.finditer(view.text)
    ]
    broken = wrapped_tokens.find(view.text)
    return exact + [
        ServiceToken(it.what, it.value, *view.span(it.start, it.end)) for it in broken
    ]


def _longest_first(edit: Edit) -> tuple[int, int]:
    return edit.start, -edit.end
