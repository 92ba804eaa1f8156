"""The skill that a user means by a word."""

from collections.abc import Iterable

from skillforge.errors import RequestError
from skillforge.model.layout import folder_names


def alike(name: str, known: Iterable[str]) -> str:
    """The skill of this name, or the only one with this folder; empty if there is none.

    The folder may be one where all skills are side by side, in which agents see them. A
    folder that several skills have is an error.
    """
    names = list(known)
    found = [n for n in names if n == name]
    found = found or [n for n in names if n.rpartition("/")[2] == name]
    found = found or [n for n, beside in folder_names(names).items() if beside == name]
    if len(found) > 1:
        raise RequestError(
            f"{name!r} is the folder of {len(found)} skills",
            hint=f"use the full name: {', '.join(found)}",
        )
    return found[0] if found else ""


def no_such_skill(
    name: str, known: Iterable[str], where: str, hint: str = ""
) -> RequestError:
    """The error for an unknown skill; it suggests the most similar of `known`."""
    from skillforge.text import nearest

    if similar := nearest(name, list(known)):
        hint = f"did you mean {similar}?"
    return RequestError(
        f"{where} has no skill {name!r}", hint=hint or "skillforge list shows all"
    )
