"""Text for people: its lines are git's, and nothing in it is hidden."""

from hypothesis import given
from hypothesis import strategies as st

from skillforge.report import code, plain, printable
from skillforge.text import lines_of, shortened_between_words

ODD = "\r\v\f\x1b\x1c\x7f\x85\u200b\u2028\u202e\u3164\ufe00\U000e0041"


@given(st.text(alphabet=f"ab\n {ODD}"))
def test_lines_end_where_git_ends_them(text: str) -> None:
    lines = lines_of(text)

    assert "\n".join(lines) == text.removesuffix("\n")
    assert not any("\n" in line for line in lines)


@given(st.text(max_size=300), st.integers(2, 400))
def test_a_shortened_text_is_not_longer(text: str, most: int) -> None:
    short = shortened_between_words(text, most)

    assert short == text or len(short) <= most


def test_a_text_is_cut_between_words() -> None:
    assert shortened_between_words("one two, three", 8) == "one…"
    assert shortened_between_words("one two, three", 9) == "one two…"
    assert shortened_between_words("one two, three", 12) == "one two…"
    assert shortened_between_words("onetwothree", 4) == "one…"


def test_what_cannot_be_seen_is_spelled_out() -> None:
    for letter in ODD:
        spelled = letter.encode("unicode_escape").decode()
        assert printable(f"a{letter}b") == f"a{spelled}b"
        assert spelled.replace("\\", "") in code(f"a{letter}b").replace("\\", "")
        assert spelled.replace("\\", "") in plain(f"a{letter}b").replace("\\", "")
    assert printable("größe 表 ⚠️") == "größe 表 ⚠️"
