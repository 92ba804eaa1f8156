"""The dashboard: the statistics of a library as one HTML page.

Plain data in, one text out. The page needs no network, no server and, except for
searching and sorting, no script; its policy lets only its own script and style run.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from skillforge.operate.dashboard import (
    canaries,
    library_status,
    overview,
    skill_table,
    success_plots,
)
from skillforge.render import html

_MAX_TEXT = 400  # characters of one text


def page(data: Mapping[str, Any]) -> str:
    """The whole page as one text: the same data always gives the same page."""
    from markupsafe import Markup

    style = html.static("base.css", "dashboard.css")
    script = html.static("theme.js", "dashboard.js")
    return html.render(
        "dashboard/page.html",
        style=Markup(style),  # noqa: S704  our own files
        script=Markup(script),  # noqa: S704
        style_digest=_digest(style),
        script_digest=_digest(script),
        **_values(_shortened(data)),
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _shortened(value: Any) -> Any:
    """The data with long texts cut, so that no single text can fill the page."""
    if isinstance(value, str):
        return value if len(value) <= _MAX_TEXT else f"{value[: _MAX_TEXT - 1]}…"
    if isinstance(value, Mapping):
        return {key: _shortened(item) for key, item in value.items()}
    return [*map(_shortened, value)] if isinstance(value, list | tuple) else value


def _values(data: Mapping[str, Any]) -> dict[str, Any]:
    """What the template shows."""
    alerts = overview.alerts(data)
    drawn = success_plots.chosen(data["skills"], {alert.skill for alert in alerts})
    anchors = {skill["name"]: f"#skill-{at}" for at, skill in enumerate(drawn)}
    return {
        "title": data["title"],
        "generated": str(data["generated"]),
        "commit": str(data["main"]),
        "branch": data.get("branch", "main"),
        "readouts": overview.readouts(data),
        "alerts": overview.alert_list(
            alerts, canaries.anchors(data["canaries"]) | anchors
        ),
        "canaries": canaries.canaries(data["canaries"]),
        "skills": _skill_table(data, alerts, anchors),
        "success": success_plots.success_plots(drawn, len(data["skills"])),
        "growth": library_status.growth(data["growth"]),
        "health": library_status.health(data["health"]),
        "proposals": library_status.proposals(data["proposals"]),
    }


def _skill_table(
    data: Mapping[str, Any],
    alerts: Sequence[overview.Alert],
    anchors: Mapping[str, str],
) -> dict[str, Any] | None:
    if not data["skills"]:
        return None
    marks: dict[str, set[str]] = {}
    for alert in alerts:
        marks.setdefault(alert.skill, set()).update({"alert", alert.mark})
    for canary in data["canaries"]:
        marks.setdefault(canary["skill"], set()).add("canary")
    return skill_table.skill_table(data["skills"], anchors, marks)
