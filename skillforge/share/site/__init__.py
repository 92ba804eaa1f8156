"""The pages of a Skills Hub: static files that need no server, network or build.

A skill's text is untrusted. It reaches a page as escaped text or through
`markdown.render`, and every page's policy blocks any other script or request.
"""

from collections.abc import Iterable, Mapping

from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.site import markdown
from skillforge.share.site.listing import home, lists
from skillforge.share.site.search_index import search_index
from skillforge.share.site.site_page import SitePage, assets, render_page
from skillforge.share.site.skill_page import skill_page
from skillforge.share.site.texts import Texts
from skillforge.share.site.urls import RELEASE, SEARCH, link_to, page_of, root_of


def pages(hub: Hub) -> Mapping[str, bytes]:
    """Every file of the site by its path; the same hub gives the same bytes."""
    return {**shared_pages(hub), **skill_pages(hub, hub.skills, Texts())}


def shared_pages(hub: Hub) -> dict[str, bytes]:
    """All files except the pages of the skills."""
    pages = [home(hub), *lists(hub), _release_notes(hub)]
    return {
        **{page.path: render_page(hub, page) for page in pages},
        **assets(),
        SEARCH: search_index(hub),
    }


def skill_pages(
    hub: Hub, skills: Iterable[PublishedSkill], texts: Texts
) -> dict[str, bytes]:
    """The pages of some skills, so that several processes can share the work."""
    pages = (skill_page(hub, skill, texts) for skill in skills)
    return {page.path: render_page(hub, page) for page in pages}


def _release_notes(hub: Hub) -> SitePage:
    root = root_of(RELEASE)
    links = {skill.name: link_to(page_of(skill), root) for skill in hub.skills}
    targets = markdown.LinkTargets(skills=links)
    notes = markdown.render(hub.notes, targets, level=2) if hub.notes.strip() else ""
    title = f"Release {hub.tag}"
    return SitePage(
        RELEASE, "release", title, f"Changes in {hub.tag}", {"notes": notes}
    )
