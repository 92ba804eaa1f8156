"""Lists of skills: the home page, and pages that list every skill without a script."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from skillforge.report import plural
from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.site.badges import Badge, row_badges, success_rate
from skillforge.share.site.search_index import about, date_of
from skillforge.share.site.site_page import SitePage
from skillforge.share.site.urls import (
    BROWSE,
    GROUPS,
    HOME,
    UNGROUPED,
    group_of,
    link_to,
    page_of,
    root_of,
    slugs,
)

FIRST = 40  # rows that a list begins with; site.js adds as many at a time
ON_A_PAGE = 200
MAX_GROUPS = 30  # beside the list


class SkillRow(NamedTuple):
    """One skill in a list; an empty one is what site.js fills."""

    href: str = ""
    name: str = ""
    version: str = ""
    about: str = ""
    group: str = ""
    badges: tuple[Badge, ...] = ()
    rate: str = ""
    date: str = ""


class GroupLink(NamedTuple):
    """A group with its page and how many skills it has."""

    name: str
    size: str
    href: str


def groups_of(hub: Hub) -> dict[str, int]:
    """Each group with its number of skills: the largest first, the ungrouped last."""
    counts = Counter(group_of(skill) for skill in hub.skills)
    order = sorted(
        counts, key=lambda group: (group == UNGROUPED, -counts[group], group)
    )
    return {group: counts[group] for group in order}


def home(hub: Hub) -> SitePage:
    """The search, the groups and the first skills; site.js adds the rest."""
    groups = groups_of(hub)
    count = plural(len(hub.skills), "skill")
    links = [
        GroupLink("All", f"{len(hub.skills):,}", f"{BROWSE}/{HOME}"),
        *islice(_group_links(groups, ""), MAX_GROUPS),
    ]
    values = {
        "count": count,
        "groups": [] if set(groups) <= {UNGROUPED} else links,
        "has_more_groups": len(groups) > MAX_GROUPS,
        "rows": [skill_row(skill, "") for skill in hub.skills[:FIRST]],
        "has_more_skills": len(hub.skills) > FIRST,
        "empty_row": SkillRow(),
    }
    summary = f"{count} for agents, release {hub.tag}"
    return SitePage(HOME, "home", hub.title, summary, values, bool(hub.skills))


def lists(hub: Hub) -> Iterator[SitePage]:
    """Every skill by name and by group, on pages of bounded size."""
    groups = groups_of(hub)
    yield from _list_pages(BROWSE, "All skills", hub.skills)
    yield _all_groups(groups)
    members: dict[str, list[PublishedSkill]] = {group: [] for group in groups}
    for skill in hub.skills:
        members[group_of(skill)].append(skill)
    for group, slug in slugs(groups).items():
        yield from _list_pages(f"{GROUPS}/{slug}", group, members[group])


def skill_row(skill: PublishedSkill, root: str) -> SkillRow:
    group, rate = group_of(skill), success_rate(skill.figures)
    return SkillRow(
        href=link_to(page_of(skill), root),
        name=skill.name,
        version=skill.version,
        about=about(skill),
        group="" if group == UNGROUPED else group,
        badges=row_badges(skill),
        rate=f"{rate} success" if rate else "",
        date=date_of(skill),
    )


def _list_pages(
    folder: str, title: str, skills: Sequence[PublishedSkill]
) -> Iterator[SitePage]:
    slices = [skills[at : at + ON_A_PAGE] for at in range(0, len(skills), ON_A_PAGE)]
    slices = slices or [()]
    paths = [_page_path(folder, at) for at in range(len(slices))]
    for at, path in enumerate(paths):
        root = root_of(path)
        links = [link_to(other, root) for other in paths]
        part = f" ({at + 1} of {len(paths)})" if len(paths) > 1 else ""
        values = {
            "heading": title,
            "count": plural(len(skills), "skill") + part,
            "ranges": _ranges(slices, links) if part and at == 0 else [],
            "rows": [skill_row(skill, root) for skill in slices[at]],
            "previous": links[at - 1] if at else "",
            "next": links[at + 1] if at + 1 < len(links) else "",
        }
        summary = f"{title}: {plural(len(skills), 'skill')}"
        yield SitePage(path, "list", f"{title}{part}", summary, values)


def _page_path(folder: str, at: int) -> str:
    return f"{folder}/page-{at + 1}.html" if at else f"{folder}/{HOME}"


def _ranges(
    slices: Sequence[Sequence[PublishedSkill]], links: Sequence[str]
) -> list[dict[str, str]]:
    """The first and last name on each page."""
    return [
        {"href": href, "first": part[0].name, "last": part[-1].name}
        for part, href in zip(slices, links, strict=True)
    ]


def _group_links(groups: Mapping[str, int], root: str) -> Iterator[GroupLink]:
    for group, slug in slugs(groups).items():
        href = link_to(f"{GROUPS}/{slug}/{HOME}", root)
        yield GroupLink(group, f"{groups[group]:,}", href)


def _all_groups(groups: Mapping[str, int]) -> SitePage:
    path = f"{GROUPS}/{HOME}"
    values = {
        "count": plural(len(groups), "group"),
        "groups": list(_group_links(groups, root_of(path))),
    }
    return SitePage(path, "groups", "Groups", "All groups of skills", values)
