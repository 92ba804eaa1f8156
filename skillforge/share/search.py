"""Search skills by name, description, trigger queries and body."""

import re
from dataclasses import dataclass

from skillforge.library import Library
from skillforge.model import SKILL_FILE
from skillforge.share.skill_index import query as query_index
from skillforge.store.index import Index, IndexedSkill, SearchMatch, matches
from skillforge.text import terms

_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 40
_MOST_LETTERS = 10_000
_MOST_REASONS = 8  # matching words that are shown for each field
FIELDS = ("name", "description", "triggers", "body")


@dataclass(frozen=True, slots=True)
class Hit:
    """A skill that matches; `why` has the matching words of each field."""

    skill: IndexedSkill
    score: float
    why: dict[str, list[str]]


def search(library: Library, commit: str, query: str, limit: int = 10) -> list[Hit]:
    """The skills of a commit that match a query, the best first.

    Any text is a query: nothing in it is an operator. A skill with exactly this name
    comes first. If no word matches, prefixes of words do.
    """
    words = words_of(query)

    def find(index: Index) -> list[SearchMatch]:
        best = index.best(words, limit)
        best = best or index.best([f"{word}*" for word in words], limit)
        named = index.named("-".join(_WORD.findall(query.lower()))[:256])
        if named is None:
            return best
        others = [match for match in best if match.skill.name != named.name]
        return [SearchMatch(named, 2.0, is_whole=True), *others][:limit]

    best = query_index(library, commit, find) if words else []
    reasons = _reasons(library, best, words)
    return [
        Hit(match.skill, round(match.score, 3), why)
        for match, why in zip(best, reasons, strict=True)
    ]


def words_of(query: str) -> list[str]:
    """The words to search for, without stop words unless there are no others."""
    words = _WORD.findall(query[:_MOST_LETTERS].lower())
    meaningful = [word for word in words if terms(word)]
    return list(dict.fromkeys(meaningful or words))[:_MOST_WORDS]


def _reasons(
    library: Library, best: list[SearchMatch], words: list[str]
) -> list[dict[str, list[str]]]:
    """For each skill, the words of a query that each of its fields has.

    A body is read only if the other fields don't have all words.
    """
    partial = [match.skill for match in best if not match.is_whole]
    paths = [f"{skill.tree}:{SKILL_FILE}" for skill in partial]
    bodies = iter(library.repository().find_all(paths))
    texts = []
    for skill, _, is_whole in best:
        blob = None if is_whole else next(bodies)
        body = _body(blob.data if blob else b"")
        texts.append((skill.name, skill.description, skill.triggers, body))
    matched = matches(texts, words)
    if not any(part for parts in matched for part in parts):
        matched = matches(texts, [f"{word}*" for word in words])
    return [
        {
            field: part[:_MOST_REASONS]
            for field, part in zip(FIELDS, parts, strict=True)
            if part
        }
        for parts in matched
    ]


def _body(data: bytes) -> str:
    """What follows the frontmatter, parsed well enough to find words in it."""
    text = data.decode("utf-8", "replace")
    _, fence, rest = text.partition("\n---")
    return rest if fence else text
