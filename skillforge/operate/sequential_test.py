"""A test of two versions that may be looked at after every use.

Keys are assigned by chance: a share s of them gets the canary. If the versions do not
differ, each key that is heard of, whatever became of it, is the canary's with
probability s. So we bet on the arm of each outcome, at odds that would be fair then:
who bets that failures are the canary's more often, and successes less often, gains only
if that is true. Fair bets multiply a stake by 20 with probability 1/20 at most, at any
time (Ville's inequality); a wealth of 1/alpha is therefore evidence at level alpha,
however often it was looked at.

A key counts once, with its first outcome: its later ones are the same arm's by
construction, and would prove nothing.
"""

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import NamedTuple

# Failure rates (old, new) that are bet on, each with the same part of the stake: small
# and large drops, from versions that fail seldom and often.
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
    """Keys that were heard of while the canary had one share (0 to 1) of them."""

    share: float
    stable_successes: int = 0
    stable_failures: int = 0
    canary_successes: int = 0
    canary_failures: int = 0


class Bet(NamedTuple):
    """How much likelier than fair a failure, and a success, is on the canary's arm."""

    failure: float
    success: float


_WORSE = tuple(Bet(new / old, (1 - new) / (1 - old)) for old, new in _DROPS)
_BETTER = tuple(Bet(old / new, (1 - old) / (1 - new)) for old, new in _DROPS)


def worse(ballots: Iterable[Ballot]) -> float:
    """The wealth of who bets that the canary fails more often; starts at 1."""
    return _wealth(list(ballots), _WORSE)


def better(ballots: Iterable[Ballot]) -> float:
    """The wealth of who bets that the canary fails less often."""
    return _wealth(list(ballots), _BETTER)


def no_worse(ballots: Iterable[Ballot], margin: float) -> float:
    """The wealth of who bets against a canary that fails `margin` times as often.

    Only failures count here: what they would be like at the margin is known without
    knowing how often either version fails. Worse ones lose the bet even faster.
    """
    logarithm = 0.0
    for ballot in ballots:
        at_margin = _odds(ballot.share, margin)
        logarithm += ballot.canary_failures * log(ballot.share / at_margin)
        logarithm += ballot.stable_failures * log((1 - ballot.share) / (1 - at_margin))
    return _bounded(logarithm)


def _wealth(ballots: Sequence[Ballot], bets: Sequence[Bet]) -> float:
    """The stake after all ballots, spread over the bets at the start."""
    logarithms = [sum(_gain(ballot, bet) for ballot in ballots) for bet in bets]
    top = max(logarithms)
    spread = sum(exp(each - top) for each in logarithms) / len(bets)
    return _bounded(top + log(spread))


def _gain(ballot: Ballot, bet: Bet) -> float:
    """The logarithm of what one bet makes of its stake."""
    share = ballot.share
    if_failed, if_not = _odds(share, bet.failure), _odds(share, bet.success)
    return (
        ballot.canary_failures * log(if_failed / share)
        + ballot.stable_failures * log((1 - if_failed) / (1 - share))
        + ballot.canary_successes * log(if_not / share)
        + ballot.stable_successes * log((1 - if_not) / (1 - share))
    )


def _odds(share: float, times: float) -> float:
    """The canary's part if it is so many times as likely there."""
    return share * times / (1 - share + share * times)


def _bounded(logarithm: float) -> float:
    """A number that can be written down: more than this says nothing more."""
    return exp(max(-60.0, min(60.0, logarithm)))
