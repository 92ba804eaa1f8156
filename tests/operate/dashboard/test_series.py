from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.operate.dashboard import series
from skillforge.operate.dashboard.scales import Timeline, round_ticks

MONDAY = date(2025, 3, 3)
DAYS = st.dates(date(1970, 1, 1), date(2199, 1, 1))
ROWS = st.lists(st.tuples(DAYS, st.integers(0, 50), st.integers(0, 50)), max_size=80)


def every_day(number: int, uses: int) -> list[tuple[date, int, int]]:
    return [(MONDAY + timedelta(at), uses, 0) for at in range(number)]


@pytest.mark.parametrize(
    ("rows", "unit"),
    [
        pytest.param(every_day(14, 9), "day", id="enough each day"),
        pytest.param(every_day(14, 1), "week", id="few each day"),
        pytest.param(every_day(100, 9), "week", id="more days than fit"),
        pytest.param(every_day(700, 9), "month", id="more weeks than fit"),
        pytest.param(every_day(3, 1), "week", id="few in all"),
        pytest.param([], "week", id="nothing"),
    ],
)
def test_bins_are_as_fine_as_they_still_say_something(
    rows: list[tuple[date, int, int]], unit: str
) -> None:
    assert series.unit_for(rows).name == unit


def test_a_week_starts_on_monday_and_ends_before_the_next() -> None:
    sunday, next_monday = MONDAY + timedelta(6), MONDAY + timedelta(7)
    rows = [(MONDAY, 1, 0), (sunday, 2, 1), (next_monday, 5, 0)]

    first, second = series.bins(rows, series.WEEK)

    assert first == (MONDAY, next_monday, 3, 1)
    assert (second.start, second.total) == (next_monday, 5)


@given(ROWS)
def test_no_use_is_lost_or_counted_twice(rows: list[tuple[date, int, int]]) -> None:
    read = series.readable([str(day), good, bad] for day, good, bad in rows)

    gathered = series.bins(read, series.unit_for(read))
    summed = series.running(read, series.unit_for(read))

    total = sum(good + bad for _, good, bad in rows)
    assert sum(bucket.total for bucket in gathered) == total
    assert (summed[-1].total if summed else 0) == total
    assert all(first.end <= second.start for first, second in pairwise(gathered))


@pytest.mark.parametrize("text", ["", None, "soon", "2025-13-01", "0001-01-01", 7])
def test_an_invalid_day_is_not_read(text: object) -> None:
    assert series.read_day(text) is None


@given(DAYS, st.integers(1, 60_000))
def test_a_timeline_has_few_ticks_and_all_inside(first: date, length: int) -> None:
    line = Timeline(first, min(first + timedelta(length), date(2200, 1, 1)))

    ticks = line.ticks()

    assert len(ticks) <= 6
    assert all(line.start <= line(day) <= line.end for day, _ in ticks)
    assert ticks or length < 400


@given(st.integers(0, 10**9))
def test_ticks_of_a_count_are_few_and_reach_up(most: int) -> None:
    ticks = round_ticks(most)

    assert 2 <= len(ticks) <= 6
    assert max(most, 1) / 2 <= ticks[-1] <= max(most, 1)
