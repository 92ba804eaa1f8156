"""The path of each page. Names are untrusted: none can leave its folder."""

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
    """The folder of a skill: its name, or a digest of an unusual name."""
    if len(name) <= 64 and _PLAIN.fullmatch(name) and name == name.lower():
        return name
    return "_" + sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def page_of(skill: PublishedSkill) -> str:
    return f"skills/{folder_of(skill.name)}/index.html"


def link_to(page: str, root: str) -> str:
    """A relative link to a page; `root` leads from the linking page to the top.

    It names the file, not its folder, so that it also works from a disk.
    """
    return root + quote(page)


def root_of(page: str) -> str:
    return "../" * page.count("/")


def group_of(skill: PublishedSkill) -> str:
    return skill.group.strip() or UNGROUPED


def slugs(groups: Iterable[str]) -> dict[str, str]:
    """A folder for each group; equal ones are numbered."""
    taken: dict[str, int] = {}
    return {group: unused(_slug(group), taken) for group in groups}


def unused(name: str, taken: dict[str, int]) -> str:
    """Reserve a name, with a number appended if it is taken."""
    free = name
    while free in taken:
        taken[name] += 1
        free = f"{name}-{taken[name]}"
    taken[free] = 0
    return free


def _slug(group: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", group.lower()).strip("-")[:40] or "group"
