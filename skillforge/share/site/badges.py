"""What was checked and observed of a skill, in words and as marks."""

from collections.abc import Iterator
from typing import NamedTuple

from skillforge.share.hub import Figures, PublishedSkill
from skillforge.share.site.frame import count_of
from skillforge.share.site.markup import Html, el, join

_TONES = {
    "safe": "good",
    "passed": "good",
    "caution": "warn",
    "not-run": "warn",
    "dangerous": "bad",
    "failed": "bad",
}


class StateBadge(NamedTuple):
    """A state with a tone: good, warn, bad, or plain."""

    words: str
    tone: str


def marks(skill: PublishedSkill) -> tuple[StateBadge, ...]:
    """What a list of skills says of one, in a few words each."""
    return tuple(
        StateBadge(f"{what} {_words(value)}", _tone(value))
        for what, value in (("scan", skill.scan), ("tests", skill.tests))
        if value
    )


def shown(mark: StateBadge) -> Html:
    return el("span", mark.words, class_=f"mark {mark.tone}")


def success(figures: Figures) -> str:
    """How often it worked, as a whole percentage; empty where nobody says."""
    return "" if figures.success is None else f"{figures.success:.0%}"


def facts(skill: PublishedSkill) -> Html:
    """All that is known of a skill beside its text, as a list of terms."""
    return el(
        "dl",
        (
            el("div", el("dt", term), el("dd", fact))
            for term, fact in [*_checked(skill), *_observed(skill), *_named(skill)]
        ),
    )


def _checked(skill: PublishedSkill) -> Iterator[tuple[str, Html]]:
    yield "Version", join(el("bdi", skill.version or "none"))
    if skill.scan:
        yield "Security scan", _state(skill.scan)
    yield "Tests", _state(skill.tests) if skill.tests else join("it ships none")
    approvers = el("ul", (el("li", el("bdi", name)) for name in skill.approvers))
    yield "Approved by", approvers if skill.approvers else join("nobody on record")
    if skill.examples:
        yield "Made from", join(count_of(skill.examples, "reviewed example"))


def _observed(skill: PublishedSkill) -> Iterator[tuple[str, Html]]:
    """What its owner published of its life in use."""
    figures = skill.figures
    if figures.health:
        yield "Health", _state(figures.health)
    if figures.success is not None:
        rate = f"{min(1.0, max(0.0, figures.success)):.3f}"
        meter = el("meter", min="0", max="1", value=rate, aria_label="success rate")
        yield "Success", join(success(figures), meter, _interval(figures))
    if figures.uses:
        yield "Reported uses", join(f"{figures.uses:,}")


def _named(skill: PublishedSkill) -> Iterator[tuple[str, Html]]:
    if skill.license:
        yield "License", el("bdi", skill.license[:200])
    for field in ("compatibility", "allowed-tools"):
        if words := skill.document.words(field):
            yield field.replace("-", " ").capitalize(), el("bdi", words)
    yield "Tree", el("code", skill.tree[:12], title=skill.tree)


def _interval(figures: Figures) -> Html | None:
    if figures.interval is None:
        return None
    low, high = figures.interval
    return el("small", f"95 % interval: {low:.0%} to {high:.0%}")


def _state(value: str) -> Html:
    return shown(StateBadge(_words(value), _tone(value)))


def _words(value: str) -> str:
    return value.replace("-", " ")


def _tone(value: str) -> str:
    return _TONES.get(value, "plain")
