"""Who is who: an author never approves their own work."""

import re
from collections.abc import Iterable

_PERSON = re.compile(r"\s*([^<>]*?)\s*(?:<([^<>]*)>)?\s*")


def is_same(one: str, other: str) -> bool:
    """Whether two of `Name <mail>` may be one person: closed on doubt."""
    name, mail = map(_plain, parts(one))
    other_name, other_mail = map(_plain, parts(other))
    return bool(
        (name and name == other_name)
        or (mail and mail == other_mail)
        or (name and name == other_mail)
        or (mail and mail == other_name)
    )


def is_any(who: str, others: Iterable[str]) -> bool:
    return any(is_same(who, other) for other in others)


def distinct(people: Iterable[str]) -> list[str]:
    """Each person once."""
    found: list[str] = []
    for who in people:
        if not is_any(who, found):
            found.append(who)
    return found


def parts(who: str) -> tuple[str, str]:
    """The name and the mail of `Name <mail>`; what is not written so is a name."""
    match = _PERSON.fullmatch(" ".join(who.split()))
    return (match[1], match[2] or "") if match else (who, "")


def _plain(words: str) -> str:
    """Without what git itself strips from names, and in one case."""
    return " ".join(words.casefold().split()).strip(".,:;<>\"'\\ ")
