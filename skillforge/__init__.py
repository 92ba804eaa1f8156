"""Skillforge: git-backed review for the skills that agents write.

from skillforge import Library

library = Library.open(".")
print(library.validate().ok)
"""

TYPE_CHECKING = False  # for type checkers it is true; importing `typing` takes 6 ms
if TYPE_CHECKING:
    from skillforge.api import Library as Library

__version__ = "0.1.0"
__all__ = ["Library", "__version__"]


def __getattr__(name: str) -> object:
    """Import `Library` when it is asked for: commands start without it."""
    if name != "Library":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return importlib.import_module("skillforge.api").Library
