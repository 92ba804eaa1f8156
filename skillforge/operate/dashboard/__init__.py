"""One page for a browser: the statistics of a library as plots and tables.

Plain data in, one text out. The page needs no network, no server and, but for finding
and sorting, no script; its own script and style are the only ones it lets run.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from skillforge.operate.dashboard import listing
from skillforge.operate.dashboard.canaries import anchors as canary_anchors
from skillforge.operate.dashboard.canaries import canaries
from skillforge.operate.dashboard.details import chosen, details
from skillforge.operate.dashboard.frames import section
from skillforge.operate.dashboard.life import health, learning_curve, proposals
from skillforge.operate.dashboard.markup import EMPTY, Html, escape, join, seen, tag
from skillforge.operate.dashboard.overview import (
    Look,
    empty_library,
    headline,
    look_list,
    looks,
    masthead,
)

_HERE = Path(__file__).parent


def page(data: Mapping[str, Any]) -> str:
    """The whole page as one text: the same data always gives the same page."""
    style, script = _file("page.css"), _file("page.js")
    return Template(_file("page.html")).substitute(
        policy=Html(_policy(style, script)),
        title=escape(data["title"]),
        masthead=masthead(data),
        main=_main(data),
        style=style,
        script=script,
    )


def _file(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Only what this page was written with runs, and nothing is fetched."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_digest(style)}'",
            f"script-src '{_digest(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )


def _digest(text: str) -> str:
    from base64 import b64encode
    from hashlib import sha256

    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _main(data: Mapping[str, Any]) -> Html:
    found = looks(data)
    drawn = chosen(data["skills"], {look.skill for look in found})
    anchors = {skill["name"]: f"#skill-{at}" for at, skill in enumerate(drawn)}
    return join(
        headline(data),
        empty_library(data),
        look_list(found, canary_anchors(data["canaries"]) | anchors),
        canaries(data["canaries"]),
        _skills(data, found, anchors),
        details(drawn, len(data["skills"])),
        tag(
            "div",
            tag("div", learning_curve(data["growth"]), health(data["health"])),
            proposals(data["proposals"]),
            class_="life",
        ),
    )


def _skills(
    data: Mapping[str, Any], found: Sequence[Look], anchors: Mapping[str, str]
) -> Html:
    if not data["skills"]:
        return EMPTY
    marks: dict[str, set[str]] = {}
    for look in found:
        marks.setdefault(look.skill, set()).update({"look", look.mark})
    for canary in data["canaries"]:
        marks.setdefault(canary["skill"], set()).add("canary")
    span = listing.SparklineSpan.of(data["skills"])
    order = sorted(data["skills"], key=lambda skill: (-skill["uses"], skill["name"]))
    rows = [
        listing.row(
            skill,
            anchors.get(skill["name"], ""),
            span,
            marks.get(skill["name"], set()),
        )
        for skill in order
    ]
    origins = sorted({seen(skill["origin"]) for skill in order if skill["origin"]})
    return section("skills-all", "All skills", listing.table(rows, origins))
