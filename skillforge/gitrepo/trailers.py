"""Trailers of commit messages, which plain git can read, too."""

import re
from collections.abc import Iterable

_TRAILER = re.compile(r"([A-Za-z][A-Za-z0-9-]*): (.*)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_DIVIDER = re.compile(r"^---", re.MULTILINE)  # git may end a message there
# A forge acts on these in any commit: it notifies people and closes issues.
_MENTION = re.compile(r"(?<![\w.`])@(?=\w)")
_CLOSES = re.compile(
    r"(\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+[\w./-]*(?:#|GH-|https?:))"
    r"(?=[\d/])",
    re.IGNORECASE,
)
_LONGEST = 10_000  # characters of a reason


def message(title: str, why: str, trailers: Iterable[tuple[str, str]]) -> str:
    """A commit message with exactly these trailers.

    Git reads trailers from the last paragraph, so ours are always the last one. The
    reason was written by an author, so it can't mention people or close issues.
    """
    reason = _CONTROL.sub("", _encodable(why).replace("\r\n", "\n"))
    reason = _DIVIDER.sub(" ---", reason[:_LONGEST].strip())
    reason = _CLOSES.sub(r"\1 ", _MENTION.sub("@ ", reason))
    parts = [one_line(title), reason, "\n".join(_lines(trailers))]
    return "\n\n".join(part for part in parts if part) + "\n"


def added(text: str, trailers: Iterable[tuple[str, str]]) -> str:
    """A message with trailers added, except those that it has already."""
    existing = read(text)
    known = [f"{name}: {value}" for name, vs in existing.items() for value in vs]
    new = [line for line in dict.fromkeys(_lines(trailers)) if line not in known]
    between = "\n" if existing else "\n\n"
    return between.join(filter(None, [text.rstrip("\n"), "\n".join(new)])) + "\n"


def _lines(trailers: Iterable[tuple[str, str]]) -> list[str]:
    clean = ((name, one_line(value)) for name, value in trailers)
    return [f"{name}: {value}" for name, value in clean if value]


def one_line(value: str) -> str:
    """A value on one line."""
    return " ".join(_CONTROL.sub(" ", _encodable(value)).split())[:1000]


def _encodable(text: str) -> str:
    """Text that UTF-8 can encode: a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def read(text: str) -> dict[str, list[str]]:
    """The trailers of a message, by name; the values in their order."""
    paragraphs = re.split(r"\n[ \t]*\n", text.strip("\n"))
    if len(paragraphs) < 2:
        return {}
    matches = [_TRAILER.fullmatch(line) for line in paragraphs[-1].split("\n")]
    trailers: dict[str, list[str]] = {}
    for match in matches:
        if match is None:
            return {}
        trailers.setdefault(match[1], []).append(match[2].strip())
    return trailers


def of_draft(text: str) -> dict[str, list[str]]:
    """The trailers of a proposal's commit, also if GitHub squashed it with others.

    A squash joins the messages of all commits, each with `* ` before its title, and may
    add trailers of its own. The first commit is the one that Skillforge wrote; neither
    its reason nor a later commit can replace its trailers.
    """
    for commit in re.split(r"\n\n(?=\* )", text):
        for paragraph in reversed(commit.split("\n\n")):
            trailers = read(f"title\n\n{paragraph}")
            if "Skill" in trailers:
                return trailers
    return {}


def first(trailers: dict[str, list[str]], name: str) -> str:
    return next(iter(trailers.get(name, ())), "")
