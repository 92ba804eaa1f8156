"""Words, similarity, tokens: what overlap, patterns and search share."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Set
from zlib import crc32

_MOST_LINES, _MOST_LETTERS, _MOST_WINDOWS = 20, 1000, 60  # that are compared in full
BYTES_PER_TOKEN = 4  # of UTF-8: near enough for English, code, Cyrillic and Chinese

# An opening fence of backticks has none in the rest of its line: that is inline code.
_FENCE = re.compile(
    r"^[ \t]*(`{3,}(?=[^`\n]*$)|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)


def shingles(text: str) -> frozenset[int]:
    """Every three words in a row, as numbers: equal in any process of this Python.

    Words are what stands between spaces. That is coarse and fast, and for texts that
    are nearly the same it comes to the same as to look for letters.
    """
    numbers = list(map(crc32, text.lower().encode("utf-8", "replace").split()))
    if len(numbers) < 3:
        return frozenset(numbers)
    return frozenset(map(hash, zip(numbers, numbers[1:], numbers[2:], strict=False)))


def similarity(one: Set[int], other: Set[int]) -> float:
    """What two texts have in common: 1.0 for the same words in the same order."""
    if not one or not other:
        return 0.0
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def nearest(word: str, known: list[str]) -> str:
    """The known word that was probably meant; empty if none is close."""
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
    """Where a phrase stands. Many times faster than a regular expression."""
    at = text.find(phrase, start)
    while at >= 0:
        yield at
        at = text.find(phrase, at + 1)


def in_any(offset: int, spans: list[tuple[int, int]]) -> bool:
    """Whether one of the spans, which are in order, holds an offset."""
    at = bisect_right(spans, offset, key=lambda span: span[0])
    return at > 0 and offset < spans[at - 1][1]


def nearest_lines(text: str, wanted: str) -> tuple[int, str]:
    """The lines of a text that are most like others, and the number of the first."""
    from difflib import SequenceMatcher

    lines = text.split("\n")
    target = wanted.strip("\n").split("\n")[:_MOST_LINES]
    windows = range(max(1, len(lines) - len(target) + 1))

    def shared(at: int) -> float:
        """A quick guess: lines that are equal, else letters of the first."""
        window = lines[at : at + len(target)]
        pairs = zip(window, target, strict=False)
        equal = sum(one.strip() == two.strip() for one, two in pairs)
        letters = len(set(window[0]) & set(target[0])) / (len(set(target[0])) or 1)
        return equal + letters

    def ratio(at: int) -> float:
        window = "\n".join(lines[at : at + len(target)])[:_MOST_LETTERS]
        words = "\n".join(target)[:_MOST_LETTERS]
        return SequenceMatcher(None, window, words, autojunk=False).ratio()

    likely = sorted(windows, key=shared, reverse=True)[:_MOST_WINDOWS]
    best = max(sorted(likely), key=ratio)
    return best + 1, "\n".join(lines[best : best + len(target)])
