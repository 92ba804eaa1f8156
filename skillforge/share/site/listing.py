"""Lists of skills: the page one starts from, and every skill without a script."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.site.frame import SitePage, count_of, day
from skillforge.share.site.markup import Html, el, join
from skillforge.share.site.search_index import date_of, shortened
from skillforge.share.site.states import marks, shown, success
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
MOST_GROUPS = 30  # that stand beside the list


def groups_of(hub: Hub) -> dict[str, int]:
    """Each group and how many skills are in it: the largest first, the rest last."""
    counted = Counter(group_of(skill) for skill in hub.skills)
    in_order = sorted(counted, key=lambda g: (g == UNGROUPED, -counted[g], g))
    return {group: counted[group] for group in in_order}


def home(hub: Hub) -> SitePage:
    """The search, the groups, and the first of the skills; site.js does the rest."""
    groups = groups_of(hub)
    told = join(count_of(len(hub.skills), "skill"), " in release ", el("bdi", hub.tag))
    content = join(
        el("h1", hub.title),
        el("p", told, ", ", day(hub.date), class_="lead"),
        _search() if hub.skills else None,
        el(
            "div",
            _group_links(groups),
            _results(hub) if hub.skills else _nothing(),
            class_="finder",
        ),
        el("template", el("ul", _blank_row()), id="row"),
    )
    summary = f"{count_of(len(hub.skills), 'skill')} for agents, release {hub.tag}"
    return SitePage(HOME, hub.title, summary, content, searches=bool(hub.skills))


def lists(hub: Hub) -> Iterator[SitePage]:
    """Every skill by name and by group, in pages of bounded size."""
    groups = groups_of(hub)
    yield from _listed(BROWSE, "All skills", hub.skills)
    yield _all_groups(groups)
    members: dict[str, list[PublishedSkill]] = {group: [] for group in groups}
    for skill in hub.skills:
        members[group_of(skill)].append(skill)
    for group, slug in slugs(groups).items():
        yield from _listed(f"{GROUPS}/{slug}", group, members[group])


def _search() -> Html:
    field = el(
        "input",
        type="search",
        id="find",
        autocomplete="off",
        spellcheck="false",
        placeholder="What should it do?",
        aria_controls="results",
        aria_describedby="keys",
    )
    keys = join(el("kbd", "/"), " to search, ", el("kbd", "↓"), " to go through")
    return el(
        "form",
        el("label", "Find a skill", for_="find"),
        field,
        el("p", keys, id="keys", class_="quiet"),
        role="search",
        hidden=True,
    )


def _group_links(groups: dict[str, int]) -> Html | None:
    if set(groups) <= {UNGROUPED}:
        return None
    folders = slugs(groups)
    links = [_group_link("All", sum(groups.values()), BROWSE)] + [
        _group_link(group, count, f"{GROUPS}/{folders[group]}")
        for group, count in islice(groups.items(), MOST_GROUPS)
    ]
    more = el("a", "More groups", href=f"{GROUPS}/{HOME}")
    return el(
        "nav",
        el("h2", "Groups"),
        el("ul", links),
        el("p", more) if len(groups) > MOST_GROUPS else None,
        aria_label="Groups",
        class_="groups",
    )


def _group_link(group: str, count: int, folder: str) -> Html:
    """A link to a list of its own, of which site.js makes a filter."""
    name, number = el("bdi", group), el("span", f"{count:,}", class_="count")
    href = link_to(f"{folder}/{HOME}", "")
    return el("li", el("a", name, number, href=href, data_group=True))


def _results(hub: Hub) -> Html:
    first = hub.skills[:FIRST]
    rest = el("a", "All skills from A to Z", href=f"{BROWSE}/{HOME}")
    return el(
        "section",
        el("h2", "Skills", class_="unseen"),
        el("p", count_of(len(hub.skills), "skill"), id="count", role="status"),
        el("ul", (row(skill, "") for skill in first), id="results", class_="rows"),
        el("p", el("button", "More", type="button", id="more", hidden=True)),
        el("p", rest, class_="rest") if len(hub.skills) > FIRST else None,
        aria_label="Skills",
    )


def _nothing() -> Html:
    told = "Nothing has been published here yet."
    hint = join(
        "Skills appear with the first release: ", el("code", "skillforge release")
    )
    return el("section", el("p", told), el("p", hint, class_="quiet"), class_="empty")


def row(skill: PublishedSkill, root: str) -> Html:
    """One skill in a list; site.js fills the template of the same shape."""
    said = [shown(mark) for mark in marks(skill)]
    rate = success(skill.figures)
    return el(
        "li",
        el(
            "h3",
            el("a", el("bdi", skill.name), href=link_to(page_of(skill), root)),
            el("span", el("bdi", skill.version), class_="version"),
        ),
        el("p", el("bdi", shortened(skill.description)), class_="about"),
        el(
            "p",
            el("span", el("bdi", _shown_group(skill)), class_="group"),
            el("span", said, class_="marks"),
            el("span", f"{rate} success" if rate else "", class_="rate"),
            el("span", date_of(skill), class_="date"),
            class_="said-of",
        ),
    )


def _shown_group(skill: PublishedSkill) -> str:
    group = group_of(skill)
    return "" if group == UNGROUPED else group


def _blank_row() -> Html:
    return el(
        "li",
        el("h3", el("a", el("bdi")), el("span", el("bdi"), class_="version")),
        el("p", el("bdi"), class_="about"),
        el(
            "p",
            el("span", el("bdi"), class_="group"),
            el("span", class_="marks"),
            el("span", class_="rate"),
            el("span", class_="date"),
            class_="said-of",
        ),
    )


def _listed(
    folder: str, title: str, skills: Sequence[PublishedSkill]
) -> Iterator[SitePage]:
    slices = [skills[at : at + ON_A_PAGE] for at in range(0, len(skills), ON_A_PAGE)]
    paths = [_nth(folder, at) for at in range(len(slices))] or [_nth(folder, 0)]
    for at, path in enumerate(paths):
        root = root_of(path)
        part = f" ({at + 1} of {len(paths)})" if len(paths) > 1 else ""
        rows = (row(skill, root) for skill in slices[at]) if slices else ()
        content = join(
            el("h1", el("bdi", title)),
            el("p", count_of(len(skills), "skill"), part, class_="lead"),
            _ranges(slices, paths, root) if at == 0 and len(paths) > 1 else None,
            el("ul", rows, class_="rows") if slices else _nothing(),
            _turn(paths, at, root),
        )
        yield SitePage(
            path, f"{title}{part}", f"{title}: {len(skills)} skills", content
        )


def _nth(folder: str, at: int) -> str:
    return f"{folder}/page-{at + 1}.html" if at else f"{folder}/{HOME}"


def _ranges(
    slices: Sequence[Sequence[PublishedSkill]], paths: Sequence[str], root: str
) -> Html:
    """Where each name is to be found, as on the backs of an encyclopedia."""
    links = (
        el(
            "li",
            el("a", part[0].name, " – ", part[-1].name, href=link_to(path, root)),
        )
        for part, path in zip(slices, paths, strict=True)
    )
    return el("nav", el("ol", links), aria_label="Pages", class_="ranges")


def _turn(paths: Sequence[str], at: int, root: str) -> Html | None:
    if len(paths) < 2:
        return None
    before = at > 0 and el(
        "a", "← Page before", href=link_to(paths[at - 1], root), rel="prev"
    )
    after = at + 1 < len(paths) and el(
        "a", "Next page →", href=link_to(paths[at + 1], root), rel="next"
    )
    turns = [turn for turn in (before, after) if turn]
    return el("nav", turns, aria_label="Turn the page", class_="turn")


def _all_groups(groups: dict[str, int]) -> SitePage:
    path = f"{GROUPS}/{HOME}"
    folders = slugs(groups)
    links = (
        el(
            "li",
            el(
                "a",
                el("bdi", group),
                href=link_to(f"{GROUPS}/{folders[group]}/{HOME}", "../"),
            ),
            " ",
            el("span", f"{count:,}", class_="count"),
        )
        for group, count in groups.items()
    )
    content = join(
        el("h1", "Groups"),
        el("p", count_of(len(groups), "group"), class_="lead"),
        el("ul", links, class_="all-groups") if groups else _nothing(),
    )
    return SitePage(path, "Groups", "The groups of skills", content)
