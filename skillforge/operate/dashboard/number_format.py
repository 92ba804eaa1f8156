"""Numbers as text, with a dash where there is no number."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, TypeGuard

from skillforge.report import plural

MIN_USES = 5  # verified uses, below which a rate is not shown
NO_VALUE = "–"
_MINUS = "\N{MINUS SIGN}"


def is_number(number: object) -> TypeGuard[float]:
    """Whether a finite number is given: not None, infinite or the result of 0/0."""
    return isinstance(number, int | float) and isfinite(number)


def count(number: object) -> str:
    return f"{number:,.0f}" if is_number(number) else NO_VALUE


def percent(rate: object) -> str:
    return f"{rate:.0%}" if is_number(rate) else NO_VALUE


def interval_text(interval: Sequence[float] | None) -> str:
    """An interval of rates in whole percent, with a dash between its ends."""
    if interval is None or not all(map(is_number, interval)):
        return NO_VALUE
    low, high = (f"{bound * 100:.0f}" for bound in interval)
    return f"{low}–{high}%"


def seconds(number: object) -> str:
    if not is_number(number):
        return NO_VALUE
    if number >= 120:
        return f"{number / 60:,.0f} min"
    return f"{number:.0f} s" if number >= 10 else f"{number:.1f} s"


def relative_change(now: object, before: object) -> float | None:
    """The change as a share of `before`; None if either is unknown."""
    if not is_number(now) or not is_number(before) or before <= 0:
        return None
    return now / before - 1


def signed_percent(share: float | None) -> str:
    """A change with its sign, as `+12%`."""
    return NO_VALUE if share is None else f"{share:+.0%}".replace("-", _MINUS)


def days(number: object) -> str:
    if not is_number(number):
        return NO_VALUE
    return "less than a day" if number < 1 else plural(int(number), "day")


def factor(number: object) -> str:
    """A number of any size, as `0.04`, `3.2`, `1,200` or `5e+12`."""
    if not is_number(number):
        return "∞" if number == float("inf") else NO_VALUE
    if number and not 0.001 <= abs(number) < 1e6:
        return f"{number:.0e}"
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.2g}"


def too_few(verified: int) -> str:
    """Why no rate is shown; empty if there are enough verified uses."""
    if verified >= MIN_USES:
        return ""
    if not verified:
        return "no verified uses yet"
    return f"{plural(verified, 'verified use')}: not enough data"


def verified_uses(skill: Mapping[str, Any]) -> int:
    return sum(version["verified"] for version in skill["versions"])
