"""Diffs as git prints them, as rows that people can read."""

from difflib import unified_diff

from hypothesis import given
from hypothesis import strategies as st

from skillforge.render import html
from skillforge.share.site.diffs import (
    MAX_LINES,
    DiffLine,
    counts,
    parse,
    shown_lines,
)
from tests.share.site.reading import Reader

DIFF = """\
diff --git a/skills/x/SKILL.md b/skills/x/SKILL.md
index 1..2 100644
--- a/skills/x/SKILL.md
+++ b/skills/x/SKILL.md
@@ -4,3 +4,4 @@ name: x
 same
-the old words stay
+the new words stay

+more
\\ No newline at end of file
"""


def render(lines: list[DiffLine]) -> str:
    return str(html.macro("site/macros.html", "diff")(list(shown_lines(lines))))


def test_lines_have_the_numbers_that_they_have_in_the_files() -> None:
    assert list(parse(DIFF)) == [
        DiffLine("hunk", "@@ -4,3 +4,4 @@ name: x"),
        DiffLine("same", "same", 4, 4),
        DiffLine("del", "the old words stay", 5, None),
        DiffLine("add", "the new words stay", None, 5),
        DiffLine("same", "", 6, 6),
        DiffLine("add", "more", None, 7),
    ]
    assert counts(list(parse(DIFF))) == (2, 1)


def test_the_words_that_changed_are_marked() -> None:
    assert "the <b>old</b> words stay" in render(list(parse(DIFF)))
    assert "the <b>new</b> words stay" in render(list(parse(DIFF)))


def test_lines_that_have_little_in_common_are_not_marked() -> None:
    assert "<b>" not in render(
        [DiffLine("del", "one two three"), DiffLine("add", "four")]
    )


def test_a_carriage_return_makes_no_line_of_its_own() -> None:
    shown = Reader(render([DiffLine("add", "safe\rrm -rf\r")])).text
    assert "safe‹U+000D›rm -rf" in shown
    assert "\r" not in shown


def test_what_breaks_or_hides_a_line_is_spelled_out() -> None:
    odd = "\v\f\x1b\x1c\x1d\x1e\x7f\x85\u2028\u2029\u202e\u200b\u3164\ufe00"
    diff = f"@@ -1 +1,2 @@\n one\n+two{odd}three\n"

    [_, _, line] = parse(diff)

    shown = Reader(render([line])).text
    assert "".join(f"‹U+{ord(letter):04X}›" for letter in odd) in shown


def test_a_long_diff_is_truncated_with_a_note() -> None:
    lines = [DiffLine("add", "x", None, at) for at in range(MAX_LINES + 7)]
    assert "7 more lines" in render(lines)


LINES = st.lists(
    st.sampled_from(["a b c", "a b d", "", "+", "-x", "@@", "<b>"]), max_size=9
)


@given(LINES, LINES)
def test_any_diff_gives_back_both_of_its_sides(old: list[str], new: list[str]) -> None:
    diff = "\n".join(unified_diff(old, new, n=99, lineterm=""))
    lines = list(parse(diff))
    assert [line.text for line in lines if line.old] == (old if lines else [])
    assert [line.text for line in lines if line.new] == (new if lines else [])
    Reader(render(lines))


@given(st.text())
def test_any_text_is_taken_for_a_diff(text: str) -> None:
    Reader(render(list(parse(f"@@ -1 +1 @@\n{text}"))))
