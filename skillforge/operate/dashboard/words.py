"""Numbers as people read them, and the plain words for what cannot be said yet."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, TypeGuard

from skillforge.report import plural

FEW = 5  # verified uses, below which a rate is a story and no number
NOTHING = "–"
_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"


def known(number: object) -> TypeGuard[float]:
    """Whether a number was given: not null, not infinite, not the result of 0/0."""
    return isinstance(number, int | float) and isfinite(number)


def count(number: object) -> str:
    return f"{number:,.0f}" if known(number) else NOTHING


def percent(rate: object) -> str:
    return f"{rate:.0%}".replace("%", f"{_SPACE}%") if known(rate) else NOTHING


def between(interval: Sequence[float] | None) -> str:
    """An interval of rates, as whole percents with a dash between."""
    if interval is None or not all(map(known, interval)):
        return NOTHING
    low, high = (f"{bound * 100:.0f}" for bound in interval)
    return f"{low}–{high}{_SPACE}%"


def seconds(number: object) -> str:
    if not known(number):
        return NOTHING
    if number >= 120:
        return f"{number / 60:,.0f}{_SPACE}min"
    return f"{number:.0f}{_SPACE}s" if number >= 10 else f"{number:.1f}{_SPACE}s"


def change(now: object, before: object) -> float | None:
    """How much more or less than before, as a share of it."""
    if not known(now) or not known(before) or before <= 0:
        return None
    return now / before - 1


def signed(share: float | None) -> str:
    """A change with its sign, as `+12 %`."""
    if share is None:
        return NOTHING
    return f"{share:+.0%}".replace("-", _MINUS).replace("%", f"{_SPACE}%")


def days(number: object) -> str:
    if not known(number):
        return NOTHING
    if number < 1:
        return "less than a day"
    return plural(int(number), "day").replace(" ", _SPACE)


def factor(number: object) -> str:
    """A number of any size, as `0.04`, `3.2`, `1,200` or `5e+12`."""
    if not known(number):
        return "∞" if number == float("inf") else NOTHING
    if number and not 0.001 <= abs(number) < 1e6:
        return f"{number:.0e}"
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.2g}"


def too_few(verified: int) -> str:
    """Why there is no rate, or nothing where there are enough uses to give one."""
    if verified >= FEW:
        return ""
    uses = plural(verified, "verified use") if verified else "no verified use yet"
    return f"{uses}: too few to say" if verified else uses


def verified_uses(skill: Mapping[str, Any]) -> int:
    return sum(version["verified"] for version in skill["versions"])
