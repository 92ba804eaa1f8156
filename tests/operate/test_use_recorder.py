"""Uses as they are reported: each counts once, for the version that was used."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.model import Arm
from skillforge.operate import assignment, pseudonym
from skillforge.operate.use_reports import UnreadableLine, UseReport, read_lines
from skillforge.store import Uses
from tests.operate.conftest import NAME, Field

SUCCESS = ("--outcome", "success", "--verified-by", "test")
WHOLE = (NAME, "--key", "k", *SUCCESS)


def test_a_use_is_put_to_the_version_that_main_holds(field: Field) -> None:
    answer = field.ok("record", NAME, "--key", "k", *SUCCESS)

    assert answer["recorded"] == 1
    assert answer["uses"][0]["version"] == field.tree(NAME)


def test_the_same_report_counts_once(field: Field) -> None:
    line = ("record", NAME, "--key", "k", *SUCCESS, "--id", "run-7")

    assert [field.ok(*line)["recorded"] for _ in range(2)] == [1, 0]
    assert field.ok("stats", NAME)["skills"][0]["uses"] == 1


def test_a_late_report_counts_for_the_assigned_version(rolling: Field) -> None:
    [key] = rolling.keys(Arm.CANARY, 1)
    library = rolling.folder.library
    given_then = assignment.assigned(library, NAME, key)
    uses = Uses.of(library.repository().common_dir)
    uses.save_assignments([(given_then, pseudonym.of_key(NAME, key))], 1)
    rolling.ok("canary", "abort", NAME)

    answer = rolling.ok("record", NAME, "--key", key, *SUCCESS)

    assert answer["uses"][0]["version"] == given_then.version
    assert answer["uses"][0]["arm"] == "canary"


def test_a_use_from_before_the_rollout_is_of_the_version_before(
    rolling: Field,
) -> None:
    [key] = rolling.keys(Arm.CANARY, 1)

    answer = rolling.report([key], "failure", at=1_000_000)

    assert answer["uses"][0]["version"] == rolling.status()["stable"]
    assert rolling.status()["evidence"]["canary"]["keys"] == 0


def test_an_unknown_version_is_recorded_with_a_remark(field: Field) -> None:
    gone = "0123456789" * 4

    answer = field.ok("record", NAME, "--key", "k", *SUCCESS, "--version", gone)

    assert "not known here" in answer["remarks"][0]
    [version] = field.ok("stats", NAME)["skills"][0]["versions"]
    assert (version["tree"], version["exists"]) == (gone, False)


def test_a_use_of_a_skill_that_is_gone_needs_its_version(field: Field) -> None:
    tree = field.tree(NAME)
    field.folder.git("rm", "-rq", f"skills/{NAME}")
    field.folder.commit("Remove it")

    assert field("record", NAME, "--key", "k", *SUCCESS).code == 2
    answer = field.ok("record", NAME, "--key", "k", *SUCCESS, "--version", tree)
    assert answer["recorded"] == 1


def test_a_use_that_is_known_stays_known_when_its_skill_is_gone(field: Field) -> None:
    """A killed batch is sent again after the skill was removed."""
    lines = [
        {"skill": NAME, "key": key, "outcome": "success", "id": f"run-{key}"}
        for key in "ab"
    ]
    field.record(*lines)
    field.folder.git("rm", "-rq", f"skills/{NAME}")
    field.folder.commit("Remove it")

    again = field.record(*lines)

    assert (again["recorded"], again["again"]) == (0, 2)
    line = ("record", NAME, "--key", "a", *SUCCESS)
    assert field.ok(*line, "--id", "run-a")["again"] == 1
    assert field(*line, "--id", "run-c").code == 2


def test_a_clock_that_is_ahead_is_not_believed(field: Field) -> None:
    answer = field.report(["k"], "success", at=int(time.time()) + 900_000)

    assert "future" in answer["remarks"][0]
    [version] = field.ok("stats", NAME)["skills"][0]["versions"]
    assert version["days"][0][0] <= time.strftime("%Y-%m-%d", time.gmtime())


def test_an_offer_that_was_not_taken_is_not_a_use(field: Field) -> None:
    field.report(["a", "b"], "success")
    field.report(["c", "d"], "success", loaded=False)

    [row] = field.ok("stats", NAME)["skills"]
    assert (row["uses"], row["offered"], row["precision"]) == (2, 4, 0.5)


def test_keys_and_private_words_are_not_kept(field: Field) -> None:
    field.ok(
        "record", NAME, "--key", "ada@example.org", *SUCCESS,
        "--note", "asked by bob@example.org", "--pitfall", "mail eve@example.org first",
    )  # fmt: skip

    files = (field.folder.root / ".git/skillforge").glob("state.db*")
    everything = b"".join(path.read_bytes() for path in files)
    for name in (b"ada@", b"bob@", b"eve@"):
        assert name not in everything
    assert b"mail <EMAIL_1> first" in everything


def test_a_bad_line_is_named_and_stops_no_other(field: Field) -> None:
    good = {"skill": NAME, "key": "k", "outcome": "success"}
    gone = json.dumps(good | {"skill": "no-skill"})
    lines = [json.dumps(good), gone, "no json", '{"skill": "a"}', json.dumps(good)]
    path = field.folder.write("../uses.jsonl", "\n".join(lines))

    with path.open() as stdin, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", stdin)
        ran = field("record", "--json")

    assert ran.code == 1
    assert ran.data["recorded"] == 2
    assert [problem["line"] for problem in ran.data["problems"]] == [2, 3, 4]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        pytest.param({"skill": "a", "kye": "k"}, "did you mean key?", id="typo"),
        pytest.param({"key": "k"}, "`skill` is missing", id="no-skill"),
        pytest.param({"skill": "a", "key": 7}, "`key` is missing", id="no-text"),
        pytest.param({"outcome": "fine"}, "not one of success", id="outcome"),
        pytest.param({"verified_by": "me"}, "not one of test", id="source"),
        pytest.param({"seconds": -1}, "`seconds` is not a number", id="negative"),
        pytest.param({"tokens": True}, "`tokens` is not a number", id="boolean"),
        pytest.param({"version": "v1"}, "`version` is not a git tree", id="version"),
        pytest.param({"loaded": 1}, "`loaded` is not true", id="loaded"),
        pytest.param({"id": "\ud800"}, "`id` is not text", id="surrogate"),
    ],
)
def test_a_line_that_is_not_a_report_has_a_reason(
    line: dict[str, Any], why: str
) -> None:
    whole = line if "skill" in line or "key" in line else {"skill": "a", "key": "k"}
    [read] = read_lines([json.dumps({**whole, **line})])

    assert isinstance(read, UnreadableLine)
    assert why in read.why


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_any_line_is_a_report_or_a_reason(line: str) -> None:
    assert all(
        isinstance(row, UseReport | UnreadableLine) for row in read_lines([line])
    )


@pytest.mark.parametrize(
    ("line", "says"),
    [
        pytest.param((NAME, *SUCCESS), "--key", id="no-key"),
        pytest.param((NAME, "--key", "k"), "--outcome", id="no-outcome"),
        pytest.param(("no-skill", "--key", "k", *SUCCESS), "no skill", id="unknown"),
        pytest.param(
            ("../x", "--key", "k", *SUCCESS), "invalid skill name", id="no-name"
        ),
        pytest.param((*WHOLE, "--tokens", "1" * 30), "`tokens`", id="tokens"),
        pytest.param((*WHOLE, "--seconds", "inf"), "`seconds`", id="seconds"),
        pytest.param((*WHOLE, "--version", "v1"), "`version`", id="version"),
        pytest.param((*WHOLE, "--id", "\udcff"), "`id`", id="id"),
    ],
)
def test_bad_requests_say_what_to_do(
    field: Field, line: tuple[str, ...], says: str
) -> None:
    ran = field("record", *line)

    assert ran.code == 2
    assert says in ran.err


def test_the_error_for_an_invalid_line_names_the_column() -> None:
    [read] = read_lines(['{"skill": "dates"'])

    assert read == UnreadableLine(
        1, "it is not JSON: Expecting ',' delimiter at column 18"
    )
