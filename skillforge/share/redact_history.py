"""Redact reasons and diffs from history before they are published.

History cannot be changed, so private data in it doesn't block a release.
"""

from skillforge.redact import KnownPrivate, locate
from skillforge.redact.decoded_views import Edit, replaced

_IN_DIFFS = ("SECRET", "CREDENTIALS", "CARD", "IBAN")
_IN_REASONS = (*_IN_DIFFS, "EMAIL", "PHONE")


def redact(text: str, known: KnownPrivate, *, is_reason: bool = False) -> str:
    """The text with each private value replaced by its kind.

    In a reason, which is prose, e-mail addresses and phone numbers are replaced too.
    """
    matches = locate(text, known, _IN_REASONS if is_reason else _IN_DIFFS)
    return replaced(text, [Edit(m.start, m.end, f"<{m.kind}>") for m in matches])


def person_name(person: str) -> str:
    """The name in `Name <mail>`; without one, the mailbox before the @."""
    name, _, mail = person.partition("<")
    return (name.strip() or mail.rstrip(">").strip()).partition("@")[0]
