"""The pages of a Skills Hub: plain files that need no server, no network, no build.

What a skill says of itself is not to be trusted. It reaches a page as text or through
`markdown.render`, and every page carries a policy under which nothing else would run
or load if it did not.
"""

from collections.abc import Iterable, Mapping

from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.site import markdown
from skillforge.share.site.frame import ASSETS, SitePage, asset, day, framed
from skillforge.share.site.listing import home, lists
from skillforge.share.site.markup import el, join
from skillforge.share.site.search_index import search_index
from skillforge.share.site.skill_page import skill_page
from skillforge.share.site.texts import Texts
from skillforge.share.site.urls import FEED, RELEASE, SEARCH, link_to, page_of, root_of


def pages(hub: Hub) -> Mapping[str, bytes]:
    """Every file of the site by its path; the same hub gives the same bytes."""
    return {**shared_pages(hub), **skill_pages(hub, hub.skills, Texts())}


def shared_pages(hub: Hub) -> dict[str, bytes]:
    """All but the pages of the skills."""
    made = [home(hub), *lists(hub), _release_notes(hub)]
    return {
        **{page.path: framed(hub, page) for page in made},
        **{f"assets/{name}": asset(name) for name in ASSETS},
        SEARCH: search_index(hub),
    }


def skill_pages(
    hub: Hub, skills: Iterable[PublishedSkill], texts: Texts
) -> dict[str, bytes]:
    """The pages of some of its skills: what takes long can be shared out."""
    made = (skill_page(hub, skill, texts) for skill in skills)
    return {page.path: framed(hub, page) for page in made}


def _release_notes(hub: Hub) -> SitePage:
    root = root_of(RELEASE)
    named = {skill.name: link_to(page_of(skill), root) for skill in hub.skills}
    known = markdown.LinkTargets(skills=named)
    empty = el("p", "Nothing is written about this release.", class_="empty")
    notes = el("div", markdown.render(hub.notes, known, level=2), class_="prose plain")
    content = join(
        el("h1", "Release ", el("bdi", hub.tag)),
        el("p", day(hub.date), class_="lead"),
        notes if hub.notes.strip() else empty,
        el(
            "p", el("a", "Follow the releases", href=link_to(FEED, root)), class_="rest"
        ),
    )
    return SitePage(RELEASE, f"Release {hub.tag}", f"What is new in {hub.tag}", content)
