"""What history says, without what is private in it: a reason, a line taken out.

History cannot be changed, so nothing here stops a release; it is only not repeated.
"""

from skillforge.redact import KnownPrivate, locate
from skillforge.redact.decoded_views import Edit, replaced

_OF_TEXT = ("SECRET", "CREDENTIALS", "CARD", "IBAN")
_OF_WORDS = (*_OF_TEXT, "EMAIL", "PHONE")


def masked(text: str, known: KnownPrivate, *, is_reason: bool = False) -> str:
    """A text with the kind of each private value in its place.

    A reason is somebody's own words: what it says of people is taken out as well.
    """
    kinds = _OF_WORDS if is_reason else _OF_TEXT
    found = locate(text, known, kinds)
    return replaced(text, [Edit(it.start, it.end, f"<{it.kind}>") for it in found])


def name_of(person: str) -> str:
    """`Name <mail>` without the mail, which is not for everybody to collect."""
    name, _, mail = person.partition("<")
    return (name.strip() or mail.rstrip(">").strip()).partition("@")[0]
