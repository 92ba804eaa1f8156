"""Rules on files and characters that are not what they look like.

A file that cannot be reviewed is a warning; a disguised file is an attack.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from skillforge.checks.scan.matches import ScanMatches
from skillforge.checks.scan.normalize import MOST_MIXED, mixed_words, plain
from skillforge.model import RuleProblem, Severity, rule, rules_in

_WARNING = Severity.WARNING
_FILES = {
    "program": "a compiled program",
    "bytecode": "compiled Python, which may differ from its source",
    "archive": "an archive in the skill",
    "locked": "an archive that cannot be opened",
    "link": "a link, whose target differs between machines",
    "unread": "cannot be read",
    "macro": "a document with a program in it",
}


@rule(_WARNING, category="obfuscation")
def unreviewable_file(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill contains only files that a reviewer can read.

    That excludes programs, bytecode, archives, unreadable files, and files with so many
    signs of attacks that scanning them takes too long.
    """
    for notice in matches.notices:
        if notice.kind in _FILES:
            hint = "replace it with its source, or with the files themselves"
            yield RuleProblem(
                f"{notice.words}: cannot be reviewed", hint, 1, notice.path
            )


@rule(category="obfuscation")
def disguised_file(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A file is what its name claims.

    A program named like a picture, data after the end of a picture, or a pickle that
    runs a command when it is loaded, is meant to go unnoticed.
    """
    for notice in matches.notices:
        if notice.kind in ("disguised", "pickle"):
            yield RuleProblem(notice.words, "remove it", 1, notice.path)


@rule(_WARNING, category="obfuscation")
def unseen_characters(matches: ScanMatches) -> Iterator[RuleProblem]:
    """Text is what it looks like.

    That excludes characters that change the direction of writing, words in letters of
    two scripts, and many invisible characters; also control characters and unusual line
    breaks, where a comment may end and code begin.
    """
    for notice in matches.notices:
        if notice.kind == "break":
            hint = "write it as an escape, such as `\\r`, or remove it"
            yield RuleProblem(notice.words, hint, notice.line, notice.path)
    for segment in matches.segments:
        if segment.raw.isascii() or segment.hidden_by or segment.language == "resolved":
            continue
        for pattern, what in _UNSEEN if _SUSPECT.search(segment.raw) else ():
            if match := pattern.search(segment.raw):
                line = segment.line_of(match.start())
                yield RuleProblem(what, "write it in plain letters", line, segment.path)
        mixed = list(islice(mixed_words(segment.raw), MOST_MIXED))
        if len(mixed) == MOST_MIXED:
            what = "too many mixed-script words to check"
            yield RuleProblem(
                what, "write them in one script", segment.line, segment.path
            )
        words = (
            (segment.line_of(at), word) for at, word in mixed if not _is_symbol(word)
        )
        for line, word in _first_of_each_line(words).items():
            what = f"mixed scripts in one word: {word[:40]}"
            yield RuleProblem(what, "write it in one script", line, segment.path)


def _is_symbol(word: str) -> bool:
    """Whether the Greek letters of a word are symbols, as in formulas.

    They are, if they look like no Latin letter, are apart from the other letters, or
    are next to capitals. Any other script in the word makes it suspicious.
    """
    parts = (part for part in _PARTS.split(word) if not part.isascii())
    return all(_SYMBOL.fullmatch(part) for part in parts)


_PARTS = re.compile(r"[\W\d_]+")
_SYMBOL = re.compile(
    "[a-zA-Z\u03b3\u03b5\u03b7\u03ba\u03c4\u03c7\u03c9]+"  # no Latin shapes
    "|[\u03b1-\u03c9]+"
    "|(?=\\w*[A-Z]\\w*[A-Z])[a-zA-Z\u03b1-\u03c9]+"
)


def _first_of_each_line(words: Iterable[tuple[int, str]]) -> dict[int, str]:
    first_words: dict[int, str] = {}
    for line, word in words:
        if len(word) > 3:
            first_words.setdefault(line, word)
    return first_words


_SUSPECT = re.compile(
    "[\u00ad\u034f\u180e\u200b\u200c\u202d\u202e\u2060\u2062-\u2064\u2066-\u2068"
    "\U000e0001-\U000e007f]"
)
_UNSEEN = (
    (
        re.compile("[\u202d\u202e]|[\u2066-\u2069][^\n]*[\u2066-\u2069]"),
        "changes the direction of writing",
    ),
    (
        re.compile(
            "[\u200b\u2060\u2062-\u2064\u180e]{3,}|(?:[\u200b\u200c\u200d\u2060\ufeff]){8,}"
        ),
        "many invisible characters",
    ),
    (
        re.compile("(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001-\U000e007f]"),
        "a character that only programs read",
    ),
    (
        re.compile("[a-zA-Z][\u200b\u200c\u2060\u034f\u00ad][a-zA-Z]"),
        "an invisible character within a word",
    ),
)


@rule(category="obfuscation")
def spoofed_command(matches: ScanMatches) -> Iterator[RuleProblem]:
    """Commands and hosts are written in their own letters, not in look-alikes."""
    for segment in matches.segments:
        mixed = mixed_words(segment.raw) if not segment.hidden_by else ()
        for at, word in islice(mixed, MOST_MIXED):
            latin = plain(word)
            if _COMMAND.fullmatch(latin):
                line = segment.line_of(at)
                what = f"{word} only looks like {latin}"
                yield RuleProblem(what, "write it in plain letters", line, segment.path)


_COMMAND = re.compile(
    r"curl|wget|bash|sudo|eval|exec|https?|python3?|node|chmod|ssh|base64|github|"
    r"google|openai|anthropic|paypal|apple|microsoft|import|system|ignore|previous|"
    r"instructions|send|upload"
)


DISGUISES = rules_in(globals())
