"""The pages of a Skills Hub: plain files that need no server, no network, no build.

What a skill says of itself is not to be trusted. It reaches a page as text or through
`markdown.render`, and every page carries a policy under which nothing else would run
or load if it did not.
"""

from collections.abc import Iterator, Mapping

from skillforge.share.hub import Hub
from skillforge.share.site import markdown
from skillforge.share.site.address import FEED, RELEASE, SEARCH, link_to
from skillforge.share.site.frame import ASSETS, Page, asset, day, framed
from skillforge.share.site.listing import home, lists
from skillforge.share.site.markup import el, join
from skillforge.share.site.search_index import search_index
from skillforge.share.site.skill_page import skill_page


def pages(hub: Hub) -> Mapping[str, bytes]:
    """Every file of the site by its path; the same hub gives the same bytes."""
    made = {page.path: framed(hub, page) for page in _pages(hub)}
    made |= {f"assets/{name}": asset(name) for name in ASSETS}
    return made | {SEARCH: search_index(hub)}


def _pages(hub: Hub) -> Iterator[Page]:
    yield home(hub)
    yield from lists(hub)
    yield _release_notes(hub)
    for skill in hub.skills:
        yield skill_page(hub, skill)


def _release_notes(hub: Hub) -> Page:
    notes = markdown.render(hub.notes, level=2) if hub.notes.strip() else None
    content = join(
        el("h1", "Release ", el("bdi", hub.tag)),
        el("p", day(hub.date), class_="lead"),
        el("div", notes, class_="prose plain")
        if notes
        else el("p", "Nothing is written about this release.", class_="empty"),
        el(
            "p",
            el("a", "Follow the releases", href=link_to(FEED, "../")),
            class_="rest",
        ),
    )
    return Page(RELEASE, f"Release {hub.tag}", f"What is new in {hub.tag}", content)
