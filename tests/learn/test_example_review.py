"""`examples`: nothing is learned from what nobody approved."""

import pytest

from tests.learn.conftest import Learner, export_run, export_runs, plain


@pytest.fixture
def full(learner: Learner) -> Learner:
    learner.capture(*export_runs(3, 1))
    return learner


def test_examples_are_listed_by_what_is_asked_for(full: Learner) -> None:
    def tasks(*options: object) -> int:
        return len(full.examples(*options))

    assert tasks() == 4
    assert tasks("--status", "pending") == 4
    assert tasks("--status", "approved") == 0
    assert tasks("--outcome", "success") == 3
    assert tasks("--value", 1.0) == 3
    assert tasks("--tool", "read_file") == 3
    assert tasks("--tool", "nothing") == 0
    assert tasks("--text", "CUSTOMERS") == 1
    assert tasks("--text", "out/customers.csv") == 1  # an argument of a call
    assert "4 examples of 4, 4 pending review" in full("examples", "list").out


def test_an_approval_has_a_name_and_a_reason(full: Learner) -> None:
    number = full.examples()[0]["id"]

    who = ("--as", "Rita <rita@example.org>", "--reason", "It reads the file back")
    full.ok("examples", "approve", number[:8], *who)

    review = full.ok("examples", "show", number)["example"]["review"]
    assert (review["status"], review["by"]) == ("approved", "Rita")
    assert review["reason"] == "It reads the file back"
    assert review["at"]


def test_the_git_user_is_the_default_reviewer(full: Learner) -> None:
    number = full.examples()[0]["id"]
    full.ok("examples", "reject", number, "--reason", "A story")

    assert full.ok("examples", "show", number)["example"]["review"]["by"] == "Test"
    assert full.examples("--status", "rejected")[0]["id"] == number


def test_a_rejection_needs_a_reason_and_is_final(full: Learner) -> None:
    number = full.examples()[0]["id"]

    assert full("examples", "reject", number).code == 2
    full.ok("examples", "reject", number, "--reason", "A story")
    assert full("examples", "approve", number).code == 4
    full.ok("examples", "reject", number, "--reason", "A story")


def test_all_verified_means_by_a_test_or_a_verifier(learner: Learner) -> None:
    example = plain("Export it", outcome={"status": "success", "source": "llm"})
    learner.capture(example, options=("--reviewed-by", "Ada"))
    learner.capture(export_run("orders"), export_run("bills", None))

    done = learner.ok("examples", "approve", "--all-verified")

    assert [row["source"] for row in done["examples"]] == ["verifier"]
    assert learner.ok("examples", "approve", "--all-verified")["examples"] == []


def test_who_approves_may_stand_for_the_outcome(learner: Learner) -> None:
    learner.capture(export_run("orders", None))
    (row,) = learner.examples()
    assert (row["outcome"], row["value"]) == ("unknown", 0.6)

    plainly = learner("examples", "approve", row["id"])
    assert "won't count as evidence" in plainly.out
    learner.ok("examples", "approve", row["id"], "--outcome", "success", "--as", "Rita")

    (row,) = learner.examples()
    assert (row["outcome"], row["source"], row["value"]) == ("success", "human", 1.0)


def test_a_verifier_cannot_be_overruled(full: Learner) -> None:
    (failed,) = full.examples("--outcome", "failure")

    ran = full("examples", "approve", failed["id"], "--outcome", "success")

    assert ran.code == 4
    assert "a verifier recorded" in ran.err


def test_what_was_taken_is_for_the_owner_who_asks(learner: Learner) -> None:
    learner.capture(export_run("orders", extra=" for bo@corp.example"))
    number = learner.examples()[0]["id"]

    shown = learner("examples", "show", number)
    owner = learner.ok("examples", "show", number, "--show")

    assert "bo@corp.example" not in shown.out
    assert owner["taken"] == {"<EMAIL_1>": "bo@corp.example"}


def test_an_id_that_means_none_or_several_is_refused(full: Learner) -> None:
    assert full("examples", "show", "zzz").code == 2
    assert full("examples", "show", "").code == 2
    assert full("examples", "approve").code == 2
    some = full.examples()[0]["id"]
    assert full("examples", "approve", some, "nope").code == 2
    assert full.examples("--status", "approved") == []


def test_an_example_is_shown_in_full(learner: Learner) -> None:
    learner.capture(export_run("orders", path="deep/" * 60))
    number = learner.examples()[0]["id"]

    shown = learner("examples", "show", number).out

    assert "deep/" * 60 in shown
    assert "      1,2" in shown


def test_an_outcome_confirmed_by_a_person_is_not_reversed(
    learner: Learner,
) -> None:
    learner.capture(export_run("orders", None))
    number = learner.examples()[0]["id"]
    learner.ok("examples", "approve", number, "--outcome", "failure", "--as", "Rita")

    ran = learner("examples", "approve", number, "--outcome", "success")

    assert ran.code == 4
    assert "Rita recorded" in ran.err


def test_examples_alone_explains_itself(learner: Learner) -> None:
    ran = learner("examples")
    assert ran.code == 0
    assert "approve" in ran.out
