"""Words, similarity, tokens: what overlap, patterns and search share."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import chain
from zlib import crc32

_MOST_LINES, _MOST_LETTERS, _MOST_WINDOWS = 20, 1000, 60  # that are compared in full
_FEW = 20  # documents, among which rare words are rare by chance
CATALOG_TOKENS = 3000  # of names and descriptions, which every agent reads
BYTES_PER_TOKEN = 4  # of UTF-8: near enough for English, code, Cyrillic and Chinese

# An opening fence of backticks has none in the rest of its line: that is inline code.
_FENCE = re.compile(
    r"^[ \t]*(`{3,}(?=[^`\n]*$)|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
# Characters that show nothing, though Python calls them printable: fillers, blanks,
# and the variation selectors that emoji do not use.
BLANKS = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0d\uffa0"
    "\U000e0100-\U000e01ef"
)
# Characters that are a line break to some editors, diffs and languages, and nothing or
# a blank to others. A form feed at the start of a line is an ordinary page break.
UNSEEN_BREAK = re.compile(
    "\r(?!\n)|(?<!\n)(?!^)\f|[\x00-\x08\x0b\x0e-\x1f\x7f\x85\u2028\u2029]"
)


def lines_of(text: str) -> list[str]:
    """The lines of a text as git counts them: `\\n` ends one, and nothing else does.

    `str.splitlines` also splits at characters that git shows within a line. Text that
    follows one of them could then pass for an unchanged line.
    """
    return text.removesuffix("\n").split("\n") if text else []


def shingles(text: str) -> frozenset[int]:
    """Every three consecutive words, as numbers that are stable between processes.

    Words are separated by white space: coarse, fast, and good enough to compare texts
    that are nearly the same.
    """
    numbers = list(map(crc32, text.lower().encode("utf-8", "replace").split()))
    if len(numbers) < 3:
        return frozenset(numbers)
    return frozenset(map(hash, zip(numbers, numbers[1:], numbers[2:], strict=False)))


def similarity(first: Set[int], second: Set[int]) -> float:
    """The Jaccard similarity of two sets of shingles; 1.0 for equal texts."""
    if not first or not second:
        return 0.0
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared)


def nearest(word: str, known: list[str]) -> str:
    """The most similar known word; empty if none is close."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, n=1)), "")


def code_blocks(markdown: str) -> list[tuple[int, int]]:
    """The spans of fenced code blocks, fences included."""
    if "```" not in markdown and "~~~" not in markdown:
        return []
    return [match.span() for match in _FENCE.finditer(markdown)]


def headings(markdown: str) -> Iterator[str]:
    """The headings of a Markdown text, in lower case."""
    code = code_blocks(markdown)
    for match in re.finditer(r"^#{1,6}[ \t](.+)$", markdown, re.MULTILINE):
        if not in_any(match.start(), code):
            yield match[1].strip("# \t").lower()


def occurrences(text: str, phrase: str, start: int = 0) -> Iterator[int]:
    """The offsets of a phrase. Many times faster than a regular expression."""
    at = text.find(phrase, start)
    while at >= 0:
        yield at
        at = text.find(phrase, at + 1)


def in_any(offset: int, spans: list[tuple[int, int]]) -> bool:
    """Whether one of the sorted spans contains an offset."""
    at = bisect_right(spans, offset, key=lambda span: span[0])
    return at > 0 and offset < spans[at - 1][1]


def nearest_lines(text: str, passage: str) -> tuple[int, str]:
    """The lines of a text that are most similar to a passage, and their number."""
    from difflib import SequenceMatcher

    lines = text.split("\n")
    target = passage.strip("\n").split("\n")[:_MOST_LINES]
    windows = range(max(1, len(lines) - len(target) + 1))

    def shared(at: int) -> float:
        """A quick estimate: equal lines, then shared letters of the first line."""
        window = lines[at : at + len(target)]
        pairs = zip(window, target, strict=False)
        equal = sum(left.strip() == right.strip() for left, right in pairs)
        letters = len(set(window[0]) & set(target[0])) / (len(set(target[0])) or 1)
        return equal + letters

    def ratio(at: int) -> float:
        window = "\n".join(lines[at : at + len(target)])[:_MOST_LETTERS]
        words = "\n".join(target)[:_MOST_LETTERS]
        return SequenceMatcher(None, window, words, autojunk=False).ratio()

    likely = sorted(windows, key=shared, reverse=True)[:_MOST_WINDOWS]
    best = max(sorted(likely), key=ratio)
    return best + 1, "\n".join(lines[best : best + len(target)])


def on_one_line(text: str, most: int = 200) -> str:
    """A text for a Markdown code span: one line of printable characters."""
    visible = "".join(
        letter if letter.isprintable() else " " for letter in text[: most * 4]
    )
    line = " ".join(visible.replace("`", "'").split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def shortened(text: str, most: int) -> str:
    """At most so many characters of a text, followed by an ellipsis if it was cut."""
    return text if len(text) <= most else f"{text[:most]}…"


def shortened_between_words(text: str, most: int) -> str:
    """The same, cut between words and on one line; at most so long as a whole."""
    line = " ".join(text.split())
    if len(line) <= most:
        return text
    words = line[:most].rpartition(" ")[0].rstrip(" ,;:") or line[: most - 1]
    return f"{words}…"


def plain_words(text: str, most: int = 400) -> str:
    """A text for Markdown prose, without characters that have a meaning there."""
    return re.sub(
        r"[^\w\s.,;:!?'\"“”’()/%$€£&+=@…-]|_(?=_)", "", on_one_line(text, most)
    )


def rarity(documents: Collection[Sequence[str]]) -> dict[str, float]:
    """The weight of each term: the fewer documents contain it, the more it weighs.

    With few documents all weights are about the same.
    """
    # No sets: their order, and so the rounding of sums, differs between processes.
    counts = Counter(chain.from_iterable(map(dict.fromkeys, documents)))
    return rarity_of(counts, len(documents))


def rarity_of(counts: Mapping[str, int], total: int) -> dict[str, float]:
    """The weight of each term, by the number of documents that contain it."""
    from math import log

    share = total / (total + _FEW)
    return {
        term: 1 + share * log((total + 1) / (count + 1))
        for term, count in counts.items()
    }


def unit_vector(terms: Sequence[str], rarity: Mapping[str, float]) -> dict[str, float]:
    """Terms as a vector of length 1, weighted by rarity."""
    weights: dict[str, float] = {}
    for term in terms:
        if term in rarity:
            weights[term] = weights.get(term, 0.0) + rarity[term]
    length = sum(weight * weight for weight in weights.values()) ** 0.5
    return {term: weight / length for term, weight in weights.items()} if length else {}


def dot(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """The cosine similarity of two vectors of length 1."""
    if len(first) > len(second):
        first, second = second, first
    return sum(
        weight * second[term] for term, weight in first.items() if term in second
    )


_SMALL_WORD = re.compile(
    r"an?|the|is|are|was|were|be|been|of|to|in|on|at|for|from|by|with|and|or|as|than|my|"
    r"me|i|i'[md]|you|your|its?|this|that|these|those|all|any|some|do|does|did|ha[sd]|"
    r"have|please|can|could|would|should|s|who|what|which|how|hi|hello|there"
)
_OF_SKILLS = re.compile(r"us(?:e|ed|ing)|when(?:ever)?|users?|asks?|wants?|skill")


def is_small_word(word: str) -> bool:
    """Whether a lower-case word is a stop word."""
    return _SMALL_WORD.fullmatch(word) is not None


def terms(text: str) -> list[str]:
    """The stems of the words of a text, without stop words."""
    words = re.findall(r"[^\W_]+", text.lower())
    telling = (word for word in words if not is_small_word(word))
    return [_stem(word) for word in telling if not _OF_SKILLS.fullmatch(word)]


def _stem(word: str) -> str:
    """A word without its common ending; good enough to compare."""
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
