"""Files and characters that are not what they look like.

A file that cannot be reviewed needs a person; one that is disguised is an attack.
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
    "link": "a link, which leads elsewhere on every machine",
    "unread": "cannot be read",
    "macro": "a document with a program in it",
}


@rule(_WARNING, category="obfuscation")
def unreviewable_file(found: ScanMatches) -> Iterator[RuleProblem]:
    """A skill contains only what a reviewer can read.

    Programs, bytecode, archives, files that cannot be read at all, and files with so
    much of what attacks consist of that they cannot be read in a short time.
    """
    for notice in found.notices:
        if notice.kind in _FILES:
            hint = "replace it by its source, or by the files themselves"
            yield RuleProblem(
                f"{notice.words}: cannot be reviewed", hint, 1, notice.path
            )


@rule(category="obfuscation")
def disguised_file(found: ScanMatches) -> Iterator[RuleProblem]:
    """A file is what its name says.

    A program named like a picture, something behind the end of one, stored objects that
    run a command when they are loaded: these are made not to be noticed.
    """
    for notice in found.notices:
        if notice.kind in ("disguised", "pickle"):
            yield RuleProblem(notice.words, "remove it", 1, notice.path)


@rule(_WARNING, category="obfuscation")
def unseen_characters(found: ScanMatches) -> Iterator[RuleProblem]:
    """Text is what it looks like.

    Characters that turn the direction of writing, letters of another script within a
    word, many characters that are not shown. Control characters and line breaks other
    than that of a file: a comment may end there, and what follows runs.
    """
    for notice in found.notices:
        if notice.kind == "break":
            hint = "write it as an escape, such as `\\r`, or remove it"
            yield RuleProblem(notice.words, hint, notice.line, notice.path)
    for piece in found.pieces:
        if piece.raw.isascii() or piece.hidden_by or piece.language == "resolved":
            continue
        for pattern, what in _UNSEEN if _SUSPECT.search(piece.raw) else ():
            if match := pattern.search(piece.raw):
                line = piece.line_of(match.start())
                yield RuleProblem(what, "write it in plain letters", line, piece.path)
        mixed = list(islice(mixed_words(piece.raw), MOST_MIXED))
        if len(mixed) == MOST_MIXED:
            what = "more words in letters of two scripts than can be read"
            yield RuleProblem(what, "write them in one script", piece.line, piece.path)
        words = ((piece.line_of(at), word) for at, word in mixed)
        for line, word in _first_of_each_line(words).items():
            what = f"letters of two scripts in one word: {word[:40]}"
            yield RuleProblem(what, "write it in one script", line, piece.path)


def _first_of_each_line(words: Iterable[tuple[int, str]]) -> dict[int, str]:
    found: dict[int, str] = {}
    for line, word in words:
        if len(word) > 3:
            found.setdefault(line, word)
    return found


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
        "a character that only machines read",
    ),
    (
        re.compile("[a-zA-Z][\u200b\u200c\u2060\u034f\u00ad][a-zA-Z]"),
        "an invisible character within a word",
    ),
)


@rule(category="obfuscation")
def spoofed_command(found: ScanMatches) -> Iterator[RuleProblem]:
    """A command or host is written in its own letters, not in look-alikes."""
    for piece in found.pieces:
        mixed = mixed_words(piece.raw) if not piece.hidden_by else ()
        for at, word in islice(mixed, MOST_MIXED):
            meant = plain(word)
            if _COMMAND.fullmatch(meant):
                line = piece.line_of(at)
                what = f"{word} only looks like {meant}"
                yield RuleProblem(what, "write it in plain letters", line, piece.path)


_COMMAND = re.compile(
    r"curl|wget|bash|sudo|eval|exec|https?|python3?|node|chmod|ssh|base64|github|"
    r"google|openai|anthropic|paypal|apple|microsoft|import|system|ignore|previous|"
    r"instructions|send|upload"
)


DISGUISES = rules_in(globals())
