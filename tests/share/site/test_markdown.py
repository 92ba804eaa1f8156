"""What a hostile text becomes: words, and links that show where they lead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.share.site.markdown import MAX_LENGTH, PREFIX, LinkTargets, render
from tests.share.site.hubs import HOSTILE_BODY
from tests.share.site.reading import Reader

FILES = {"references/a b.md": "#file-1", "SKILL.md": "#file-0"}
TAGS = {"a", "span", "p", "pre", "code", "em", "strong", "s", "div", "br", "hr"}
TAGS |= {"ul", "ol", "li", "blockquote", "h3", "h4", "h5", "h6"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"href", "rel", "class", "title", "id", "start"}
CLASSES = {"outside", "no-link", "picture", "wide", "left", "center", "right", "cut"}


def links_of(text: str) -> list[str]:
    return only_harmless(text).values("href")


def only_harmless(text: str) -> Reader:
    """Nothing is left that could act, load, or be taken for a part of the page."""
    page = Reader(render(text, LinkTargets(FILES)))
    assert page.tags <= TAGS
    assert {name for _, named in page.elements for name in named} <= ATTRIBUTES
    assert set(page.values("class")) <= CLASSES
    assert all(id_.startswith(PREFIX) for id_ in page.values("id"))
    for href in page.values("href"):
        assert href.startswith(("https://", "http://", "mailto:", "#md-", "#file-"))
    return page


@pytest.mark.parametrize(
    ("text", "href"),
    [
        pytest.param(
            "[a](https://ok.example/x?y=1#z)", "https://ok.example/x?y=1#z", id="web"
        ),
        pytest.param("[a](mailto:ada@ok.example)", "mailto:ada@ok.example", id="mail"),
        pytest.param("<https://ok.example>", "https://ok.example", id="bare"),
        pytest.param("[a](references/a%20b.md#part)", "#file-1", id="file"),
        pytest.param("[a](./SKILL.md)", "#file-0", id="dotted"),
        pytest.param("[a](references/../SKILL.md)", "#file-0", id="around"),
        pytest.param("[a](#The-Steps)", "#md-The-Steps", id="inside"),
        pytest.param("[a](missing.md)", None, id="no-such-file"),
        pytest.param("[a](../SKILL.md)", None, id="outside-the-skill"),
        pytest.param("[a](/SKILL.md)", None, id="absolute"),
        pytest.param("[a](//evil.example)", None, id="any-scheme"),
        pytest.param("[a](https://bank.example@evil.example)", None, id="user"),
        pytest.param("[a](https:evil.example)", None, id="no-slashes"),
        pytest.param("[a](https://[::)", None, id="unreadable"),
        pytest.param("[a](ftp://evil.example)", None, id="other-scheme"),
        pytest.param("[a](data:image/png;base64,AAAA)", None, id="data"),
        pytest.param("[a](javascript:alert)", None, id="script"),
        pytest.param("[a]()", None, id="empty"),
    ],
)
def test_a_link_leads_to_the_web_or_into_the_skill_or_nowhere(
    text: str, href: str | None
) -> None:
    assert links_of(text) == ([href] if href else [])


def test_raw_html_is_shown_as_text() -> None:
    page = only_harmless("<script>alert(1)</script> and <b onclick=x>this</b>")
    assert "<script>alert(1)</script> and <b onclick=x>this</b>" in page.text


def test_pictures_are_named_and_never_loaded() -> None:
    page = only_harmless("![a *chart*](https://evil.example/x.png) ![s](SKILL.md)")
    assert "Image: a *chart*" in page.text
    assert page.values("href") == ["#file-0"]
    assert links_of("[![s](SKILL.md)](https://ok.example)") == ["https://ok.example"]


def test_headings_start_below_those_of_the_page_and_can_be_linked_to() -> None:
    page = only_harmless("## main\n\n## main\n\n### Who's `there`?\n\n###### six\n")
    assert page.values("id") == ["md-main", "md-main-1", "md-whos-there", "md-six"]
    assert [tag for tag, _ in page.elements if tag[0] == "h"] == [
        "h3",
        "h3",
        "h4",
        "h6",
    ]


def test_what_hides_or_turns_text_around_is_spelled_out() -> None:
    page = only_harmless("a\u202eb `c\u200bd` [e\u2066](https://ok.example/\u202e)")
    assert "a‹U+202E›b c‹U+200B›d e‹U+2066›" in page.text
    assert not set(page.text) & set("\u202e\u200b\u2066")


def test_an_entity_hides_or_turns_nothing_around_either() -> None:
    page = only_harmless("a&#x202E;b [c&#8203;](https://ok.example)")
    assert "a‹U+202E›b c‹U+200B›" in page.text


def test_a_skill_that_is_named_in_bold_is_linked_unless_it_is_in_a_link() -> None:
    known = LinkTargets(skills={"csv": "../skills/csv/index.html"})
    page = Reader(
        render("**csv** 1.0, **other**, csv, [**csv**](https://x.example)", known)
    )
    assert page.values("href") == ["https://x.example"]
    page = Reader(render("- **csv** 1.0, **other**, csv", known))
    assert page.values("href") == ["../skills/csv/index.html"]


def test_a_table_keeps_its_alignment_without_a_style() -> None:
    page = only_harmless("| a | b |\n| :-: | --: |\n| 1 | 2 |\n")
    assert page.values("class") == ["wide", "center", "right", "center", "right"]


def test_a_long_text_is_truncated_with_a_note() -> None:
    page = only_harmless("word " * MAX_LENGTH)
    assert "Truncated" in page.text
    assert len(page.text) < MAX_LENGTH + 100


def test_a_hostile_text_is_harmless() -> None:
    only_harmless(HOSTILE_BODY)


SIGNS = st.sampled_from(
    ["[", "](", ")", "]", "!", "<", ">", '"', "'", "`", "```", "\\"]
)
LAYOUT = st.sampled_from(
    ["\n", "\n\n", "\t", "# ", "| ", "|-|", "- ", "> ", "*", "_", "\0"]
)
WORDS = st.sampled_from(
    ["javascript:", "https://e.example", "data:", "&#106;", "&lt;", "[a]: ", "\u202e"]
)
TAGGED = st.sampled_from(
    ["<script>", "<img src=x onerror=y>", "onclick=", "-->", "<!--"]
)
PIECES = SIGNS | LAYOUT | WORDS | TAGGED | st.text(max_size=4)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_harmless(text: str) -> None:
    only_harmless(text)
