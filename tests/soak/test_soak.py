"""A few seconds of the soak, so that it cannot rot; `make soak` is half an hour."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.forks import FORKED_BESIDE_THREADS, TELL_OF_FORKS
from tests.soak.model import Batch, Disagreement, Expected, Model, Register, recorded
from tests.soak.processes import Command, Ended

ROOT = Path(__file__).parents[2]


def test_a_few_seconds_of_everything_at_once() -> None:
    line = ["-m", "tests.soak", "--minutes", "0.05", "--seed", "7", "--actors", "2"]

    done = subprocess.run(
        [sys.executable, *TELL_OF_FORKS, *line],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "1 check\n" in done.stdout
    assert FORKED_BESIDE_THREADS not in done.stderr


def ended(kind: str, code: int | None, out: str = "", **about: object) -> Ended:
    now = time.monotonic()
    return Ended(Command(kind, "library", about=about), code, out, "", now, now)


def test_two_ends_of_one_proposal_are_a_disagreement() -> None:
    model = Model({1: Expected(1, "amber")})
    model.hear(ended("close", 0, number=1))
    merged = '{"data": {"merge": "c", "skill": "amber", "version": "t"}}'

    with pytest.raises(Disagreement, match="told to be closed"):
        model.hear(ended("promote", 0, merged, number=1))


def test_what_was_killed_may_have_happened_or_not() -> None:
    model = Model({1: Expected(1, "amber")})

    model.hear(ended("promote", None, number=1))
    model.hear(ended("close", None, number=1))

    assert model.proposals[1].state == "open"
    assert model.proposals[1].maybe == {"merged", "closed"}


def test_uses_that_were_half_recorded_are_a_disagreement() -> None:
    uses = [{"id": number, "skill": "amber"} for number in "ab"]
    data = {"recorded": 1, "again": 1, "uses": uses, "problems": []}

    with pytest.raises(Disagreement, match="of 2 uses, 1"):
        recorded(Model(), Batch("library", "", 2), data)


def test_uses_of_a_skill_that_is_gone_are_named_and_stop_no_other() -> None:
    model, uses = Model(), [{"id": "a", "skill": "amber"}]
    problems = [{"line": 2, "why": "trunk has no skill 'amber'"}]
    data = {"recorded": 1, "again": 0, "uses": uses, "problems": problems}

    recorded(model, Batch("library", "", 2), data)

    assert model.uses == {"library": {"a": "amber"}}


def test_a_value_is_one_of_those_written_last() -> None:
    register = Register()
    register.write(0, 1, "running", is_sure=True)
    register.write(2, 3, "paused", is_sure=True)
    register.write(2.5, 4, "finished", is_sure=True)
    assert register.possible == {"paused", "finished"}

    register.write(5, float("inf"), "closed", is_sure=False)
    assert register.possible == {"paused", "finished", "closed"}

    register.settle("finished", 6)
    assert register.possible == {"finished"}
