"""Statistics of skills in use: counts, a moving average, and intervals."""

from pathlib import Path

import pytest

from skillforge.model import Arm, OutcomeStatus
from skillforge.operate.stats import moving_average
from skillforge.render.text.stats import sparkline
from tests.operate.conftest import NAME, Field


def test_the_rate_is_a_moving_average_that_starts_at_one() -> None:
    assert moving_average([]) == 1.0
    assert moving_average([OutcomeStatus.FAILURE]) == pytest.approx(0.9)
    assert moving_average(
        [OutcomeStatus.FAILURE, OutcomeStatus.SUCCESS]
    ) == pytest.approx(0.91)


def test_stats_hold_what_scripts_rely_on(field: Field) -> None:
    field.report(["a", "b", "c"], "success", seconds=2.0, tokens=100)
    field.report(["d"], "failure", seconds=4.0)

    [row] = field.ok("stats")["skills"]

    assert (row["name"], row["uses"], row["keys"]) == (NAME, 4, 4)
    assert row["success_rate"] == pytest.approx(0.9)
    assert row["observed"] == 0.75
    assert row["interval"] == pytest.approx([0.3006, 0.9544], abs=1e-4)
    assert (row["seconds"], row["tokens"]) == (2.5, 100)
    [version] = row["versions"]
    assert version["tree"] == field.tree(NAME)
    assert version["days"][0][1:] == [3, 1]


def test_only_verified_outcomes_make_an_interval(field: Field) -> None:
    field.report(["a"], "success")
    field.report(["b", "c"], "failure", verified_by="llm")

    [row] = field.ok("stats")["skills"]

    assert (row["uses"], row["verified"]) == (3, 1)
    assert row["success_rate"] == pytest.approx(0.81)


def test_an_empty_library_says_how_to_begin(field: Field) -> None:
    ran = field("stats")

    assert ran.code == 0
    assert "skillforge record" in ran.out
    assert field.ok("stats")["skills"] == []


def test_versions_are_listed_with_their_origins(rolling: Field) -> None:
    rolling.report([f"k{number}" for number in range(40)], "success")

    data = rolling.ok("stats", NAME)

    versions = data["skills"][0]["versions"]
    assert {version["version"] for version in versions} == {"", "1.0.0"}
    assert sum(version["uses"] for version in versions) == 40
    assert data["origins"]["human"]["uses"] > 0


def test_time_and_tokens_are_compared_with_uses_without_the_skill(field: Field) -> None:
    field.report(["a"], "success", seconds=2, tokens=10)
    field.report(["b"], "success", seconds=6, tokens=40, loaded=False)

    [row] = field.ok("stats", NAME)["skills"]
    answer = field("stats", NAME).out

    assert (row["seconds_without"], row["tokens_without"]) == (6, 40)
    assert "2.0 seconds per use (6.0 without the skill)" in answer
    assert "loaded 50% of the 2 times offered" in answer


def test_a_trend_is_reported_only_if_it_is_significant(field: Field) -> None:
    day = 86_400
    start = 1_700_000_000
    for outcome, at in (("success", start), ("failure", start + 9 * day)):
        keys = [f"{outcome}-{number}" for number in range(20)]
        field.report(keys, outcome, at=at)
    field.report(["x"], "success", skill="pdf-tables", at=start)
    field.report(["y"], "failure", skill="pdf-tables", at=start + day)

    rows = {row["name"]: row["trend"] for row in field.ok("stats")["skills"]}

    assert rows == {NAME: "down", "pdf-tables": "flat"}


def test_a_bar_is_a_week_of_verified_uses() -> None:
    days = {100: (4, 0), 93: (1, 1), 20: (0, 3), 1: (5, 5)}

    assert sparkline(days, 100) == "▁·········▅█"


def test_an_unknown_name_is_an_error(field: Field) -> None:
    ran = field("stats", "csv-table")

    assert ran.code == 2
    assert "did you mean csv-tables" in ran.err


def test_a_page_is_written_from_what_the_clone_knows(
    rolling: Field, tmp_path: Path
) -> None:
    rolling.report(rolling.keys(Arm.CANARY, 20), "success")
    rolling.report(rolling.keys(Arm.STABLE, 20), "success")
    rolling.propose("pdf-tables", "pages", "first")

    answer = rolling.ok("stats", "--html", str(tmp_path / "stats.html"))

    page = (tmp_path / "stats.html").read_text()
    assert answer["path"] == str(tmp_path / "stats.html")
    for words in (NAME, "pdf-tables", "canary", "Library growth"):
        assert words in page


def test_who_rolled_back_did_not_make_the_version(rolling: Field) -> None:
    number = rolling.ok("rollback", NAME, "--why", "Worse")["proposal"]
    rolling.approve(number)
    rolling.promote(number)
    rolling.report(["a"], "success")

    [row] = rolling.ok("stats", NAME)["skills"]
    assert row["versions"][0]["origin"] == ""
