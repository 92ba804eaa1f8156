"""Untrusted Markdown as safe HTML: no scripts, no requests, no disguised links."""

import html
import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from skillforge.render.html import visible
from skillforge.share.site.urls import unused

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markupsafe import Markup

MAX_LENGTH = 100_000
PREFIX = "md-"  # of ids from headings, so that none equals an id of the page
_ALIGNED = re.compile(r"text-align:(left|center|right)")
_HOST = re.compile(r"[\w.-]+(?::\d{1,5})?")


class LinkTargets(NamedTuple):
    """Where links may lead: files of the skill, and the pages of other skills."""

    files: Mapping[str, str] = {}
    skills: Mapping[str, str] = {}


def render(text: str, targets: LinkTargets, level: int = 3) -> "Markup":
    """The text as HTML; a skill's name in bold links to its page.

    Its top headings are of `level`. Raw HTML is shown as text and images are named,
    not loaded. A link leads to the web, into the same text or to a file of the skill;
    any other link is removed.
    """
    from markupsafe import Markup

    parser = _parser()
    tokens = parser.parse(visible(text[:MAX_LENGTH]))
    _rewrite(tokens, targets, level)
    # Once more: an entity such as &#x202E; becomes a character only in the parser.
    rendered = visible(parser.renderer.render(tokens, parser.options, {}))
    if len(text) > MAX_LENGTH:
        rendered += '<p class="cut">Truncated; open the file to read the rest.</p>'
    return Markup(rendered)  # noqa: S704  the parser escapes all text


def target(href: str, files: Mapping[str, str]) -> str | None:
    """Where a link may lead; None if it must be removed."""
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
    """Whether the address shows its true host, unlike `https://bank@evil`."""
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


def _rewrite(tokens: "Sequence[Token]", targets: LinkTargets, level: int) -> None:
    taken: dict[str, int] = {}
    headings = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    deeper = level - min(headings, default=1)
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _heading_id(tokens[at + 1].content, taken))
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + deeper)}"
        if token.type in ("th_open", "td_open"):
            # The policy of the page forbids style attributes.
            aligned = _ALIGNED.search(str(token.attrs.pop("style", "")))
            if aligned:
                token.attrSet("class", aligned[1])
        _relink(token.children or [], targets.files)
        _link_names(token.children or [], targets.skills)


def _heading_id(heading: str, taken: dict[str, int]) -> str:
    """The id that GitHub would give it, with our prefix, so that links work."""
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
            # Links can't be nested: inside one, and from its own label, only the text
            # of an image stays.
            source = str(token.attrGet("src") or "")
            href = None if opened else target(source, files)
            token.meta = {"shown_at": href, "alt": token.content}


def _link_names(tokens: "Sequence[Token]", skills: Mapping[str, str]) -> None:
    if any(token.type == "link_open" for token in tokens):
        return  # Links can't be nested.
    for before, token in pairwise(tokens):
        if before.type == "strong_open" and token.content in skills:
            token.type, token.meta = "skill", {"page": skills[token.content]}


def _open(token: "Token", href: str | None) -> str:
    named = str(token.attrGet("href") or "")
    if href is None:
        token.tag = "span"
        token.attrs = {"class": "no-link", "title": f"link removed: {named}"}
    elif href.startswith("#"):
        token.attrs = {"href": href}
    else:
        token.attrs = {"href": href, "rel": "noopener noreferrer nofollow"}
        token.attrs |= {"class": "outside", "title": href}
    return token.tag


def _image(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *__: Any) -> str:
    label = html.escape(f"Image: {tokens[at].meta['alt'] or 'no description'}")
    href = tokens[at].meta["shown_at"]
    if href is None or not href.startswith("#"):
        return f'<span class="picture">{label}</span>'
    return f'<a class="picture" href="{html.escape(href)}">{label}</a>'


def _skill(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *__: Any) -> str:
    href, name = tokens[at].meta["page"], tokens[at].content
    return f'<a href="{html.escape(href)}">{html.escape(name)}</a>'


def _code(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *__: Any) -> str:
    return f"<pre><code>{html.escape(tokens[at].content)}</code></pre>\n"


def _table_open(*_: Any) -> str:
    return '<div class="wide"><table>\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"
