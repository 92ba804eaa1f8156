"""The page of one skill: how to get it, what it says, how it came to be."""

from functools import cache
from urllib.parse import urlencode

from skillforge.model import SKILL_FILE
from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.site.files import file_list, places
from skillforge.share.site.frame import SitePage
from skillforge.share.site.install_commands import InstallLine, install_lines
from skillforge.share.site.markup import Child, Html, el, join, visible
from skillforge.share.site.states import facts
from skillforge.share.site.texts import Texts
from skillforge.share.site.urls import (
    HOME,
    UNGROUPED,
    group_of,
    link_to,
    page_of,
    root_of,
)
from skillforge.share.site.versions import history, reason

_SECTIONS = ("Install", "Why", "Instructions", "Files", "Versions")


def skill_page(hub: Hub, skill: PublishedSkill, texts: Texts) -> SitePage:
    """Its sections beside what is known of it; all of it works without a script."""
    path = page_of(skill)
    aside = el("aside", facts(skill), aria_label="At a glance", class_="facts")
    story = el("div", _contents(), _story(hub, skill, texts), class_="story")
    content = join(_head(skill, root_of(path)), el("div", aside, story, class_="skill"))
    return SitePage(path, skill.name, skill.description[:200], content)


def _head(skill: PublishedSkill, root: str) -> Html:
    home = link_to(HOME, root)
    asked = urlencode({"group": visible(group_of(skill))})  # as site.js reads it
    group = el("a", el("bdi", group_of(skill)), href=f"{home}#{asked}")
    has_group = group_of(skill) != UNGROUPED
    links = [el("a", "Skills", href=home), *([group] if has_group else [])]
    crumbs = el("ol", (el("li", link) for link in links))
    return el(
        "header",
        el("nav", crumbs, aria_label="Where this is", class_="crumbs"),
        el("h1", el("bdi", skill.name)),
        el("p", el("bdi", skill.description), class_="lead"),
        class_="head",
    )


@cache
def _contents() -> Html:
    links = (el("li", el("a", name, href=f"#{name.lower()}")) for name in _SECTIONS)
    return el("nav", el("ul", links), aria_label="On this page", class_="contents")


def _story(hub: Hub, skill: PublishedSkill, texts: Texts) -> Html:
    lines = el("ul", map(_install, install_lines(hub, skill)), class_="installs")
    return join(
        _section("Install", "Install", lines),
        _section("Why", "Why it exists", reason(skill)),
        _section("Instructions", "Instructions", _instructions(skill, texts)),
        _section("Files", "Files", file_list(skill.files)),
        _section("Versions", "Versions", history(skill)),
    )


def _section(name: str, title: str, content: Child) -> Html:
    heading = el("h2", title, id=f"{name.lower()}-title")
    labelled = f"{name.lower()}-title"
    return el("section", heading, content, id=name.lower(), aria_labelledby=labelled)


def _install(line: InstallLine) -> Html:
    return el(
        "li",
        el("span", line.client, class_="client"),
        el("code", line.command),
        el("button", "Copy", type="button", class_="copy", hidden=True),
        el("small", line.note) if line.note else None,
    )


def _instructions(skill: PublishedSkill, texts: Texts) -> Html:
    """What the author wrote, in a frame that says so: it is no part of our page."""
    shown = places(skill.files)
    told = el("p", "What an agent reads, as its author wrote it", class_="told")
    empty = el("p", "There is nothing after the header of this skill.", class_="empty")
    text = texts.html(skill) if skill.document.body.strip() else empty
    return join(
        el("div", told, el("a", "Source", href=shown.get(SKILL_FILE)), class_="bar"),
        el("div", text, class_="prose", dir="auto"),
    )
