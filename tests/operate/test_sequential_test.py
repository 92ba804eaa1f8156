"""The bets of a canary are fair, so the test is valid at any time."""

from collections.abc import Callable
from itertools import product
from math import comb

import pytest

from skillforge.operate.sequential_test import Ballot, better, no_worse, worse

KEYS = 6
Wealth = Callable[[list[Ballot]], float]


def expected(wealth: Wealth, share: float, stable: float, canary: float) -> float:
    """The average wealth after some keys; the rates are failure rates by arm."""
    chances = (
        (1 - share) * (1 - stable),
        (1 - share) * stable,
        share * (1 - canary),
        share * canary,
    )
    total = 0.0
    for counts in product(range(KEYS + 1), repeat=4):
        if sum(counts) == KEYS:
            chance, left = 1.0, KEYS
            for count, rate in zip(counts, chances, strict=True):
                chance *= comb(left, count) * rate**count
                left -= count
            total += chance * wealth([Ballot(share, *counts)])
    return total


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("failure", [0.05, 0.4, 0.9])
@pytest.mark.parametrize("bet", [worse, better])
def test_without_a_difference_a_bet_gains_nothing(
    bet: Wealth, failure: float, share: float
) -> None:
    assert expected(bet, share, failure, failure) == pytest.approx(1.0)


@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize("times", [2.0, 3.0])
def test_who_bets_against_the_margin_gains_nothing_at_it_or_beyond(
    times: float, share: float
) -> None:
    average = expected(lambda ballots: no_worse(ballots, 2.0), share, 0.2, 0.2 * times)

    assert average == pytest.approx(1.0) if times == 2 else average < 1


def test_a_worse_canary_makes_one_side_rich_and_the_other_poor() -> None:
    ballots = [Ballot(0.1, 160, 20, 6, 14)]

    assert worse(ballots) > 20
    assert better(ballots) < 1
    assert no_worse(ballots, 2.0) < 1


def test_a_better_canary_makes_the_other_side_rich() -> None:
    ballots = [Ballot(0.5, 40, 60, 90, 10)]

    assert better(ballots) > 20
    assert worse(ballots) < 1
    assert no_worse(ballots, 2.0) > 20


def test_keys_of_another_share_are_counted_with_that_share() -> None:
    early, late = Ballot(0.1, 90, 10, 9, 1), Ballot(0.5, 45, 5, 45, 5)

    assert worse([early, late]) < 1 < worse([Ballot(0.1, 90, 10, 9, 40)])


def test_a_million_keys_are_a_number_that_can_be_written_down() -> None:
    assert worse([Ballot(0.5, 500_000, 0, 0, 500_000)]) < float("inf")
    assert worse([Ballot(0.5, 0, 500_000, 500_000, 0)]) > 0
