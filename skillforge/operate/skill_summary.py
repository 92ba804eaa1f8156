"""What the curator needs from each SKILL.md, cached by the skill's tree hash.

A tree hash covers every file of a skill, so a summary never goes stale: only skills
that changed since the last run are read.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillforge.checks import edition
from skillforge.checks.rules.portability import dead_links
from skillforge.checks.status_metadata import is_pinned
from skillforge.library import Library
from skillforge.model import Skill
from skillforge.store import Cache
from skillforge.text import BYTES_PER_TOKEN

_TYPES = [bool, str, str, int, bool]  # of the fields, in their order


class SkillSummary(NamedTuple):
    """The fields of one skill's document that bear on whether it stays."""

    is_pinned: bool = False
    origin: str = ""  # as `metadata.origin` claims
    superseded_by: str = ""
    description_bytes: int = 0
    has_dead_links: bool = False

    def tokens(self, name: str) -> int:
        """About how many tokens the skill takes in the catalog."""
        size = len(f"{name}: \n".encode(errors="surrogatepass"))
        return -(-(size + self.description_bytes) // BYTES_PER_TOKEN)


def summarize(skill: Skill) -> SkillSummary:
    document = skill.document
    if document is None:
        return SkillSummary()
    description = document.words("description").encode(errors="surrogatepass")
    return SkillSummary(
        is_pinned(document),
        document.metadata("origin"),
        document.metadata("superseded-by"),
        len(description),
        document.readable and bool(dead_links(skill, document)),
    )


def summaries(
    library: Library, tip: str, trees: Mapping[str, str]
) -> dict[str, SkillSummary]:
    """A summary of each skill, in the order of `trees`.

    `trees` are the skill folders of the commit `tip`, by name. A folder without files
    is not a skill, and gets none.
    """
    cache = Cache.of(library.repository().common_dir)
    rules = edition()
    keys = {name: f"{tree} {rules}" for name, tree in trees.items()}
    cached = cache.entries("summaries", keys.values())
    found = {name: _decode(cached.get(key, "")) for name, key in keys.items()}
    missing = [name for name, summary in found.items() if summary is None]
    read = library.read_at(tip, missing) if missing else ()
    fresh = {skill.name: summarize(skill) for skill in read}
    if fresh:
        cache.save_entries(
            "summaries", {keys[name]: json.dumps(it) for name, it in fresh.items()}
        )
    known = {name: fresh.get(name, summary) for name, summary in found.items()}
    return {name: summary for name, summary in known.items() if summary is not None}


def _decode(text: str) -> SkillSummary | None:
    """A summary from the cache; None if there is none, or if it is damaged."""
    try:
        row: Any = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    is_whole = isinstance(row, list) and [*map(type, row)] == _TYPES
    return SkillSummary(*row) if is_whole else None
