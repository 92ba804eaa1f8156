"""Whether two names mean the same person: authors can't approve their own work."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

_PERSON = re.compile(r"\s*([^<>]*?)\s*(?:<([^<>]*)>)?\s*")
_MAIL = re.compile(r"<([^<>]*)>|(?<![^\s<(])([^\s<>()]+@[^\s<>()]+)")
_COMMENT = re.compile(r"\([^()]*\)")  # `Ada (work)`
_WORD = re.compile(r"[^\W_]+")
_NO_REPLY = re.compile(r"\d+\+(?=.*@users\.noreply\.)")  # an account's number


def is_same(person: str, other: str) -> bool:
    """Whether two `Name <mail>` may be the same person; if in doubt, they are."""
    return not _keys(person).isdisjoint(_keys(other))


def is_any(who: str, others: Iterable[str]) -> bool:
    return any(is_same(who, other) for other in others)


def distinct(people: Iterable[str]) -> list[str]:
    """Each person once."""
    unique: list[str] = []
    for who in people:
        if not is_any(who, unique):
            unique.append(who)
    return unique


def parts(who: str) -> tuple[str, str]:
    """The name and the mail of `Name <mail>`; other text is a name."""
    match = _PERSON.fullmatch(" ".join(who.split()))
    return (match[1], match[2] or "") if match else (who, "")


@lru_cache(maxsize=1024)
def _keys(who: str) -> frozenset[str]:
    """The name and all mails of a person, normalized."""
    plain = _COMMENT.sub(" ", _plain(who).replace("%40", "@").replace('"', ""))
    mails = {_mail(match[1] or match[2] or "") for match in _MAIL.finditer(plain)}
    name = _MAIL.sub(" ", plain)
    words = _WORD.findall(name) or name.split()
    names = {" ".join(sorted(words)), "".join(words)}  # in any order, or spaced out
    return frozenset((mails | names) - {""})


def _plain(words: str) -> str:
    """Lower case, without accents, look-alikes and invisible characters."""
    plain = "".join(_letters(unicodedata.normalize("NFKD", words))).casefold()
    if plain.isascii():
        return plain
    from skillforge.checks.scan import normalize

    return normalize.plain(plain)


def _letters(words: str) -> Iterator[str]:
    for letter in words:
        category = unicodedata.category(letter)
        if category not in ("Mn", "Cf"):
            yield " " if category in ("Zs", "Cc") else letter


def _mail(mail: str) -> str:
    """A mail address without its tag, as in `ada+work@example.org`."""
    bare = mail.strip(".,:;\"'\\ ").removeprefix("mailto:")
    user, at, host = _NO_REPLY.sub("", bare).rpartition("@")
    if host in ("gmail.com", "googlemail.com"):
        user = user.replace(".", "")
    return f"{user.partition('+')[0] or user}{at}{host}"
