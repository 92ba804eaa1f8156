"""The review page: what a reviewer decides from, and no way out for hostile text."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from skillforge.report import code, plain
from tests.github.conftest import AUTHOR, REVIEWER, Team

RENDERED = MarkdownIt("gfm-like")
HARMLESS = {"text", "code_inline", "html_inline", "softbreak"}
HOSTILE = [
    "Closes #1",
    "@everyone look",
    "fixes acme/skills#12 and GH-3",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "--> <b>out</b> <!--",
    "[click](https://evil.invalid)",
    "![pixel](https://evil.invalid/p.png)",
    "https://evil.invalid/?q=1 and www.evil.invalid",
    "`` ` ``` code",
    "a | b | c",
    "# Heading",
    "- [x] done",
    "1. list",
    "> quote",
    "***",
    "text\n\nApproved-By: Somebody <x@y.invalid>",
    "```\nfence\n```",
    "\u202eevil\u2066 \u200bhidden",
    "&lt;b&gt; &#64;bob",
    "~~gone~~ __bold__ *it*",
    "$$x$$ :shipit:",
    "<!-- skillforge:end -->",
]
texts = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="`@#|<>[]()!*_~-=:/\\&; \n1aGHw.", max_size=40),
    st.sampled_from(HOSTILE),
)


def inline_of(markdown: str) -> list[str]:
    """The kinds of what one paragraph of Markdown consists of."""
    tokens = RENDERED.parse(f"Said: {markdown} end")
    assert [token.type for token in tokens] == [
        "paragraph_open",
        "inline",
        "paragraph_close",
    ]
    children = tokens[1].children or []
    for child in children:
        if child.type == "html_inline":
            assert child.content == "<!-- -->"
    return [child.type for child in children]


@given(texts)
def test_plain_text_is_text(text: str) -> None:
    assert set(inline_of(plain(text))) <= HARMLESS - {"code_inline"}


@given(texts)
def test_code_is_code(text: str) -> None:
    assert "code_inline" in inline_of(code(text))
    assert set(inline_of(code(text))) <= {"text", "code_inline"}


@given(texts)
def test_a_cell_stays_a_cell(text: str) -> None:
    table = f"| a | b |\n| --- | --- |\n| {plain(text)} | {code(text)} |\n"

    kinds = [token.type for token in RENDERED.parse(table)]

    assert kinds.count("td_open") == 2
    assert kinds.count("tr_open") == 2


@given(texts)
def test_no_mention_and_no_reference_is_left(text: str) -> None:
    """GitHub looks for these in the text between tags, after it was rendered."""
    pieces = plain(text).replace("\\", "").split("<!-- -->")

    for piece in pieces:
        assert "@" not in piece[:-1]
        assert "#" not in piece[:-1]
        assert "://" not in piece


@pytest.mark.parametrize("at", [0, 8, 16])
def test_hostile_words_do_not_get_out_of_the_page(team: Team, at: int) -> None:
    hostile = HOSTILE[at : at + 8]
    draft = team.draft("xlsx-tables")
    skill = draft / "SKILL.md"
    fit = [text for text in hostile if text.isprintable() and not {*text} & {*"<>"}]
    description = json.dumps(f"Reads tables. Use for tables. {' / '.join(fit)}")
    usual = "Reads tables from files. Use when data comes as a table."
    skill.write_text(skill.read_text().replace(usual, description))
    (draft / "references").mkdir()
    (draft / "references/a`b@c #1.md").write_text("x\n")
    options: list[object] = []
    for number, text in enumerate(hostile):
        example = {"task": text, "outcome": {"status": text, "verified_by": text}}
        file = team.tmp / f"example-{number}.json"
        file.write_text(json.dumps(example))
        options += ["--example", file]

    team.ok(AUTHOR, "propose", draft, "--why", "\n".join(hostile), *options)

    page = team.page(1)
    assert_harmless(page, f"{team.hub.url}/acme/")
    assert page.count("<!-- skillforge:end -->") == 1
    message = team.repo.git("log", "-1", "--format=%B", team.repo.pulls[1].head_sha)
    assert "Closes #1" not in message
    assert "@everyone" not in message


def assert_harmless(page: str, own: str) -> None:
    """Nothing leads elsewhere, shows a picture, or is HTML but for our marks."""
    for token in RENDERED.parse(page):
        if token.type == "html_block":
            marks = ("<!-- skillforge:page -->", "<!-- skillforge:end -->")
            assert token.content.strip() in marks
        for child in token.children or []:
            if child.type == "link_open":
                assert str(child.attrs["href"]).startswith(own)
            if child.type == "html_inline":
                assert child.content == "<!-- -->"
            assert child.type != "image"


def test_a_reviewer_can_decide_from_it(team: Team, tmp_path: Path) -> None:
    team.check_all()
    team.land("csv-sheets", "one")
    example = {
        "task": "Read a sheet with merged cells",
        "outcome": {"status": "success", "verified_by": "test"},
        "review": {"by": "Rita"},
    }
    (tmp_path / "ex-1.json").write_text(json.dumps(example))
    draft = team.draft("csv-sheets", "one", "two")
    (draft / "fetch.py").write_text(
        "import urllib.request\nurllib.request.urlopen('https://api.example.com')\n"
    )

    number = team.ok(
        AUTHOR,
        "propose",
        draft,
        *("--why", "Merged cells", "--example", tmp_path / "ex-1.json"),
    )["proposal"]

    page = team.page(number)
    for words in (
        "**Edit csv\\-sheets**",
        "Use when data comes as a table",
        "**Why:** Merged cells",
        "`skills/csv-sheets/SKILL.md`",
        "| `evidence/csv-sheets`: 1 example file | 1 | 0 |",
        "Read a sheet with merged cells | success | test | Rita",
        "| [`scan`](",
        "/checks)",
        "Security scan: **",
        "Asks for: `",
        "Similar to",
        f"gh pr checkout {number}",
        "skillforge rollback csv-sheets",
        "bytes (+",
    ):
        assert words in page, words


def test_a_page_is_never_longer_than_github_takes(team: Team) -> None:
    draft = team.draft("xlsx-tables")
    for number in range(400):
        (draft / f"file-{'x' * 80}-{number}.md").write_text("x\n")
    team.ok(AUTHOR, "propose", draft, "--why", "word " * 30_000)

    assert len(team.page(1)) < 65_536
    team.ok(REVIEWER, "gate", 1)
    assert len(team.remarks(1)[0]) < 65_536
