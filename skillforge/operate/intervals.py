"""How sure a rate is: intervals that small numbers cannot fool."""

from functools import cache
from math import sqrt
from statistics import NormalDist


def wilson(
    successes: int, trials: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Where the true rate lies; anywhere, if nothing was tried."""
    if not trials:
        return 0.0, 1.0
    z = _z(confidence)
    rate, spread = successes / trials, z * z / trials
    middle = (rate + spread / 2) / (1 + spread)
    reach = sqrt(spread * (rate * (1 - rate) + spread / 4)) / (1 + spread)
    return max(0.0, middle - reach), min(1.0, middle + reach)


@cache
def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)
