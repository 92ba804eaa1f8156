"""Every sign that the scan looks for, by name."""

from skillforge.checks.scan.signs import (
    adding,
    commanding,
    fetching,
    harming,
    luring,
    taking,
)
from skillforge.checks.scan.signs.sign import Sign

SIGNS: dict[str, list[Sign]] = {}
for _signs in (fetching, taking, harming, commanding, luring, adding):
    for _sign in _signs.SIGNS:
        SIGNS.setdefault(_sign.name, []).append(_sign)

__all__ = ["SIGNS", "Sign"]
