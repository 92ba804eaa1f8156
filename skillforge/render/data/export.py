"""Exports as the `data` of `--json`."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from skillforge.learn.export import Export


class ExportData(TypedDict):
    """The files that were written, with their digests by name."""

    folder: str
    conversations: int
    pairs: int
    sha256: dict[str, str]


def export(result: "Export") -> ExportData:
    return {
        "folder": str(result.folder),
        "conversations": result.conversations,
        "pairs": result.pairs,
        "sha256": result.digests,
    }
