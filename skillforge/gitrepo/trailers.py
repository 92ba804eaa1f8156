"""The record in commit messages: written so that plain git reads it back."""

import re
from collections.abc import Iterable

_TRAILER = re.compile(r"([A-Za-z][A-Za-z0-9-]*): (.*)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_DIVIDER = re.compile(r"^---", re.MULTILINE)  # where git may take a message to end
# What a forge acts on as soon as a commit is there: it tells people, closes issues.
_MENTION = re.compile(r"(?<![\w.`])@(?=\w)")
_CLOSES = re.compile(
    r"(\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+[\w./-]*(?:#|GH-|https?:))"
    r"(?=[\d/])",
    re.IGNORECASE,
)
_LONGEST = 10_000  # characters of a reason


def message(title: str, why: str, trailers: Iterable[tuple[str, str]]) -> str:
    """A commit message; only `trailers` become trailers, whatever else is said.

    Nor does a reason close issues or call people: it is a draft's, not a reviewer's.

    Git takes the last paragraph for the trailers, so ours always is the last.
    """
    said = _CONTROL.sub("", _whole(why).replace("\r\n", "\n"))[:_LONGEST].strip()
    said = _CLOSES.sub(r"\1 ", _MENTION.sub("@ ", _DIVIDER.sub(" ---", said)))
    parts = [one_line(title), said, "\n".join(_lines(trailers))]
    return "\n\n".join(part for part in parts if part) + "\n"


def added(text: str, trailers: Iterable[tuple[str, str]]) -> str:
    """A message with more trailers at its end; those that it has are not repeated."""
    there = read(text)
    known = [f"{name}: {value}" for name, values in there.items() for value in values]
    new = [line for line in dict.fromkeys(_lines(trailers)) if line not in known]
    between = "\n" if there else "\n\n"
    return between.join(filter(None, [text.rstrip("\n"), "\n".join(new)])) + "\n"


def _lines(trailers: Iterable[tuple[str, str]]) -> list[str]:
    clean = ((name, one_line(value)) for name, value in trailers)
    return [f"{name}: {value}" for name, value in clean if value]


def one_line(value: str) -> str:
    """A value that cannot start another line."""
    return " ".join(_CONTROL.sub(" ", _whole(value)).split())[:1000]


def _whole(text: str) -> str:
    """Text that can be written: half a character becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def read(text: str) -> dict[str, list[str]]:
    """The trailers of a message, by name; repeated ones in their order."""
    paragraphs = re.split(r"\n[ \t]*\n", text.strip("\n"))
    if len(paragraphs) < 2:
        return {}
    matches = [_TRAILER.fullmatch(line) for line in paragraphs[-1].split("\n")]
    found: dict[str, list[str]] = {}
    for match in matches:
        if match is None:
            return {}
        found.setdefault(match[1], []).append(match[2].strip())
    return found


def of_draft(text: str) -> dict[str, list[str]]:
    """The trailers of a proposal's commit, also where GitHub squashed it with others.

    A squash joins the messages of all commits, each with `* ` before its title, and may
    add trailers of its own. The first commit is the one that Skillforge wrote; neither
    its reason nor a later commit can replace its trailers.
    """
    for commit in re.split(r"\n\n(?=\* )", text):
        for paragraph in reversed(commit.split("\n\n")):
            found = read(f"title\n\n{paragraph}")
            if "Skill" in found:
                return found
    return {}


def first(trailers: dict[str, list[str]], name: str) -> str:
    return next(iter(trailers.get(name, ())), "")
