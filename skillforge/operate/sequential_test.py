"""A sequential test of two versions: valid at any time, after every use.

Keys are assigned at random: a share s of them gets the canary. If the versions don't
differ, a key that reports any outcome has the canary with probability s. We bet on the
arm of each outcome at the odds that are fair in that case. A bet that failures are on
the canary's arm more often, and successes less often, gains only if that is true. Fair
bets multiply a stake by 20 with probability 1/20 at most, at any time (Ville's
inequality). So a wealth of 1/alpha is evidence at level alpha, however often it is
computed.

A key counts once, with its first outcome: later ones are on the same arm by
construction, and prove nothing.
"""

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import NamedTuple

# Pairs of failure rates (old, new) with an equal part of the stake on each: small and
# large drops, from versions that fail seldom and often.
_DROPS = (
    (0.05, 0.15),
    (0.1, 0.2),
    (0.1, 0.3),
    (0.2, 0.4),
    (0.2, 0.6),
    (0.3, 0.4),
    (0.4, 0.6),
    (0.5, 0.9),
)


class Ballot(NamedTuple):
    """Keys with an outcome that were assigned at one share (0 to 1) of the canary."""

    share: float
    stable_successes: int = 0
    stable_failures: int = 0
    canary_successes: int = 0
    canary_failures: int = 0


class Bet(NamedTuple):
    """How many times as likely a failure, and a success, is on the canary's arm."""

    failure: float
    success: float


_WORSE = tuple(Bet(new / old, (1 - new) / (1 - old)) for old, new in _DROPS)
_BETTER = tuple(Bet(old / new, (1 - old) / (1 - new)) for old, new in _DROPS)


def worse(ballots: Iterable[Ballot]) -> float:
    """The wealth of a bet that the canary fails more often; starts at 1."""
    return _wealth(list(ballots), _WORSE)


def better(ballots: Iterable[Ballot]) -> float:
    """The wealth of a bet that the canary fails less often."""
    return _wealth(list(ballots), _BETTER)


def no_worse(ballots: Iterable[Ballot], margin: float) -> float:
    """The wealth of a bet against a canary that fails `margin` times as often.

    Only failures count: their odds at the margin don't depend on how often either
    version fails. Against a worse canary, the bet loses faster.
    """
    logarithm = 0.0
    for ballot in ballots:
        at_margin = _odds(ballot.share, margin)
        logarithm += ballot.canary_failures * log(ballot.share / at_margin)
        logarithm += ballot.stable_failures * log((1 - ballot.share) / (1 - at_margin))
    return _bounded(logarithm)


def _wealth(ballots: Sequence[Ballot], bets: Sequence[Bet]) -> float:
    """The stake after all ballots; at first, it is split equally over the bets."""
    logarithms = [sum(_gain(ballot, bet) for ballot in ballots) for bet in bets]
    top = max(logarithms)
    spread = sum(exp(logarithm - top) for logarithm in logarithms) / len(bets)
    return _bounded(top + log(spread))


def _gain(ballot: Ballot, bet: Bet) -> float:
    """The logarithm of the factor by which one bet multiplies its stake."""
    share = ballot.share
    if_failed, if_not = _odds(share, bet.failure), _odds(share, bet.success)
    return (
        ballot.canary_failures * log(if_failed / share)
        + ballot.stable_failures * log((1 - if_failed) / (1 - share))
        + ballot.canary_successes * log(if_not / share)
        + ballot.stable_successes * log((1 - if_not) / (1 - share))
    )


def _odds(share: float, times: float) -> float:
    """The probability of the canary's arm if it is `times` as likely as fair."""
    return share * times / (1 - share + share * times)


def _bounded(logarithm: float) -> float:
    """A finite number: beyond these bounds, the evidence is overwhelming anyway."""
    return exp(max(-60.0, min(60.0, logarithm)))
