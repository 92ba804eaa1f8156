"""The situations that pages start from, by the name that a page gives them.

A new one is a function with `@situation("name")` in a module of this package.
"""

from tests.docs.situations import (
    checks,
    github,
    proposals,
    releases,
    sessions,
    usage,
)
from tests.docs.situations.registry import SITUATIONS

__all__ = [
    "SITUATIONS",
    "checks",
    "github",
    "proposals",
    "releases",
    "sessions",
    "usage",
]
