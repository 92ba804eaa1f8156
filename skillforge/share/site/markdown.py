"""Markdown of people we do not know, as HTML that cannot act, load or pretend."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from skillforge.share.site.markup import Html, el, join, visible
from skillforge.share.site.urls import unused

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token

MOST_LETTERS = 100_000
PREFIX = "md-"  # of every id made from a text, so that it is none of the page's own
_ALIGNED = re.compile(r"text-align:(left|center|right)")
_HOST = re.compile(r"[\w.-]+(?::\d{1,5})?")


class LinkTargets(NamedTuple):
    """What a text may speak of: where files of the skill are, and other skills."""

    files: Mapping[str, str] = {}
    skills: Mapping[str, str] = {}


def render(text: str, known: LinkTargets, level: int = 3) -> Html:
    """The text as HTML, with links to what is known; a skill's name has to be bold.

    Its highest heading is of `level`. Raw HTML stands there as text, pictures are
    named and never loaded, and a link leads to the web, into the same text or to a
    file of the skill, or it is none.
    """
    parser = _parser()
    tokens = parser.parse(visible(text[:MOST_LETTERS]))
    _rewrite(tokens, known, level)
    rendered = Html(parser.renderer.render(tokens, parser.options, {}))
    if len(text) <= MOST_LETTERS:
        return rendered
    return join(rendered, el("p", "The text goes on; see the file.", class_="cut"))


def target(href: str, files: Mapping[str, str]) -> str | None:
    """Where a link may lead, if anywhere."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        return href if _is_outside(parts.scheme, parts.netloc, parts.path) else None
    if not parts.path:
        return f"#{PREFIX}{unquote(parts.fragment)}" if parts.fragment else None
    return files.get(posixpath.normpath(unquote(parts.path)))


def _is_outside(scheme: str, host: str, path: str) -> bool:
    """Whether it is an address that shows where it leads: no `https://bank@evil`."""
    if scheme == "mailto":
        return not host and "@" in path
    return scheme in ("http", "https") and _HOST.fullmatch(host) is not None


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False})
    parser.enable(["table", "strikethrough"])
    for name, show in (
        ("image", _image),
        ("skill", _skill),
        ("fence", _code),
        ("code_block", _code),
        ("table_open", _table_open),
        ("table_close", _table_close),
    ):
        parser.add_render_rule(name, show)
    return parser


def _rewrite(tokens: "Sequence[Token]", known: LinkTargets, level: int) -> None:
    taken: dict[str, int] = {}
    headings = [int(one.tag[1]) for one in tokens if one.type == "heading_open"]
    deeper = level - min(headings, default=1)
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _heading_id(tokens[at + 1].content, taken))
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + deeper)}"
        if token.type in ("th_open", "td_open"):
            # A style attribute would be against the page's own policy.
            aligned = _ALIGNED.search(str(token.attrs.pop("style", "")))
            if aligned:
                token.attrSet("class", aligned[1])
        _relink(token.children or [], known.files)
        _link_names(token.children or [], known.skills)


def _heading_id(heading: str, taken: dict[str, int]) -> str:
    """An id as GitHub makes it, with our prefix, so that links of the text work."""
    words = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
    return PREFIX + unused(words, taken)


def _relink(tokens: "Sequence[Token]", files: Mapping[str, str]) -> None:
    opened = ""
    for token in tokens:
        if token.type == "link_open":
            opened = _open(token, target(str(token.attrGet("href") or ""), files))
        elif token.type == "link_close":
            token.tag, opened = opened, ""
        elif token.type == "image":
            # A link inside a link is none; and of what is in the brackets, which may
            # be a link too, only the words stay.
            source = str(token.attrGet("src") or "")
            found = None if opened else target(source, files)
            token.meta = {"shown_at": found, "alt": token.content}


def _link_names(tokens: "Sequence[Token]", skills: Mapping[str, str]) -> None:
    if any(token.type == "link_open" for token in tokens):
        return  # A link inside a link is none.
    for before, token in pairwise(tokens):
        if before.type == "strong_open" and token.content in skills:
            token.type, token.meta = "skill", {"page": skills[token.content]}


def _open(token: "Token", href: str | None) -> str:
    named = str(token.attrGet("href") or "")
    if href is None:
        token.tag = "span"
        token.attrs = {"class": "no-link", "title": f"leads nowhere here: {named}"}
    elif href.startswith("#"):
        token.attrs = {"href": href}
    else:
        token.attrs = {"href": href, "rel": "noopener noreferrer nofollow"}
        token.attrs |= {"class": "outside", "title": href}
    return token.tag


def _image(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *__: Any) -> str:
    words = f"Picture: {tokens[at].meta['alt'] or 'without a description'}"
    shown_at = tokens[at].meta["shown_at"]
    if shown_at is None or not shown_at.startswith("#"):
        return el("span", words, class_="picture")
    return el("a", words, class_="picture", href=shown_at)


def _skill(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *__: Any) -> str:
    return el("a", tokens[at].content, href=tokens[at].meta["page"])


def _code(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *__: Any) -> str:
    return el("pre", el("code", tokens[at].content)) + "\n"


def _table_open(*_: Any) -> str:
    return '<div class="wide"><table>\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"
