"""The Atom feed of a hub: new versions of skills, dated by their commits."""

from operator import itemgetter

from skillforge.render import html
from skillforge.share.hub import Hub
from skillforge.share.site.urls import link_to, page_of

_MOST = 100  # entries


def feed(hub: Hub) -> bytes:
    """The newest versions of all skills, the newest first, then by name."""
    entries = [
        {
            "date": version.date,
            "skill": skill,
            "version": version,
            "title": f"{skill.name} {version.version}".strip(),
            "page": link_to(page_of(skill), hub.url),
        }
        for skill in sorted(hub.skills, key=lambda skill: skill.name)
        for version in skill.versions
    ]
    entries.sort(key=itemgetter("date"), reverse=True)
    return html.render("site/feed.xml", hub=hub, entries=entries[:_MOST]).encode()
