"""What the pages presume, by the words that a page has for it.

A new one is a function with `@situation("some words")` in a module of this package.
"""

from tests.docs.situations import (
    checking,
    hosting,
    learning,
    looping,
    operating,
    sharing,
)
from tests.docs.situations.naming import NAMED

__all__ = [
    "NAMED",
    "checking",
    "hosting",
    "learning",
    "looping",
    "operating",
    "sharing",
]
