"""How sure a rate is: intervals that do not promise more than the trials allow."""

from functools import cache


def wilson(
    successes: int, trials: int, confidence: float = 0.95
) -> tuple[float, float]:
    """The Wilson score interval of a rate; from 0 to 1 where nothing was tried.

    It stays inside 0 to 1, holds the rate itself, and is honest for few trials and
    for rates near the ends, where the usual interval is not.
    """
    if trials <= 0:
        return 0.0, 1.0
    z = _quantile(confidence)
    rate, share = successes / trials, z * z / trials
    middle = (rate + share / 2) / (1 + share)
    half = z * (rate * (1 - rate) / trials + share / trials / 4) ** 0.5 / (1 + share)
    # At the ends the formula gives exactly 0 and 1, but for rounding.
    low = middle - half if successes else 0.0
    high = middle + half if successes < trials else 1.0
    return low, high


@cache
def _quantile(confidence: float) -> float:
    """How many standard deviations hold this share of a normal distribution."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + confidence) / 2)
