import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.operate.intervals import wilson


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Newcombe (1998), table I, method 3
        pytest.param(81, 263, 0.2553, 0.3662, id="a third of many"),
        pytest.param(15, 148, 0.0624, 0.1605, id="a tenth of many"),
        pytest.param(0, 20, 0.0, 0.1611, id="none"),
        pytest.param(1, 29, 0.0061, 0.1718, id="one"),
    ],
)
def test_the_interval_is_the_textbooks(
    successes: int, trials: int, low: float, high: float
) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_without_trials_any_rate_is_possible() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_more_confidence_takes_a_wider_interval() -> None:
    narrow, wide = wilson(7, 10, 0.8), wilson(7, 10, 0.99)

    assert wide[0] < narrow[0] < 0.7 < narrow[1] < wide[1]


@given(st.integers(1, 10**9), st.data())
def test_the_interval_holds_the_rate_and_stays_inside(
    trials: int, data: st.DataObject
) -> None:
    successes = data.draw(st.integers(0, trials))

    low, high = wilson(successes, trials)

    assert 0.0 <= low <= successes / trials <= high <= 1.0
    mirrored = wilson(trials - successes, trials)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)
