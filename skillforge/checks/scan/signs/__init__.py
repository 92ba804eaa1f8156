"""Every sign that the scan looks for, by name."""

from skillforge.checks.scan.signs import (
    adding,
    commanding,
    fetching,
    harming,
    luring,
    taking,
)
from skillforge.checks.scan.signs.sign import Pattern, Sign

SIGNS: dict[str, Sign] = {}
for _signs in (fetching, taking, harming, commanding, luring, adding):
    for _sign in _signs.SIGNS:
        _known = SIGNS.get(_sign.name, Sign(_sign.name, ()))
        SIGNS[_sign.name] = Sign(_sign.name, _known.patterns + _sign.patterns)

__all__ = ["SIGNS", "Pattern", "Sign"]
