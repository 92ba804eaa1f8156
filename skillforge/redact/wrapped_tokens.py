"""Service tokens that are wrapped over several lines.

Only exact formats are searched: joined lines make any two words look like an id.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.redact.decoded_views import DecodedView, substituted
from skillforge.redact.formats import formats_in

_PART_OF_WORD = r"[\w+/=.\-]"
_BREAKS = r"\r\n\x0b\x0c\x85\u2028\u2029"
_BREAK = rf"(?:\r\n|[{_BREAKS}])"
# A line break in a word, with the marks that mail, a diff or a shell adds. The first
# character comes before what is said of it, as `re` then skips all others quickly.
_JOINT = re.compile(
    rf"[{_BREAKS}=\\](?<={_PART_OF_WORD}[{_BREAKS}=\\])"
    rf"(?:(?<=[=\\]){_BREAK}|(?<=\\)(?:r\\)?n|(?<=\r)\n|(?<=[{_BREAKS}]))"
    rf"[ \t]{{0,40}}(?:[>|#+] ?)?(?={_PART_OF_WORD})"
)
# The same with line numbers, in a box, quotes or markup, or with an unusual space.
_SPACES = r"\u00a0\u2000-\u200a\u202f\u205f\u3000"
_FIRST = rf"[ \t|│┃=\\{_BREAKS}\"'<*{_SPACES}]"
_MARKED_JOINT = re.compile(
    rf"{_FIRST}(?<={_PART_OF_WORD}{_FIRST})(?:"
    rf"(?:(?<=[ \t])[ \t]{{0,79}}[|│┃]?[=\\]?{_BREAK}|(?<=[|│┃])[=\\]?{_BREAK}"
    rf"|(?<=[=\\]){_BREAK}|(?<=\r)\n|(?<=[{_BREAKS}]))[ \t]{{0,40}}"
    r"(?:[>|#+\-│┃][ \t]{0,80}){0,2}(?:[\w./\-]{1,100}[:\-])?(?:\d{1,6}[:\-\t→|│] ?)?"
    r"|(?<=[\"'])[ \t]{0,9}[+.\\]?[ \t]{0,9}"
    rf"{_BREAK}?[ \t]{{0,80}}\+?[ \t]{{0,9}}[\"']"
    rf"|(?<=<)/?[a-z]{{1,6}} ?/?>|(?<=\*)\*|(?<=[{_SPACES}])"
    rf")(?={_PART_OF_WORD})"
)
_ANY_JOINT = re.compile(
    r"[\s\x85\u2028\u2029\u00a0\u2000-\u200a]|\\n|[\"']|<|\*\*"
).search
_WORD = re.compile(r"\w")
_LEAST = 20  # letters of a token
_PART = 12  # letters of a line that is part of a token rather than a word


class Wrapped(NamedTuple):
    """A token on one line, and its place over several lines."""

    what: str
    value: str
    start: int
    end: int


def is_broken(text: str) -> bool:
    """Whether a text is long enough for a token, and has a line break or similar."""
    return len(text) > _LEAST and _ANY_JOINT(text) is not None


def tokens(text: str) -> Iterator[str]:
    """Wrapped tokens as they are written."""
    return (text[token.start : token.end] for token in find(text))


def find(text: str) -> Iterator[Wrapped]:
    """Tokens with a line break in them."""
    starts: set[int] = set()
    for joint in (_JOINT, _MARKED_JOINT):
        for token in _joined_by(joint, text):
            if token.start not in starts:
                starts.add(token.start)
                yield token


def _joined_by(joint: re.Pattern[str], text: str) -> Iterator[Wrapped]:
    joined = joint.sub("", text)
    if len(joined) == len(text):
        return
    view: DecodedView | None = None
    for token in formats_in(joined):
        for match in re.finditer(token.pattern, joined):
            view = view or substituted(DecodedView(text), joint, "")
            start, end = view.span(*match.span())
            if end - start > len(match[0]) and _is_whole(text, start, end):
                written = _shortened(joint, text[start:end])
                value = joint.sub("", written)
                yield Wrapped(token.what, value, start, start + len(written))


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no letter precedes or follows a token on its line."""
    before, after = text[max(0, start - 2) : start], text[end : end + 1]
    is_begun = not _WORD.match(before[-1:]) or before in ("\\n", "\\r", "\\t")
    return is_begun and not _WORD.match(after)


def _shortened(joint: re.Pattern[str], token: str) -> str:
    """A token of variable length without words of the line after its last part."""
    parts = list(joint.finditer(token))
    last = token[parts[-1].end() :]
    is_part = len(last) >= _PART or (re.search(r"\d", last) and re.search(r"\D", last))
    return token if is_part or len(token) < 60 else token[: parts[-1].start()]
