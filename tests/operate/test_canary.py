"""A new version beside the old one: assignment, verdicts, and their consequences."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillforge.model import Arm, Rollout, RolloutVerdict
from skillforge.model.time_units import DAY
from skillforge.operate.canary import judge
from skillforge.policy import CanaryPolicy
from skillforge.propose.workspace import Workspace
from skillforge.store import Votes
from skillforge.workflows.canary import CanaryCheck, check
from tests.operate.conftest import NAME, POLICY, Field

ROLLOUT = Rollout(NAME, "aa", "1" * 40, "2" * 40, 10.0, 0)


def votes(share: float, *counts: int) -> list[Votes]:
    """Successes and failures of the stable arm, then of the canary."""
    arms = [(arm, outcome) for arm in Arm for outcome in ("success", "failure")]
    both = zip(arms, counts, strict=True)
    return [Votes(share, *key, count) for key, count in both if count]


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        pytest.param((0, 0, 0, 0), RolloutVerdict.CONTINUE, id="nothing"),
        pytest.param((90, 10, 0, 9), RolloutVerdict.CONTINUE, id="bad-but-too-few"),
        pytest.param((90, 10, 1, 9), RolloutVerdict.ROLL_BACK, id="worse"),
        pytest.param((500, 500, 98, 2), RolloutVerdict.PROMOTE, id="better"),
        pytest.param((5400, 600, 600, 66), RolloutVerdict.PROMOTE, id="no-worse"),
        pytest.param((180, 20, 18, 2), RolloutVerdict.CONTINUE, id="alike"),
    ],
)
def test_a_verdict_needs_evidence(
    counts: tuple[int, ...], verdict: RolloutVerdict
) -> None:
    assert judge(ROLLOUT, votes(10.0, *counts), CanaryPolicy(), DAY).verdict is verdict


def test_a_new_skill_is_good_only_if_it_is_better_than_none() -> None:
    new = Rollout(NAME, "aa", "", "2" * 40, 10.0, 0)
    cast = votes(10.0, 5400, 600, 600, 66)

    assert judge(new, cast, CanaryPolicy(), DAY).verdict is RolloutVerdict.CONTINUE


def test_a_rollout_that_is_too_old_is_for_a_person_unless_it_is_bad() -> None:
    late = 31 * DAY

    good = judge(ROLLOUT, votes(10.0, 500, 500, 98, 2), CanaryPolicy(), late)
    bad = judge(ROLLOUT, votes(10.0, 90, 10, 1, 9), CanaryPolicy(), late)

    assert good.verdict is RolloutVerdict.INCONCLUSIVE
    assert "needs a human decision" in good.why
    assert bad.verdict is RolloutVerdict.ROLL_BACK


def test_promoting_an_edit_starts_a_rollout(field: Field) -> None:
    before = field.tree(NAME)

    done = field.land(NAME, "headers", "first")

    status = field.status()
    assert done["rollout"] == status["rollout"]
    assert status["state"] == "running"
    assert status["shares"] == {"canary": 10, "stable": 90}
    assert (status["stable"], status["canary"]) == (before, field.tree(NAME))
    assert status["verdict"] == "continue"


def test_promoting_twice_starts_one_rollout(field: Field) -> None:
    first = field.land(NAME, "headers", "first")

    again = field.promote(first["proposal"])

    assert again["rollout"] == first["rollout"]
    log = field.folder.git("log", "--format=%s", f"refs/skillforge/rollouts/{NAME}")
    assert log.split("\n")[:-1] == [f"started {NAME}"]


@pytest.mark.parametrize(
    ("start", "expected"),
    [("edits", False), ("all", True), ("none", False)],
)
def test_the_policy_decides_what_starts_a_rollout(
    field: Field, start: str, expected: bool
) -> None:
    field.policy(f"{POLICY}canary: {{start: {start}}}\n")

    done = field.land("xml-tables", "angle", "brackets")

    assert bool(done["rollout"]) is expected


@pytest.mark.slow
def test_an_edit_on_top_of_an_edit_does_not_make_the_first_one_proven(
    rolling: Field,
) -> None:
    proven = rolling.status()["stable"]

    rolling.land(NAME, "headers", "second")

    status = rolling.status()
    assert status["stable"] == proven
    assert status["canary"] == rolling.tree(NAME)


def test_a_worse_version_is_closed_at_once_and_rolled_back(rolling: Field) -> None:
    stable = rolling.status()["stable"]
    good, bad = rolling.keys(Arm.STABLE, 30), rolling.keys(Arm.CANARY, 30)
    rolling.report(good, "success")
    rolling.report(bad[:9], "failure")
    assert rolling.status()["verdict"] == "continue"

    answer = rolling.report(bad[9:], "failure")

    [judged] = answer["rollouts"]
    assert (judged["verdict"], judged["state"]) == ("roll-back", "closed")
    versions = {rolling.ok("record", NAME, "--key", key, "--outcome", "unknown")
             ["uses"][0]["version"] for key in bad}  # fmt: skip
    assert versions == {stable}
    number = judged["rollback"]
    page = rolling.ok("review", number)
    assert page["action"] == "rollback"
    assert (
        "30 of 30 keys failed with it, 0 of 30 with the stable version" in page["why"]
    )
    rolling.approve(number)
    rolling.promote(number)
    assert rolling.tree(NAME) == stable
    assert rolling.audit_kinds() == []
    rolling.fsck()


def test_with_auto_a_worse_version_is_rolled_back_automatically(
    field: Field,
) -> None:
    field.policy(f"{POLICY}canary: {{share: 50, auto: true}}\n")
    stable = field.tree(NAME)
    field.land(NAME, "headers", "first")
    field.report(field.keys(Arm.STABLE, 30), "success")

    field.report(field.keys(Arm.CANARY, 30), "failure")

    assert field.tree(NAME) == stable
    assert field.audit_kinds() == []


def test_every_key_gets_a_good_version(rolling: Field) -> None:
    rolling.report(rolling.keys(Arm.STABLE, 40), "failure")

    answer = rolling.report(rolling.keys(Arm.CANARY, 40), "success")

    assert answer["rollouts"][0]["verdict"] == "promote"
    assert rolling.status()["state"] == "finished"


@pytest.mark.parametrize("source", ["llm", "none"])
def test_unverified_outcomes_decide_nothing(rolling: Field, source: str) -> None:
    rolling.report(rolling.keys(Arm.STABLE, 30), "success", verified_by=source)
    rolling.report(rolling.keys(Arm.CANARY, 30), "failure", verified_by=source)

    status = rolling.status()
    assert (status["state"], status["evidence"]["canary"]["keys"]) == ("running", 0)


def test_a_key_counts_once_however_often_it_fails(rolling: Field) -> None:
    rolling.report(rolling.keys(Arm.STABLE, 30), "success")

    rolling.report(rolling.keys(Arm.CANARY, 1) * 50, "failure")

    assert rolling.status()["evidence"]["canary"]["failures"] == 1


def test_unused_offers_do_not_count_as_votes_on_an_edit(
    rolling: Field,
) -> None:
    rolling.report(rolling.keys(Arm.CANARY, 5), "failure", loaded=False)

    assert rolling.status()["evidence"]["canary"]["keys"] == 0


def test_beside_no_skill_every_key_counts_whether_it_loaded_or_not(
    field: Field,
) -> None:
    field.policy(f"{POLICY}canary: {{start: all, share: 50}}\n")
    field.land("xml-tables", "angle", "brackets")
    keys = {arm: field.keys(arm, 3, "xml-tables") for arm in Arm}
    for arm in Arm:
        field.report(keys[arm], "success", skill="xml-tables", loaded=False)

    evidence = field.status("xml-tables")["evidence"]
    assert (evidence["stable"]["keys"], evidence["canary"]["keys"]) == (3, 3)


@pytest.mark.parametrize(
    ("command", "state"),
    [("pause", "paused"), ("finish", "finished"), ("abort", "closed")],
)
def test_a_person_decides(rolling: Field, command: str, state: str) -> None:
    done = rolling.ok("canary", command, NAME, "--why", "Ada said so")

    assert done["state"] == state
    assert done["decided"] == "Ada said so"


def test_a_finished_rollout_reports_one_version_for_every_key(rolling: Field) -> None:
    answer = rolling("canary", "finish", NAME).out

    assert "finished: every key gets" in answer
    assert "the others" not in answer
    assert "continue" not in answer


def test_abort_proposes_a_rollback(rolling: Field) -> None:
    number = rolling.ok("canary", "abort", NAME, "--why", "Users complain")["rollback"]

    assert "Users complain" in rolling.ok("review", number)["why"]


def test_a_rollout_continues_with_another_share(rolling: Field) -> None:
    rolling.ok("canary", "pause", NAME)

    done = rolling.ok("canary", "set", NAME, "--share", "25")

    assert (done["state"], done["shares"]["canary"]) == ("running", 25)


def test_a_rollout_can_be_started_by_hand(field: Field) -> None:
    field.policy(f"{POLICY}canary: {{start: none}}\n")
    before = field.tree(NAME)
    field.land(NAME, "headers", "first")
    assert field.status()["state"] is None

    done = field.ok("canary", "set", NAME, "--share", "20")

    assert (done["stable"], done["state"]) == (before, "running")


def test_a_plain_revert_ends_a_rollout_for_every_key(rolling: Field) -> None:
    rolling.folder.git("reset", "--hard", "--quiet")
    rolling.folder.git("revert", "--no-edit", "-m", "1", "HEAD")

    assert rolling.status()["state"] is None
    with pytest.raises(AssertionError, match="has no rollout"):
        rolling.ok("canary", "pause", NAME)


def test_deciding_on_a_version_that_was_removed_meanwhile_is_a_conflict(
    rolling: Field, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(workspace: Workspace, name: str) -> CanaryCheck | None:
        """Main moves after the decision was written down, before it is judged."""
        rolling.folder.git("reset", "--hard", "--quiet")
        rolling.folder.git("revert", "--no-edit", "-m", "1", "HEAD")
        return check(workspace, name)

    monkeypatch.setattr("skillforge.workflows.canary.check", late)
    where = ("--library", str(rolling.folder.root))

    ran = rolling.run("canary", "pause", NAME, *where)

    assert ran.code == 4
    assert "has just changed" in ran.err


@pytest.mark.slow
def test_an_open_proposal_does_not_keep_a_bad_version_on_main(
    rolling: Field,
) -> None:
    rival = rolling.propose(NAME, "headers", "third")
    rolling.report(rolling.keys(Arm.STABLE, 30), "success")

    answer = rolling.report(rolling.keys(Arm.CANARY, 30), "failure")

    assert answer["rollouts"][0]["rollback"] not in (None, rival)


def test_a_verdict_whose_proposal_got_lost_is_proposed_at_the_next_look(
    rolling: Field, monkeypatch: pytest.MonkeyPatch
) -> None:
    rolling.report(rolling.keys(Arm.STABLE, 30), "success")
    with monkeypatch.context() as patch:
        patch.setattr("skillforge.workflows.canary._roll_back", _dies)
        with pytest.raises(AssertionError, match="killed"):
            rolling.report(rolling.keys(Arm.CANARY, 30), "failure")

    status = rolling.status()

    assert (status["state"], status["rollback"] is not None) == ("closed", True)


def _dies(*_: object) -> None:
    raise RuntimeError("killed")


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda record: "no json", id="no-json"),
        pytest.param(lambda record: json.dumps(record | {"share": 0}), id="share"),
        pytest.param(
            lambda record: json.dumps(record | {"skill": "other"}), id="skill"
        ),
        pytest.param(
            lambda record: json.dumps(record | {"canary": "-x"}), id="version"
        ),
        pytest.param(lambda record: json.dumps(record | {"state": "wild"}), id="state"),
        pytest.param(lambda record: json.dumps(record | {"more": 1}), id="unknown-key"),
        pytest.param(
            lambda record: json.dumps(record | {"started": 10**30}), id="late"
        ),
        pytest.param(lambda record: json.dumps(record | {"started": -1}), id="early"),
        pytest.param(lambda record: json.dumps(record | {"id": "\ud800"}), id="id"),
        pytest.param(lambda record: json.dumps(record | {"why": 5}), id="why"),
        pytest.param(
            lambda record: json.dumps(record | {"rollback": []}), id="rollback"
        ),
    ],
)
def test_an_unreadable_record_is_reported_with_a_fix(
    rolling: Field, damage: Callable[[dict[str, Any]], str]
) -> None:
    rolling.forge(damage(rolling.rollout()))

    ran = rolling.run("canary", "status", NAME, "--library", str(rolling.folder.root))

    assert ran.code == 2
    assert re.search(r"rollout of csv-tables cannot be read.*\n.*git log -p", ran.err)


def test_no_key_gets_a_version_that_main_never_had(
    rolling: Field, tmp_path: Path
) -> None:
    rolling.forge(
        json.dumps(rolling.rollout() | {"stable": rolling.evil(), "state": "closed"})
    )

    ran = rolling("use", NAME, "--key", "k")
    assert (ran.code, ran.out) == (2, "")
    assert "names a version that main never had" in ran.err
    synced = rolling("sync", "--to", tmp_path / "agent", "--key", "k", "--json")
    assert (synced.code, synced.data["added"]) == (1, ["pdf-tables"])
    assert synced.data["refused"][0]["skill"] == NAME
    assert not (tmp_path / "agent" / NAME).exists()

    [shown] = re.findall(r"git update-ref -d \S+", ran.err)
    rolling.folder.git(*shown.split()[1:])
    assert rolling.ok("use", NAME, "--key", "k")["version"] == rolling.tree(NAME)


def test_a_version_of_long_ago_is_found_on_main(rolling: Field) -> None:
    first = rolling.rollout()["stable"]
    for turn in range(3):
        rolling.folder.commit(f"Turn {turn}")

    rolling.forge(json.dumps(rolling.rollout() | {"state": "closed"}))

    assert rolling.ok("use", NAME, "--key", "k")["version"] == first


def test_one_damaged_record_stops_only_its_own_skill(
    rolling: Field, tmp_path: Path
) -> None:
    rolling.forge("{", "pdf-tables")
    there = tmp_path / "agent"

    synced = rolling("sync", "--to", there, "--key", "k", "--json").data
    assert synced["added"] == [NAME]
    assert [row["skill"] for row in synced["refused"]] == ["pdf-tables"]
    shown = rolling.run("canary", "status", "--library", str(rolling.folder.root))
    assert shown.code == 1
    assert "rollout of pdf-tables cannot be read" in shown.out
    assert "stable" in shown.out
