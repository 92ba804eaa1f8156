"""A page of the site before it is rendered, and the assets that all pages share."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from skillforge.render import html
from skillforge.share.hub import Hub
from skillforge.share.site.urls import BROWSE, HOME, RELEASE, link_to, root_of

_ASSETS = {
    "icon.svg": ("icon.svg",),
    "site.css": ("base.css", "site.css"),
    "site.js": ("site.js",),
    "theme.js": ("theme.js",),
}
_MENU = ((HOME, "Skills"), (f"{BROWSE}/{HOME}", "Browse"), (RELEASE, "Release notes"))
# Not from strftime, which follows the machine's locale.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)


class SitePage(NamedTuple):
    """A page: its path, the template that shows it, and the values for that."""

    path: str
    template: str
    title: str
    summary: str
    values: Mapping[str, Any]
    has_search: bool = False


def render_page(hub: Hub, page: SitePage) -> bytes:
    root = root_of(page.path)
    menu = [
        {"href": link_to(path, root), "name": name, "is_current": path == page.path}
        for path, name in _MENU
    ]
    title = hub.title if page.path == HOME else f"{page.title} · {hub.title}"
    text = html.render(
        f"site/{page.template}.html",
        hub=hub,
        page=page,
        root=root,
        menu=menu,
        title=title,
        day=day(hub.date),
        **page.values,
    )
    return text.encode()


def assets() -> dict[str, bytes]:
    """Styles, scripts and the icon, by path."""
    return {
        f"assets/{name}": html.static(*parts).encode()
        for name, parts in _ASSETS.items()
    }


def day(date: str) -> str:
    """A date as people write it; empty if it is not a date."""
    try:
        parsed = datetime.fromisoformat(date)
    except ValueError:
        return ""
    return f"{parsed.day} {_MONTHS[parsed.month - 1]} {parsed.year}"
