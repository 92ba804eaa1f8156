"""What the page searches in: one small file for all skills, read by site.js.

It is a script and not JSON, since a page that is opened from a disk may not fetch.
"""

import json
import re
from collections.abc import Iterator

from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.site.markup import visible
from skillforge.share.site.states import marks, success
from skillforge.share.site.urls import folder_of, group_of

ABOUT = 180  # letters of a description that a list shows
_WORD = re.compile(r"[^\W_]{3,}")


def search_index(hub: Hub) -> bytes:
    """A call with three tables; a row names groups and marks by their number.

    A row is name, about, version, group, marks, date, rate, further words, folder;
    what is empty at its end is left out.
    """
    groups: dict[str, int] = {}
    seen: dict[tuple[tuple[str, str], ...], int] = {}
    rows = []
    for skill in hub.skills:
        group = groups.setdefault(group_of(skill), len(groups))
        marked = tuple((mark.words, mark.tone) for mark in marks(skill))
        rows.append(_row(skill, group, seen.setdefault(marked, len(seen))))
    tables = {
        "groups": [visible(g) for g in groups],
        "marks": list(seen),
        "skills": rows,
    }
    text = json.dumps(tables, ensure_ascii=False, separators=(",", ":"))
    return f"skillIndex({text});\n".encode("utf-8", "replace")


def shortened(description: str) -> str:
    """The beginning of a description, cut between words."""
    words = " ".join(description.split())
    if len(words) <= ABOUT:
        return words
    return words[:ABOUT].rsplit(" ", 1)[0].rstrip(",;:") + " …"


def date_of(skill: PublishedSkill) -> str:
    return skill.versions[0].date[:10] if skill.versions else ""


def _row(skill: PublishedSkill, group: int, marked: int) -> list[str | int]:
    about = shortened(skill.description)
    folder = folder_of(skill.name)
    row: list[str | int] = [
        visible(skill.name),
        visible(about),
        visible(skill.version),
        group,
        marked,
        visible(date_of(skill)),
        success(skill.figures),
        " ".join(_further(skill.description, about)),
        "" if folder == skill.name else folder,
    ]
    while row[-1] == "":
        row.pop()
    return row


def _further(description: str, about: str) -> Iterator[str]:
    """The words that a list does not show, once each: they are found all the same."""
    seen = set(_WORD.findall(about.lower()))
    for word in _WORD.findall(description.lower()):
        if word not in seen:
            seen.add(word)
            yield word
