"""Text stays text in every template, and nothing else is marked as safe."""

import re
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import skillforge
from skillforge.render import html
from tests.share.site.reading import Reader

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]))
PACKAGE = Path(skillforge.__file__).parent


@given(TEXT, TEXT)
def test_any_text_comes_back_from_a_page_as_it_was(value: str, text: str) -> None:
    table = html.macro("macros.html", "table")

    page = Reader(table(value, [text], [[value, text]]))

    assert page.tags == {
        *("div", "table", "caption", "thead", "tbody"),
        *("tr", "th", "td"),
    }
    assert page.values("aria-label") == [html.visible(value)]
    assert html.visible(text) in page.text


def test_markup_in_a_text_is_shown_and_not_interpreted() -> None:
    badge = html.macro("macros.html", "badge")

    assert badge("<b>'\"&", 'x" onclick="y') == (
        '<span class="badge x&#34; onclick=&#34;y">&lt;b&gt;&#39;&#34;&amp;</span>'
    )


def test_characters_that_hide_or_reorder_text_are_spelled_out_everywhere() -> None:
    badge = html.macro("macros.html", "badge")

    shown = badge("a\u202eb\x00\ud800\uffff", "\u200b")

    assert shown == (
        '<span class="badge ‹U+200B›">a‹U+202E›b‹U+0000›‹U+D800›‹U+FFFF›</span>'
    )


def test_joiners_of_emoji_and_of_letters_stay() -> None:
    assert html.visible("👩‍💻 می‌خواهم\n\tcafé") == "👩‍💻 می‌خواهم\n\tcafé"


def test_only_known_places_mark_text_as_safe() -> None:
    """Rendered Markdown, and the style and script of the dashboard. Nothing else."""
    marks = {
        ".py": re.compile(r"\bMarkup\(|autoescape"),
        ".html": re.compile(r"\bsafe\b|autoescape|Markup"),
        ".xml": re.compile(r"\bsafe\b|autoescape|Markup"),
    }
    found = {
        path.relative_to(PACKAGE).as_posix(): len(places)
        for path in PACKAGE.rglob("*.*")
        if path.suffix in marks
        and (places := marks[path.suffix].findall(path.read_text(encoding="utf-8")))
    }

    assert found == {
        "render/html/__init__.py": 1,  # autoescape=True
        "operate/dashboard/__init__.py": 2,
        "share/site/markdown.py": 1,
        "share/site/texts.py": 1,
    }


def test_jinja_is_imported_only_when_a_page_is_made() -> None:
    modules = (
        "skillforge.render.html, skillforge.share.site, skillforge.operate.dashboard"
    )
    code = (
        f"import sys, {modules}; print({{'jinja2', 'markupsafe'}} & {{*sys.modules}})"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout == "set()\n"
