"""Text stays text, wherever it is put."""

from hypothesis import given
from hypothesis import strategies as st

from skillforge.share.site.markup import Html, el, join, visible
from tests.share.site.reading import Reader

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]))


@given(TEXT, TEXT)
def test_any_text_comes_back_from_a_page_as_it_was(value: str, words: str) -> None:
    page = Reader(el("p", el("a", words, title=value)))
    assert page.tags == {"p", "a"}
    assert (
        page.values("title") == [value] == [visible(value)] or visible(value) != value
    )
    assert page.text == visible(words)


def test_markup_is_kept_and_nothing_is_left_out_by_mistake() -> None:
    made = join("<", Html("<b>"), None, ["x", (Html("</b>"),)])
    assert made == "&lt;<b>x</b>"
    assert el("input", hidden=True, title=None, disabled=False) == "<input hidden>"
    assert el("p", aria_label="a", class_="b") == '<p aria-label="a" class="b"></p>'


def test_joiners_of_emoji_and_of_letters_stay() -> None:
    assert visible("👩‍💻 می‌خواهم\n\tcafé") == "👩‍💻 می‌خواهم\n\tcafé"
