"""Export approved examples as training data."""

from pathlib import Path

from skillforge.learn import export as exports
from skillforge.learn.export import Export
from skillforge.library import Library


def export(library: Library, folder: Path, *, force: bool = False) -> Export:
    """Write conversations and preference pairs to a folder outside the library."""
    return exports.export(library, folder, force=force)
