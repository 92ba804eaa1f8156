"""The search index: one small file for all skills, read by site.js.

It is a script, not JSON, because a page that is opened from a disk can't fetch.
"""

import json
import re
from collections.abc import Iterator

from skillforge.render.html import visible
from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.site.badges import Badge, row_badges, success_rate
from skillforge.share.site.urls import folder_of, group_of
from skillforge.text import shortened_between_words

MAX_ABOUT = 180  # characters of a description that a list shows
_WORD = re.compile(r"[^\W_]{3,}")


def search_index(hub: Hub) -> bytes:
    """A call with three tables; rows refer to groups and badges by number.

    A row is name, about, version, group, badges, date, rate, further words, folder;
    empty values at its end are omitted.
    """
    groups: dict[str, int] = {}
    badges: dict[tuple[Badge, ...], int] = {}
    rows = []
    for skill in hub.skills:
        group = groups.setdefault(group_of(skill), len(groups))
        badge = badges.setdefault(row_badges(skill), len(badges))
        rows.append(_row(skill, group, badge))
    tables = {
        "groups": [visible(group) for group in groups],
        "marks": [
            [(visible(badge.text), badge.tone) for badge in shown] for shown in badges
        ],
        "skills": rows,
    }
    text = json.dumps(tables, ensure_ascii=False, separators=(",", ":"))
    return f"skillIndex({text});\n".encode("utf-8", "replace")


def about(skill: PublishedSkill) -> str:
    """The beginning of a description, on one line."""
    return shortened_between_words(" ".join(skill.description.split()), MAX_ABOUT)


def date_of(skill: PublishedSkill) -> str:
    return skill.versions[0].date[:10] if skill.versions else ""


def _row(skill: PublishedSkill, group: int, badges: int) -> list[str | int]:
    shown = about(skill)
    folder = folder_of(skill.name)
    row: list[str | int] = [
        visible(skill.name),
        visible(shown),
        visible(skill.version),
        group,
        badges,
        visible(date_of(skill)),
        success_rate(skill.figures),
        " ".join(_further(skill.description, shown)),
        "" if folder == skill.name else folder,
    ]
    while row[-1] == "":
        row.pop()
    return row


def _further(description: str, shown: str) -> Iterator[str]:
    """The words that a list does not show, once each, for the search."""
    visible_words = set(_WORD.findall(shown.lower()))
    words = dict.fromkeys(_WORD.findall(description.lower()))
    return (word for word in words if word not in visible_words)
