"""Exports as text for a terminal."""

from typing import TYPE_CHECKING

from skillforge.report import plural

if TYPE_CHECKING:
    from skillforge.learn.export import Export


def export(result: "Export") -> str:
    conversations = plural(result.conversations, "conversation")
    return f"wrote {conversations}, {plural(result.pairs, 'pair')} to {result.folder}"
