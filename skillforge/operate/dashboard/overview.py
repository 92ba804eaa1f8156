"""The head of the page: a few numbers for the whole, and what is worth a look."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from skillforge.operate.dashboard import words
from skillforge.operate.dashboard.frames import section
from skillforge.operate.dashboard.markup import EMPTY, Html, join, tag
from skillforge.operate.intervals import wilson
from skillforge.report import plural

_MOST_LOOKS = 8
_OF_VERDICTS = {
    "roll-back": "its canary does worse than the stable version: roll back",
    "promote": "its canary holds up: promote",
    "inconclusive": "its canary gave no answer: a person decides",
}


class Look(NamedTuple):
    """Something a person should look at; the mark finds it in the table."""

    skill: str
    mark: str
    words: str


def looks(data: Mapping[str, Any]) -> list[Look]:
    """What is worth a look, the most urgent first."""
    skills = data["skills"]
    return [
        *_verdicts(data, "roll-back"),
        *(_failed(run) for run in data["health"] if run["status"] == "failed"),
        *(_below_half(skill) for skill in skills if is_below_half(skill)),
        *(_falling(skill) for skill in skills if skill["trend"] == "down"),
        *_verdicts(data, "inconclusive"),
        *_verdicts(data, "promote"),
    ]


def _failed(run: Mapping[str, Any]) -> Look:
    when = f" ({run['version']}, {run['at']})" if run["at"] else ""
    return Look(run["skill"], "failing", f"fails its own cases{when}")


def _below_half(skill: Mapping[str, Any]) -> Look:
    rate, sure = words.percent(skill["success_rate"]), words.between(skill["interval"])
    told = (
        f"succeeds in {rate} of {words.verified_uses(skill):,} verified uses ({sure})"
    )
    return Look(skill["name"], "below", told)


def _falling(skill: Mapping[str, Any]) -> Look:
    lately, ever = words.percent(skill["moving"]), words.percent(skill["success_rate"])
    return Look(
        skill["name"], "falling", f"success falls: {lately} lately, {ever} ever"
    )


def _verdicts(data: Mapping[str, Any], verdict: str) -> list[Look]:
    return [
        Look(canary["skill"], "canary", _OF_VERDICTS[verdict])
        for canary in data["canaries"]
        if canary["verdict"] == verdict
    ]


def is_below_half(skill: Mapping[str, Any]) -> bool:
    """Whether even the upper end of the interval is below one half."""
    interval = skill["interval"]
    enough = words.verified_uses(skill) >= words.FEW
    return enough and interval is not None and interval[1] < 0.5


def look_list(found: Sequence[Look], anchors: Mapping[str, str]) -> Html:
    """The looks as a list, each with a way to the plots of its skill."""
    if not found:
        return EMPTY
    by_skill: dict[str, list[str]] = {}
    for look in found:
        by_skill.setdefault(look.skill, []).append(look.words)
    items = [
        tag("li", tag("a", skill, href=anchors.get(skill)), ": ", "; ".join(said))
        for skill, said in list(by_skill.items())[:_MOST_LOOKS]
    ]
    cut = len(by_skill) - _MOST_LOOKS
    more = f"and {cut:,} more; the table finds them by “worth a look”"
    return section(
        "look",
        "Worth a look",
        tag("ol", *items, class_="looks"),
        tag("p", more, class_="note") if cut > 0 else EMPTY,
    )


def headline(data: Mapping[str, Any]) -> Html:
    """Six numbers for the whole library."""
    return tag(
        "section",
        tag("h2", "At a glance", class_="unseen"),
        tag(
            "dl",
            _skills(data),
            _uses(data),
            _success(data),
            _canaries(data),
            _proposals(data),
            _health(data),
        ),
        class_="glance",
        id="glance",
    )


def _readout(name: str, value: str, about: str) -> Html:
    return tag(
        "div", tag("dt", name), tag("dd", value, class_="value"), tag("dd", about)
    )


def _skills(data: Mapping[str, Any]) -> Html:
    grown = data["growth"]
    about = "nothing promoted yet"
    if grown:
        _, _, promotions, rollbacks = grown[-1]
        about = f"{plural(promotions, 'promotion')}, {plural(rollbacks, 'roll-back')}"
    return _readout("Skills", f"{len(data['skills']):,}", about)


def _uses(data: Mapping[str, Any]) -> Html:
    total = sum(skill["uses"] for skill in data["skills"])
    verified = sum(map(words.verified_uses, data["skills"]))
    return _readout("Uses", f"{total:,}", f"{verified:,} with a verified outcome")


def _success(data: Mapping[str, Any]) -> Html:
    versions = [version for skill in data["skills"] for version in skill["versions"]]
    verified = sum(version["verified"] for version in versions)
    successes = sum(version["successes"] for version in versions)
    if thin := words.too_few(verified):
        return _readout("Success", words.NOTHING, thin)
    sure = words.between(wilson(successes, verified))
    return _readout(
        "Success", words.percent(successes / verified), f"95 % sure: {sure}"
    )


def _canaries(data: Mapping[str, Any]) -> Html:
    ready = sum(canary["verdict"] != "continue" for canary in data["canaries"])
    about = f"{plural(ready, 'verdict')} to act on" if ready else "none has a verdict"
    if not data["canaries"]:
        about = "nothing is being tried out"
    return _readout("Canaries", f"{len(data['canaries']):,}", about)


def _proposals(data: Mapping[str, Any]) -> Html:
    ages = [p["age_days"] for p in data["proposals"] if words.known(p["age_days"])]
    about = f"the oldest for {words.days(max(ages))}" if ages else "nothing waits"
    return _readout("Open proposals", f"{len(data['proposals']):,}", about)


def _health(data: Mapping[str, Any]) -> Html:
    status = [run["status"] for run in data["health"]]
    failed, unknown = status.count("failed"), status.count("not-run")
    passed = len(status) - failed - unknown
    about = f"pass; {failed:,} failed, {unknown:,} not run"
    if not status:
        return _readout("Health", words.NOTHING, "no cases were run yet")
    return _readout("Health", f"{passed:,} of {len(status):,}", about)


def empty_library(data: Mapping[str, Any]) -> Html:
    """What stands first where there is nothing to show yet."""
    if data["skills"]:
        return EMPTY
    return tag(
        "p",
        "This library has no skills yet. They appear here once a proposal is promoted, "
        "and their uses once ",
        tag("code", "skillforge record"),
        " tells of them.",
        class_="empty",
    )


def masthead(data: Mapping[str, Any]) -> Html:
    commit = data["main"]
    return join(
        tag("h1", data["title"]),
        tag(
            "p",
            tag(
                "time",
                str(data["generated"])[:16].replace("T", " "),
                datetime=data["generated"],
            ),
            f" · {data.get('branch', 'main')} at " if commit else EMPTY,
            tag("code", str(commit)[:10], title=commit) if commit else EMPTY,
            class_="note",
        ),
    )
