"""What every page has around its content, and the policy that holds it."""

from datetime import datetime
from functools import cache
from pathlib import Path
from string import Template
from typing import NamedTuple

from skillforge.share.hub import Hub
from skillforge.share.site.markup import Html, el, escape, join
from skillforge.share.site.urls import BROWSE, HOME, RELEASE, SEARCH, link_to, root_of

# Nothing is loaded but our own style, scripts and icon, and no script can make markup.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
ASSETS = ("icon.svg", "site.css", "site.js", "theme.js")
_MENU = ((HOME, "Skills"), (f"{BROWSE}/{HOME}", "Browse"), (RELEASE, "Release notes"))
_HERE = Path(__file__).parent


class SitePage(NamedTuple):
    """A page before it is framed; `path` is where it lies."""

    path: str
    title: str
    summary: str
    content: Html
    searches: bool = False

    @property
    def root(self) -> str:
        return root_of(self.path)


def framed(hub: Hub, page: SitePage) -> bytes:
    scripts = el("script", src=link_to(SEARCH, page.root), defer=True)
    title = hub.title if page.path == HOME else f"{page.title} · {hub.title}"
    text = _frame().substitute(
        policy=POLICY,
        title=escape(title),
        summary=escape(page.summary),
        hub=escape(hub.title),
        root=page.root,
        scripts=f"{scripts}\n" if page.searches else "",
        menu=_menu(page),
        content=page.content,
        tag=escape(hub.tag),
        commit=escape(hub.commit[:10]),
        date=day(hub.date),
    )
    return text.encode("utf-8", "replace")


def asset(name: str) -> bytes:
    return (_HERE / name).read_bytes()


def day(date: str) -> Html:
    """A day as people write it; what is no date stands there as it is."""
    try:
        found = datetime.fromisoformat(date)
    except ValueError:
        return escape(date)
    # Not by strftime, whose words are those of the machine's language.
    months = "January February March April May June July August September October"
    month = [*months.split(), "November", "December"][found.month - 1]
    return el("time", f"{found.day} {month} {found.year}", datetime=date)


def count_of(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@cache
def _frame() -> Template:
    return Template((_HERE / "frame.html").read_text(encoding="utf-8"))


def _menu(page: SitePage) -> Html:
    here = "page" if page.path else None
    return join(
        el(
            "a",
            words,
            href=link_to(path, page.root),
            aria_current=here if path == page.path else None,
        )
        for path, words in _MENU
    )
