"""Find private values in texts, and replace them with placeholders."""

from typing import TYPE_CHECKING

from skillforge.lazy_import import lazily

if TYPE_CHECKING:
    from skillforge.redact.redaction import (
        PLACEHOLDER,
        KnownPrivate,
        LocatedPrivate,
        Redaction,
        locate,
        remains,
        storable,
        warm_up,
    )

_PARTS = {
    "redaction": (
        "KnownPrivate",
        "LocatedPrivate",
        "PLACEHOLDER",
        "Redaction",
        "locate",
        "remains",
        "storable",
        "warm_up",
    ),
}

__getattr__ = lazily(__name__, _PARTS)
__all__ = [
    "PLACEHOLDER",
    "KnownPrivate",
    "LocatedPrivate",
    "Redaction",
    "locate",
    "remains",
    "storable",
    "warm_up",
]
