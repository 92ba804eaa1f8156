"""The top of the page: key numbers of the library, and what needs attention."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skillforge.operate.dashboard import number_format as fmt
from skillforge.operate.intervals import wilson
from skillforge.report import plural

_MAX_ALERTS = 8
_VERDICTS = {
    "roll-back": "its canary is worse than the stable version: roll back",
    "promote": "its canary is no worse than the stable version: promote",
    "inconclusive": "its canary is inconclusive: needs a human decision",
}


class Alert(NamedTuple):
    """Something that needs attention; `mark` filters the table of skills."""

    skill: str
    mark: str
    text: str


class Readout(NamedTuple):
    """A key number with its name and an explanation."""

    name: str
    value: str
    note: str


def alerts(data: Mapping[str, Any]) -> list[Alert]:
    """What needs attention, the most urgent first."""
    skills = data["skills"]
    return [
        *_verdicts(data, "roll-back"),
        *(_failed(run) for run in data["health"] if run["status"] == "failed"),
        *(_below_half(skill) for skill in skills if is_below_half(skill)),
        *(_falling(skill) for skill in skills if skill["trend"] == "down"),
        *_verdicts(data, "inconclusive"),
        *_verdicts(data, "promote"),
    ]


def _failed(run: Mapping[str, Any]) -> Alert:
    when = f" ({run['version']}, {run['at']})" if run["at"] else ""
    return Alert(run["skill"], "failing", f"its test cases fail{when}")


def _below_half(skill: Mapping[str, Any]) -> Alert:
    rate, interval = fmt.percent(skill["success_rate"]), skill["interval"]
    uses = f"{fmt.verified_uses(skill):,} verified uses"
    text = f"succeeds in {rate} of {uses} ({fmt.interval_text(interval)})"
    return Alert(skill["name"], "below", text)


def _falling(skill: Mapping[str, Any]) -> Alert:
    recent, overall = fmt.percent(skill["moving"]), fmt.percent(skill["success_rate"])
    text = f"success is falling: {recent} recently, {overall} overall"
    return Alert(skill["name"], "falling", text)


def _verdicts(data: Mapping[str, Any], verdict: str) -> list[Alert]:
    return [
        Alert(canary["skill"], "canary", _VERDICTS[verdict])
        for canary in data["canaries"]
        if canary["verdict"] == verdict
    ]


def is_below_half(skill: Mapping[str, Any]) -> bool:
    """Whether even the upper end of the interval is below one half."""
    interval = skill["interval"]
    enough = fmt.verified_uses(skill) >= fmt.MIN_USES
    return enough and interval is not None and interval[1] < 0.5


def alert_list(
    alerts: Sequence[Alert], anchors: Mapping[str, str]
) -> dict[str, Any] | None:
    """The alerts by skill, each with a link to the skill's plots if it has any."""
    if not alerts:
        return None
    by_skill: dict[str, list[str]] = {}
    for alert in alerts:
        by_skill.setdefault(alert.skill, []).append(alert.text)
    items = [
        {"skill": skill, "href": anchors.get(skill), "text": "; ".join(texts)}
        for skill, texts in list(by_skill.items())[:_MAX_ALERTS]
    ]
    return {"items": items, "more": len(by_skill) - _MAX_ALERTS}


def readouts(data: Mapping[str, Any]) -> list[Readout]:
    """Six key numbers of the whole library."""
    return [
        _skills(data),
        _uses(data),
        _success(data),
        _canaries(data),
        _proposals(data),
        _health(data),
    ]


def _skills(data: Mapping[str, Any]) -> Readout:
    note = "no promotions yet"
    if data["growth"]:
        _, _, promotions, rollbacks = data["growth"][-1]
        note = f"{plural(promotions, 'promotion')}, {plural(rollbacks, 'rollback')}"
    return Readout("Skills", f"{len(data['skills']):,}", note)


def _uses(data: Mapping[str, Any]) -> Readout:
    total = sum(skill["uses"] for skill in data["skills"])
    verified = sum(map(fmt.verified_uses, data["skills"]))
    return Readout("Uses", f"{total:,}", f"{verified:,} with a verified outcome")


def _versions(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (version for skill in data["skills"] for version in skill["versions"])


def _success(data: Mapping[str, Any]) -> Readout:
    verified = sum(version["verified"] for version in _versions(data))
    successes = sum(version["successes"] for version in _versions(data))
    if few := fmt.too_few(verified):
        return Readout("Success", fmt.NO_VALUE, few)
    interval = fmt.interval_text(wilson(successes, verified))
    rate = fmt.percent(successes / verified)
    return Readout("Success", rate, f"95% interval: {interval}")


def _canaries(data: Mapping[str, Any]) -> Readout:
    ready = sum(canary["verdict"] != "continue" for canary in data["canaries"])
    note = f"{plural(ready, 'verdict')} to act on" if ready else "no verdicts yet"
    if not data["canaries"]:
        note = "no rollouts in progress"
    return Readout("Canaries", f"{len(data['canaries']):,}", note)


def _proposals(data: Mapping[str, Any]) -> Readout:
    ages = [p["age_days"] for p in data["proposals"] if fmt.is_number(p["age_days"])]
    note = f"oldest: {fmt.days(max(ages))}" if ages else "none waiting"
    return Readout("Open proposals", f"{len(data['proposals']):,}", note)


def _health(data: Mapping[str, Any]) -> Readout:
    status = [run["status"] for run in data["health"]]
    failed, not_run = status.count("failed"), status.count("not-run")
    if not status:
        return Readout("Health", fmt.NO_VALUE, "no test cases run yet")
    passed = f"{len(status) - failed - not_run:,} of {len(status):,}"
    return Readout("Health", passed, f"passed; {failed:,} failed, {not_run:,} not run")
