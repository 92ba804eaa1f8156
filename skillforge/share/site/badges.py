"""The state of a skill's checks and use as badges and short texts."""

from typing import NamedTuple

from skillforge.share.hub import Figures, PublishedSkill

_TONES = {
    "safe": "good",
    "passed": "good",
    "caution": "warn",
    "not-run": "warn",
    "dangerous": "bad",
    "failed": "bad",
}


class Badge(NamedTuple):
    """A short text with a tone: good, warn, bad or plain."""

    text: str
    tone: str


def state_badge(state: str, subject: str = "") -> Badge:
    """A badge for a state such as `not-run`, after its subject if there is one."""
    words = f"{subject} {state}".strip().replace("-", " ")
    is_accepted = state.endswith(")")  # as in `dangerous (waived)`
    return Badge(words, "warn" if is_accepted else _TONES.get(state, "plain"))


def row_badges(skill: PublishedSkill) -> tuple[Badge, ...]:
    """The badges of a skill in a list."""
    states = (("scan", skill.scan_state), ("tests", skill.tests))
    return tuple(state_badge(state, subject) for subject, state in states if state)


def success_rate(figures: Figures) -> str:
    """The success rate as a whole percentage; empty if none is published."""
    return "" if figures.success is None else f"{figures.success:.0%}"
