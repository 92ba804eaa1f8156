"""A page is rewritten where a command prints something else, and only there."""

from pathlib import Path

import pytest

from tests.docs.comparing import Ids
from tests.docs.reading import scenes
from tests.docs.rewrite import apply, edits, rewritten
from tests.docs.world import World

PAGE = """\
# Check

<!-- given: a library -->
```console
$ skillforge validate
2 skills checked: all good
$ skillforge list \\
    --rev main
…
```

Text after it.
"""


@pytest.mark.parametrize(
    ("shown", "output", "new"),
    [
        pytest.param(["kept 6"], "kept 7\n", ["kept 7"], id="word"),
        pytest.param([], "kept 7\n", ["kept 7"], id="nothing-shown"),
        pytest.param(["kept 6"], "", [], id="nothing-printed"),
        pytest.param(["a", "b"], "a\nnew\nb\n", ["a", "new", "b"], id="new-line"),
        pytest.param(["a", "old", "b"], "a\nb\n", ["a", "b"], id="line-gone"),
        pytest.param(
            ["first", "…", "kept 6 of them"],
            "first\nx\ny\nkept 7 of them\n",
            ["first", "…", "kept 7 of them"],
            id="elision",
        ),
        pytest.param(
            ["read one file", "…", "see also x", "…", "kept 6"],
            "reads one file\n1\nsee also: x\n2\n3\nkept 6\n",
            ["reads one file", "…", "see also: x", "…", "kept 6"],
            id="two-elisions",
        ),
        pytest.param(["a", "…", "b 1"], "a\nb 2\n", ["a", "b 2"], id="hides-nothing"),
        pytest.param(
            ["took 0.02 s on 2026-11-17", "  more"],
            "needed 1.25 s on 2027-01-02\n  less\n",
            ["needed 0.02 s on 2026-11-17", "  less"],
            id="values-stay",
        ),
    ],
)
def test_output_that_differs_is_replaced(
    shown: list[str], output: str, new: list[str]
) -> None:
    assert rewritten(shown, output, Ids()) == new
    assert rewritten(new, output, Ids()) == new


def test_a_hash_stays_as_the_page_shows_it() -> None:
    ids = Ids()

    first = rewritten(["commit 111111aaaaaa"], "the commit is 222222bbbbbb\n", ids)
    other = rewritten(["at 999999999999"], "at 222222bbbbbb0123\n", ids)
    unknown = rewritten(["none"], "at 333333cccccc\n", ids)

    assert first == ["the commit is 111111aaaaaa"]
    assert other == ["at 111111aaaaaa0123"]
    assert unknown == ["at 333333cccccc"]


def test_a_changed_word_is_restored_and_the_rest_stays(
    tmp_path: Path, world: World
) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.replace("all good", "all fine"))
    [scene] = scenes(page)

    apply(page, list(edits(scene, world)))

    assert page.read_text() == PAGE


def test_a_page_that_is_right_needs_no_edit(tmp_path: Path, world: World) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    [scene] = scenes(page)

    assert list(edits(scene, world)) == []


def test_a_command_that_fails_is_not_written_into_the_page(
    tmp_path: Path, world: World
) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.replace("--rev main", "--no-such-option"))
    [scene] = scenes(page)

    with pytest.raises(AssertionError, match="exits 2"):
        list(edits(scene, world))
