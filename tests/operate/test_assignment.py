"""Assignment is random, always the same for a key, and ends with the rollout."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.model import Arm, Rollout, RolloutState
from skillforge.operate.assignment import arm_of, has_canary
from skillforge.operate.pseudonym import of_key

OLD, NEW = "1" * 40, "2" * 40
ROLLOUT = Rollout("csv-tables", "aa", OLD, NEW, 10.0, 0)
KEYS = [f"key-{number}" for number in range(20_000)]


@pytest.mark.parametrize("share", [1.0, 10.0, 50.0, 99.0])
def test_the_share_of_keys_is_as_configured(share: float) -> None:
    got = sum(has_canary(replace(ROLLOUT, share=share), key) for key in KEYS)

    chance = share / 100
    allowed = 4 * (len(KEYS) * chance * (1 - chance)) ** 0.5
    assert abs(got - len(KEYS) * chance) < allowed


def test_rollouts_know_nothing_of_each_other() -> None:
    first = replace(ROLLOUT, share=50.0)
    other = replace(first, id="bb")
    both = sum(has_canary(first, key) and has_canary(other, key) for key in KEYS)

    allowed = 4 * (len(KEYS) * 0.25 * 0.75) ** 0.5
    assert abs(both - len(KEYS) / 4) < allowed


@given(st.text(), st.floats(0.01, 99.0), st.floats(0.01, 99.0))
def test_a_key_that_has_the_canary_keeps_it_when_the_share_grows(
    key: str, share: float, other: float
) -> None:
    small, large = (replace(ROLLOUT, share=share) for share in sorted((share, other)))

    assert has_canary(large, key) or not has_canary(small, key)


@given(st.text())
def test_a_key_always_gets_the_same_arm(key: str) -> None:
    first = arm_of(ROLLOUT, NEW, "csv-tables", key)

    assert first == arm_of(ROLLOUT, NEW, "csv-tables", key)
    assert first.version == (NEW if first.arm is Arm.CANARY else OLD)
    assert (first.rollout, first.share) == ("aa", 10.0)


@pytest.mark.parametrize(
    ("state", "version"),
    [
        pytest.param(RolloutState.PAUSED, OLD, id="paused"),
        pytest.param(RolloutState.CLOSED, OLD, id="closed"),
        pytest.param(RolloutState.FINISHED, NEW, id="finished"),
    ],
)
def test_a_rollout_that_does_not_run_has_one_version(
    state: RolloutState, version: str
) -> None:
    rollout = replace(ROLLOUT, state=state, share=50.0)
    got = {arm_of(rollout, NEW, "csv-tables", key) for key in KEYS[:100]}

    assert {(a.version, a.arm, a.rollout) for a in got} == {(version, "stable", "")}


def test_where_main_has_moved_on_everybody_gets_main() -> None:
    other = "3" * 40

    assert {arm_of(ROLLOUT, other, "x", key).version for key in KEYS[:50]} == {other}


def test_the_stable_arm_of_a_new_skill_is_empty() -> None:
    rollout = replace(ROLLOUT, stable="", share=50.0)
    got = {arm_of(rollout, NEW, "x", key).version for key in KEYS[:50]}

    assert got == {"", NEW}


def test_a_pseudonym_reveals_neither_the_key_nor_its_other_skills() -> None:
    key = "ada@example.org"

    assert of_key("one", key) != of_key("two", key)
    assert "ada" not in of_key("one", key)
