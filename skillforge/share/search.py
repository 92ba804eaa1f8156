"""Find skills by what they are for: name, description, requests of their own, body."""

import re
from dataclasses import dataclass

from skillforge.library import Library
from skillforge.model import SKILL_FILE
from skillforge.share.skill_index import reading
from skillforge.store.index import Index, IndexedSkill, SearchMatch, matches
from skillforge.text import terms

_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 40
_MOST_LETTERS = 10_000
_MOST_REASONS = 8  # words that are shown of one place
PLACES = ("name", "description", "triggers", "body")


@dataclass(frozen=True, slots=True)
class Hit:
    """A skill that was found; `why` tells which words stand where."""

    skill: IndexedSkill
    score: float
    why: dict[str, list[str]]


def search(library: Library, commit: str, query: str, limit: int = 10) -> list[Hit]:
    """The skills of a commit that a query calls for, the best first.

    Any text is a query: nothing in it is an operator. A skill that is named exactly
    comes first; where no word is found, beginnings of words are.
    """
    words = words_of(query)

    def find(index: Index) -> list[SearchMatch]:
        found = index.best(words, limit)
        found = found or index.best([f"{word}*" for word in words], limit)
        return _with_named(index, query, found)[:limit]

    found = reading(library, commit, find) if words else []
    reasons = _reasons(library, found, words)
    return [
        Hit(it.skill, round(it.score, 3), why)
        for it, why in zip(found, reasons, strict=True)
    ]


def words_of(query: str) -> list[str]:
    """The words to look for: those that tell something, if there are any."""
    found = _WORD.findall(query[:_MOST_LETTERS].lower())
    telling = [word for word in found if terms(word)]
    return list(dict.fromkeys(telling or found))[:_MOST_WORDS]


def _with_named(
    index: Index, query: str, found: list[SearchMatch]
) -> list[SearchMatch]:
    """The same; the skill whose name the query is, if there is one, comes first."""
    named = index.named("-".join(_WORD.findall(query.lower()))[:256])
    if named is None:
        return found
    first = SearchMatch(named, 2.0, is_whole=True)
    return [first, *(it for it in found if it.skill.name != named.name)]


def _reasons(
    library: Library, found: list[SearchMatch], words: list[str]
) -> list[dict[str, list[str]]]:
    """For each skill, the words of each of its places that answer to a query.

    Where a skill says all of them of itself, its body is not looked at.
    """
    read = [f"{it.skill.tree}:{SKILL_FILE}" for it in found if not it.is_whole]
    bodies = iter(library.repository().find_all(read))
    texts = []
    for skill, _, is_whole in found:
        blob = None if is_whole else next(bodies)
        body = _body(blob.data if blob else b"")
        texts.append((skill.name, skill.description, skill.triggers, body))
    told = matches(texts, words)
    if not any(part for parts in told for part in parts):
        told = matches(texts, [f"{word}*" for word in words])
    return [
        {
            place: some[:_MOST_REASONS]
            for place, some in zip(PLACES, parts, strict=True)
            if some
        }
        for parts in told
    ]


def _body(data: bytes) -> str:
    """What follows the frontmatter, near enough to tell which words stand there."""
    text = data.decode("utf-8", "replace")
    _, fence, rest = text.partition("\n---")
    return rest if fence else text
