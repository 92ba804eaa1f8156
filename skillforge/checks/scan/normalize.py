"""Normalize text for patterns: one spelling for what looks or works the same.

Lines keep their numbers, so that findings can name them: where a line is continued on
the next, the line break becomes a vertical tab.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterator

LONGEST_LINE = 500_000  # characters; whole files of honest skills have fewer
MOST_MIXED = 5000  # words in letters of two scripts that are translated one by one
SOFT = "\v"  # a line break within a continued line

# Letters of other scripts that look like Latin ones.
_LOOKALIKES = str.maketrans(
    "авгеёзкмнорстухѕіјһԛԝԁӏпАВЕЗІКМНОРСТУХЅЈαεηικνορτυχωγΑΒΕΖΗΙΚΜΝΟΡΤΥΧɑɡɩօ",
    "abree3kmhopctyxsijhqwdlnABE3IKMHOPCTYXSJaenikvoptuxwyABEZHIKMNOPTYXagio",
)
_LOOKS = "\u0370-\u052f\u0251-\u0269\u0585"
_LOOKS_LATIN = re.compile(f"[{_LOOKS}]")
# Words, and text between spaces, with Latin letters and possible look-alikes.
_MIXED_WORD = re.compile(
    rf"\b(?=[^\Wa-zA-Z]*+[a-zA-Z])(?=[^\W{_LOOKS}]*+[{_LOOKS}])\w++"
)
_MIXED_PART = re.compile(
    rf"(?<!\S)(?=[^\sa-zA-Z]*+[a-zA-Z])(?=[^\s{_LOOKS}]*+[{_LOOKS}])\S++"
)
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_EMPHASIS = re.compile(
    r"(?<!\w)_([^\W_](?:\w{0,28}[^\W_])?)_(?!\w)|\*(\w{1,30}+)\*(?!\w)"
)
_TAG = re.compile(r"</?[a-z]{1,6}>")
_MARKS = re.compile("[\u0300-\u036f]")
_GOES_ON = frozenset("\\|,({[+=^&`")  # the end of a line of code that is continued
_GOES_ON_WITH = frozenset("|.&")  # the start of a line that continues the previous
_BEGINS = frozenset("#>|*+-`~<:=0123456789 \t")  # the start of a new line of prose
_EMPTY_QUOTES = re.compile(r"(?<=[a-z])(?:''|\"\"|\$@)(?=[a-z])")
_SLASHED = re.compile(r"(?<=[\s;|&(`])([a-z]{1,6})\\([a-z]{1,6})\b(?!\\)")
_QUOTED_INSIDE = re.compile(r"'([a-z]{1,3})'(?=[a-z])")
_BRACES = re.compile(r"(?<![\w$}])\{([\w'\"][^\s{}]{0,30}(?:,[^\s{},]{1,200}){1,20})\}")
_IFS = re.compile(r"\$ifs\$?\d?\b|\$\{ifs[^}]{0,12}\}")
_JOINED = re.compile(r"""(?<=\w)(["'])\s?[+.]\s?["'](?=\w)""")


def lines(text: str) -> str:
    """The same text with one kind of line end."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\x85", "\n") if "\x85" in text else text


def cut_long_lines(text: str) -> str:
    """A text without the middle of lines that are too long to review."""
    if len(text) <= LONGEST_LINE:
        return text
    return "\n".join(map(_shortened_line, text.split("\n")))


def _shortened_line(line: str) -> str:
    half = LONGEST_LINE // 2
    return line if len(line) <= LONGEST_LINE else line[:half] + line[-half:]


def mixed_words(text: str) -> Iterator[tuple[int, str]]:
    """Words with letters of two scripts, and their offsets."""
    if text.isascii() or not _LOOKS_LATIN.search(text):
        return
    for match in _MIXED_WORD.finditer(text):
        if match[0] != match[0].translate(_LOOKALIKES):
            yield match.start(), match[0]


def _in_latin(word: re.Match[str]) -> str:
    return word[0].translate(_LOOKALIKES)


def plain(text: str) -> str:
    """Text in lower case, without invisible characters and look-alikes."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _UNSEEN.sub("", text))
        text = _MARKS.sub("", text)
        if _LOOKS_LATIN.search(text):
            text, count = _MIXED_PART.subn(_in_latin, text, MOST_MIXED)
            if count == MOST_MIXED:  # which is reported
                text = text.translate(_LOOKALIKES)
    return text.lower()


def code(text: str) -> str:
    """Code as it is executed: the parts of a word are joined."""
    return _joined(plain(_as_lines(text, _code_goes_on)))


def prose(text: str) -> str:
    """Prose as it reads: a paragraph is a line, without emphasis."""
    if "&#" in text:
        text = html.unescape(text)
    text = _joined(plain(_as_lines(text, _prose_goes_on)))
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(r"\1\2", text.replace("**", ""))
    return _TAG.sub("", text) if "</" in text else text


def _as_lines(text: str, goes_on: Callable[[str, str], bool]) -> str:
    first, *rest = text.split("\n")
    parts = [first]
    last = first
    for line in rest:
        is_same = bool(last and line) and goes_on(last, line)
        if is_same and last[-1] == "\\":
            parts[-1] = f"{last[:-1]} "
        parts += (SOFT if is_same else "\n", line)
        last = line
    return "".join(parts)


def _code_goes_on(last: str, line: str) -> bool:
    return last[-1] in _GOES_ON or line.lstrip()[:1] in _GOES_ON_WITH


def _prose_goes_on(_last: str, line: str) -> bool:
    return line[0] not in _BEGINS


def _joined(text: str) -> str:
    if ",-" in text or ",http" in text or ",/tmp" in text:
        text = _BRACES.sub(lambda match: match[1].replace(",", " "), text)
    if "''" in text or '""' in text or "$@" in text:
        text = _EMPTY_QUOTES.sub("", text)
    if "'" in text:
        text = _QUOTED_INSIDE.sub(r"\1", text)
    if any(sign in text for sign in ('" +', '"+', "' +", "'+", '"."', "'.'")):
        text = _JOINED.sub("", text)
    if "ifs" in text:
        text = _IFS.sub(" ", text)
    return _SLASHED.sub(r"\1\2", text) if "\\" in text else text
