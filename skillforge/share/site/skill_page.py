"""The page of one skill: install commands, instructions, files and history."""

from collections.abc import Iterator
from urllib.parse import urlencode

from skillforge.model import SKILL_FILE
from skillforge.render.html import visible
from skillforge.report import plural
from skillforge.share.hub import Figures, Hub, PublishedSkill
from skillforge.share.site.badges import Badge, state_badge, success_rate
from skillforge.share.site.files import anchors, file_entries
from skillforge.share.site.install_commands import install_lines
from skillforge.share.site.site_page import SitePage
from skillforge.share.site.texts import Texts
from skillforge.share.site.urls import (
    HOME,
    UNGROUPED,
    group_of,
    link_to,
    page_of,
    root_of,
)
from skillforge.share.site.versions import first_version, version_entries


def skill_page(hub: Hub, skill: PublishedSkill, texts: Texts) -> SitePage:
    """The page of a skill; all of it works without a script."""
    path = page_of(skill)
    examples = skill.examples
    values = {
        "skill": skill,
        "group": _group_link(skill, root_of(path)),
        "states": list(_states(skill)),
        "based_on": plural(examples, "reviewed example") if examples else "",
        "success": _success(skill.figures),
        "fields": list(_fields(skill)),
        "install": list(install_lines(hub, skill)),
        "origin": first_version(skill),
        "source": anchors(skill.files).get(SKILL_FILE),
        "text": texts.html(skill) if skill.document.body.strip() else "",
        "files": list(file_entries(skill.files)),
        "versions": list(version_entries(skill)),
    }
    return SitePage(path, "skill", skill.name, skill.description[:200], values)


def _group_link(skill: PublishedSkill, root: str) -> dict[str, str] | None:
    """A link to the home page with the group selected, as site.js reads it."""
    group = group_of(skill)
    if group == UNGROUPED:
        return None
    selected = urlencode({"group": visible(group)})
    return {"name": group, "href": f"{link_to(HOME, root)}#{selected}"}


def _states(skill: PublishedSkill) -> Iterator[tuple[str, Badge]]:
    states = (
        ("Security scan", skill.scan_state),
        ("Tests", skill.tests),
        ("Health", skill.figures.health),
    )
    return ((term, state_badge(state)) for term, state in states if state)


def _success(figures: Figures) -> dict[str, str] | None:
    if figures.success is None:
        return None
    interval = ""
    if figures.interval:
        low, high = figures.interval
        interval = f"95% interval: {low:.0%} to {high:.0%}"
    meter = f"{min(1.0, max(0.0, figures.success)):.3f}"
    return {"rate": success_rate(figures), "meter": meter, "interval": interval}


def _fields(skill: PublishedSkill) -> Iterator[tuple[str, str]]:
    if skill.license:
        yield "License", skill.license[:200]
    for field in ("compatibility", "allowed-tools"):
        if text := skill.document.words(field):
            yield field.replace("-", " ").capitalize(), text
