"""Where each page lies. Names are not to be trusted: none leaves its folder."""

import re
from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import quote

from skillforge.share.hub import PublishedSkill

HOME = "index.html"
BROWSE = "browse"
GROUPS = "groups"
RELEASE = "release/index.html"
FEED = "index.xml"
SEARCH = "assets/search.js"
UNGROUPED = "Other"
_PLAIN = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def folder_of(name: str) -> str:
    """The name itself where it is one, so that no other text becomes a path."""
    if len(name) <= 64 and _PLAIN.fullmatch(name) and name == name.lower():
        return name
    return "_" + sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def page_of(skill: PublishedSkill) -> str:
    return f"skills/{folder_of(skill.name)}/index.html"


def link_to(page: str, root: str) -> str:
    """The address of a page, from one whose way up to the top is `root`.

    It names the file, not its folder, so that it works from a disk as well.
    """
    return root + quote(page)


def root_of(page: str) -> str:
    return "../" * page.count("/")


def group_of(skill: PublishedSkill) -> str:
    return skill.group.strip() or UNGROUPED


def slugs(groups: Iterable[str]) -> dict[str, str]:
    """A folder for each group; two that would get the same one are numbered."""
    taken: dict[str, int] = {}
    return {group: unused(_slug(group), taken) for group in groups}


def unused(wanted: str, taken: dict[str, int]) -> str:
    """What is wanted, with a number behind it where that is taken; takes it."""
    found = wanted
    while found in taken:
        taken[wanted] += 1
        found = f"{wanted}-{taken[wanted]}"
    taken[found] = 0
    return found


def _slug(group: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", group.lower()).strip("-")[:40] or "group"
