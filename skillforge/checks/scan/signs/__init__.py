"""Every sign that the scan looks for, by name."""

from skillforge.checks.scan.signs import (
    damage,
    exfiltration,
    instructions,
    new_instructions,
    remote_code,
    social_engineering,
)
from skillforge.checks.scan.signs.sign import Pattern, Sign

SIGNS: dict[str, Sign] = {}
for _signs in (
    remote_code,
    exfiltration,
    damage,
    instructions,
    social_engineering,
    new_instructions,
):
    for _sign in _signs.SIGNS:
        _known = SIGNS.get(_sign.name, Sign(_sign.name, ()))
        SIGNS[_sign.name] = Sign(_sign.name, _known.patterns + _sign.patterns)

__all__ = ["SIGNS", "Pattern", "Sign"]
