"""Differences between a page and a command's output are found."""

import pytest

from tests.docs.comparison import Hashes, difference


@pytest.mark.parametrize(
    ("shown", "output"),
    [
        pytest.param(["kept 6"], "kept 6\n", id="same"),
        pytest.param(["commit 721ae997d599"], "commit 0d2f4c81aa01\n", id="hash"),
        pytest.param(
            ["in 0.02 s on 2026-11-17"], "in 1.25 s on 2027-01-02\n", id="time"
        ),
        pytest.param(["a", "…", "d"], "a\nb\nc\nd\n", id="left-out"),
        pytest.param(["a", "…", "d"], "a\nd\n", id="left-out-nothing"),
        pytest.param(["/home/ada/x"], "/home/you/x\n", id="home"),
        pytest.param([], "\n", id="nothing"),
    ],
)
def test_variable_values_may_differ(shown: list[str], output: str) -> None:
    assert difference(shown, output, Hashes()) == ""


@pytest.mark.parametrize(
    ("shown", "output"),
    [
        pytest.param(["kept 6"], "kept 7\n", id="number"),
        pytest.param(["kept 6"], "kept 6\nand more\n", id="more"),
        pytest.param(["kept 6", "and more"], "kept 6\n", id="less"),
        pytest.param([], "a word\n", id="something"),
        pytest.param(["a", "…", "d"], "a\nb\n", id="end"),
        pytest.param(["export the … table"], "export the old table\n", id="inside"),
    ],
)
def test_other_differences_are_reported(shown: list[str], output: str) -> None:
    assert "differ" in difference(shown, output, Hashes())


def test_a_hash_on_the_page_matches_the_real_one() -> None:
    hashes = Hashes()

    assert difference(["pattern 243d1dec60a6"], "pattern 99887766aabb\n", hashes) == ""
    assert hashes.to_real("draft 243d --name a") == "draft 9988 --name a"
    assert "243d1dec60a6 is" in difference(["243d1dec60a6"], "0123456789ab\n", hashes)
