"""What has to be so, by what commands answered; both worlds for those that were killed.

It knows nothing of how skillforge works: only that what was reported as done is done,
what was refused is not, and what was killed happened as a whole or not at all.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.soak.places import LIBRARY
from tests.soak.processes import Command, Ended

# What may be told to somebody whose skill or proposal has gone meanwhile.
UNKNOWN = ("no skill", "was removed", "was archived", "was merged into")
_MOVERS = ("promote", "rollback-now")


class Disagreement(Exception):  # noqa: N818 - it is what it says
    """The library is not as it has to be."""


@dataclass
class Expected:
    """A proposal as it has to be: what is sure, and what may be."""

    number: int
    skill: str
    is_created: bool = False  # somebody was told that they opened it
    replaces: bool = False  # it may have closed others of its skill
    is_old: bool = False
    state: str = "open"
    merge: str = ""
    maybe: set[str] = field(default_factory=set)  # ends that were killed half-way
    approvers: set[str] = field(default_factory=set)
    maybe_approvers: set[str] = field(default_factory=set)
    is_shaken: bool = False  # it may have been refreshed, which voids approvals
    is_fresh: bool = True  # main has not moved since, as far as we were told

    def ends(self, state: str, merge: str = "") -> None:
        """Somebody was told that it ended so; there is one end only."""
        if self.state != "open" and (self.state, self.merge) != (state, merge):
            raise Disagreement(
                f"proposal {self.number} was told to be {self.state} {self.merge}, "
                f"and then {state} {merge}"
            )
        self.state, self.merge = state, merge


@dataclass(frozen=True)
class Opening:
    """A proposal that may have been opened by somebody who cannot tell."""

    skill: str
    replaces: bool = False
    is_old: bool = False
    is_at_once: bool = False  # it may be merged, too


@dataclass(frozen=True)
class Change:
    """A commit on main's own line, and what it made of a skill."""

    commit: str
    skill: str
    version: str  # tree; empty if the skill is gone
    how: str  # promotion, revert or push


@dataclass
class Register:
    """A value that several write at once; what it may be when all is quiet.

    A write counts for nothing once another one, which is sure, began after its end.
    """

    writes: list[tuple[float, float, str, bool]] = field(default_factory=list)

    def write(self, start: float, end: float, value: str, *, is_sure: bool) -> None:
        self.writes.append((start, end, value, is_sure))

    @property
    def possible(self) -> set[str]:
        begun = max((start for start, _, _, sure in self.writes if sure), default=0.0)
        return {value for _, end, value, _ in self.writes if end >= begun}

    def settle(self, value: str, now: float) -> None:
        self.writes = [(now, now, value, True)]


@dataclass
class Batch:
    """Uses that were reported together; all of them that can be counted are, or none.

    Where a skill is gone, those of keys can be that were given a version before.
    """

    place: str
    lines: str
    count: int

    @property
    def reports(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in self.lines.splitlines()]


@dataclass
class Model:
    """All that commands reported."""

    proposals: dict[int, Expected] = field(default_factory=dict)
    openings: list[Opening] = field(default_factory=list)
    changes: dict[str, Change] = field(default_factory=dict)  # by commit
    uses: dict[str, dict[str, str]] = field(default_factory=dict)  # id -> skill
    unsettled: list[Batch] = field(default_factory=list)
    rollouts: dict[str, Register] = field(default_factory=dict)  # by their id
    tags: dict[str, str] = field(default_factory=dict)
    may_have_released: bool = False
    killed_moves: list[Command] = field(default_factory=list)  # of the branch
    handed: set[tuple[str, str]] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    def open_numbers(self) -> list[int]:
        return [n for n, proposal in self.proposals.items() if proposal.state == "open"]

    def skills(self) -> list[str]:
        """Skills that main ever had, as far as we were told."""
        return sorted({change.skill for change in self.changes.values()})

    def alive(self) -> list[str]:
        """Skills that main has now, as far as we were told."""
        last = {change.skill: change.version for change in self.changes.values()}
        return sorted(name for name, version in last.items() if version)

    def hear(self, ended: Ended) -> None:
        """Take in what a command did, or may have done."""
        kind = ended.command.kind
        self.counts[f"killed {kind}" if ended.was_killed else kind] += 1
        if ended.was_killed and kind in _MOVERS:
            self.killed_moves.append(ended.command)
        if not ended.was_killed and ended.code == 0:
            self.counts[f"done {kind}"] += 1
        how = _HEARD.get(kind)
        if how is not None:
            how(self, ended)

    def expected(self, number: int, skill: str) -> Expected:
        found = self.proposals.setdefault(number, Expected(number, skill))
        if found.skill != skill:
            raise Disagreement(f"proposal {number} is for {found.skill} and {skill}")
        return found

    def opened(
        self, row: Mapping[str, Any], about: Mapping[str, Any], *, replaces: bool
    ) -> Expected:
        """Somebody was told the number of a proposal, and whether it is new."""
        proposal = self.expected(row["proposal"], row["skill"])
        if row.get("created"):
            if proposal.is_created:
                raise Disagreement(f"proposal {proposal.number} was opened by two")
            proposal.is_created, proposal.replaces = True, replaces
            proposal.is_old = bool(about.get("is_old"))
        return proposal

    def merged(self, proposal: Expected, data: Mapping[str, Any]) -> None:
        proposal.ends("merged", data["merge"])
        change = Change(
            data["merge"], data["skill"], data["version"] or "", "promotion"
        )
        self.moved(change)

    def moved(self, change: Change) -> None:
        """Main moved; what is open has to be refreshed, so that it can follow."""
        before = self.changes.setdefault(change.commit, change)
        if before != change:
            raise Disagreement(f"{before} was told before, now {change}")
        for proposal in self.proposals.values():
            proposal.is_fresh = False

    def judged(self, row: Mapping[str, Any], ended: Ended) -> None:
        """A rollout as somebody saw it; where it is closed, a rollback may follow."""
        is_sure = ended.command.place == LIBRARY
        self.write_rollout(row["rollout"], ended, row["state"], is_sure=is_sure)
        if row["state"] == "closed" and is_sure:
            self.openings.append(Opening(row["skill"], replaces=True))

    def write_rollout(
        self, number: str, ended: Ended, state: str, *, is_sure: bool
    ) -> None:
        register = self.rollouts.setdefault(number, Register())
        end = ended.end if not ended.was_killed else float("inf")
        register.write(ended.start, end, state, is_sure=is_sure)


def _about_opening(ended: Ended) -> Opening:
    about = ended.command.about
    return Opening(
        about["skill"],
        bool(about.get("replaces")),
        bool(about.get("is_old")),
        ended.command.kind == "rollback-now",
    )


def _hear_opening(model: Model, ended: Ended) -> None:
    """propose, remove, pin, unpin, restore, rollback; rollback --now merges as well."""
    about = ended.command.about
    is_at_once = ended.command.kind == "rollback-now"
    if ended.was_killed:
        model.openings.append(_about_opening(ended))
        return
    if ended.code and is_at_once:
        # It may have opened its proposal, and then been kept from merging it.
        model.openings.append(Opening(about["skill"]))
    if not ended.data.get("proposal"):
        return
    proposal = model.opened(ended.data, about, replaces=bool(about.get("replaces")))
    if is_at_once and ended.code == 0:
        model.merged(proposal, ended.data)


def _hear_offers(model: Model, ended: Ended) -> None:
    """curate and refine: one proposal for each draft."""
    if ended.was_killed or ended.code not in (0, 1):
        names = model.skills()
        model.openings += [Opening(name) for name in names]
    for row in ended.data.get("proposals") or ():
        if row["proposal"]:
            model.opened(row, {}, replaces=False)


def _hear_approval(model: Model, ended: Ended) -> None:
    proposal = model.proposals[ended.command.about["number"]]
    who = ended.command.about["who"]
    if ended.was_killed:
        proposal.maybe_approvers.add(who)
    elif ended.code == 0:
        proposal.approvers.add(who)


def _hear_end(model: Model, ended: Ended) -> None:
    """close and reject."""
    proposal = model.proposals[ended.command.about["number"]]
    if ended.was_killed:
        proposal.maybe.add("closed")
    elif ended.code == 0:
        proposal.ends("closed")


def _hear_expiry(model: Model, ended: Ended) -> None:
    if ended.was_killed:
        return  # it ends what is old only, and anybody may
    for number in ended.data.get("expired") or ():
        row = next(r for r in ended.data["proposals"] if r["number"] == number)
        model.expected(number, row["skill"]).ends("expired")


def _hear_promotion(model: Model, ended: Ended) -> None:
    proposal = model.proposals[ended.command.about["number"]]
    if ended.was_killed:
        proposal.maybe.add("merged")
    elif ended.code == 0:
        model.merged(proposal, ended.data)
        if ended.data.get("rollout"):
            model.write_rollout(ended.data["rollout"], ended, "running", is_sure=False)


def _hear_refresh(model: Model, ended: Ended) -> None:
    proposal = model.proposals[ended.command.about["number"]]
    if ended.was_killed or ended.code == 0:
        proposal.is_shaken = proposal.is_fresh = True
        proposal.maybe_approvers |= proposal.approvers
        proposal.approvers = set()


def _hear_uses(model: Model, ended: Ended) -> None:
    command = ended.command
    count = command.stdin.count("\n")
    _hear_judgements(model, ended)
    batch = Batch(command.place, command.stdin, count)
    if ended.was_killed or ended.code not in (0, 1):
        model.unsettled.append(batch)
    else:
        recorded(model, batch, ended.data)


def recorded(
    model: Model, batch: Batch, data: Mapping[str, Any], *, may_be_split: bool = False
) -> None:
    """Take in what became of a batch: lines about a skill that is gone are named."""
    problems, added = data["problems"], data["recorded"] + data["again"]
    if odd := [
        problem
        for problem in problems
        if not any(word in problem["why"] for word in UNKNOWN)
    ]:
        raise Disagreement(f"lines that nobody should refuse: {odd}")
    is_whole = data["recorded"] in (0, added) or may_be_split
    if (
        not is_whole
        or added != len(data["uses"])
        or added + len(problems) != batch.count
    ):
        raise Disagreement(f"of {batch.count} uses, {data['recorded']} were recorded")
    known = model.uses.setdefault(batch.place, {})
    known |= {use["id"]: use["skill"] for use in data["uses"]}
    model.counts["uses"] += data["recorded"]


def _hear_judgements(model: Model, ended: Ended) -> None:
    """Whatever looks at rollouts may close or finish them, and propose to roll back."""
    if ended.was_killed or ended.code not in (0, 1):
        for number in list(model.rollouts):
            for state in ("closed", "finished"):
                model.write_rollout(number, ended, state, is_sure=False)
        model.openings += [Opening(name, replaces=True) for name in model.skills()]
        return
    for row in ended.data.get("rollouts") or ():
        model.judged(row, ended)


_DECISIONS = {
    "canary-set": "running",
    "canary-pause": "paused",
    "canary-finish": "finished",
    "canary-abort": "closed",
}


def _hear_decision(model: Model, ended: Ended) -> None:
    """A person's word on a rollout, which is judged in the same breath."""
    if ended.was_killed or ended.code:
        if not ended.was_killed and ended.code in (2, 4):
            return
        for number in list(model.rollouts):
            states = {_DECISIONS[ended.command.kind], "closed", "finished"}
            for state in sorted(states):
                model.write_rollout(number, ended, state, is_sure=False)
        skill = ended.command.about["skill"]
        model.openings.append(Opening(skill, replaces=True))
        return
    model.judged(ended.data, ended)


def _hear_release(model: Model, ended: Ended) -> None:
    if ended.was_killed:
        model.may_have_released = True
    elif ended.code == 0 and ended.data.get("tag"):
        tag, commit = ended.data["tag"], ended.data["commit"]
        if model.tags.setdefault(tag, commit) != commit:
            raise Disagreement(f"{tag} is {commit} and {model.tags[tag]}")


def _hear_audit(model: Model, ended: Ended) -> None:
    """Also while main moves, an audit finds nothing but what was pushed past review."""
    found = ended.data.get("exceptions") or ()
    if odd := [exception for exception in found if exception["kind"] != "direct-push"]:
        raise Disagreement(f"an audit found {odd}")


def _hear_use(model: Model, ended: Ended) -> None:
    if ended.code == 0 and ended.command.place == LIBRARY:
        model.handed.add((ended.data["skill"], ended.data["version"]))


def _hear_hand(model: Model, ended: Ended) -> None:
    data = ended.data
    if data.get("commit"):
        how = ended.command.kind
        model.moved(Change(data["commit"], data["skill"], data["version"], how))
        model.counts[f"{how} by hand"] += 1


_HEARD = {
    "propose": _hear_opening,
    "remove": _hear_opening,
    "pin": _hear_opening,
    "restore": _hear_opening,
    "rollback": _hear_opening,
    "rollback-now": _hear_opening,
    "curate": _hear_offers,
    "refine": _hear_offers,
    "approve": _hear_approval,
    "reject": _hear_end,
    "close": _hear_end,
    "expire": _hear_expiry,
    "promote": _hear_promotion,
    "refresh": _hear_refresh,
    "record": _hear_uses,
    "sync-uses": _hear_judgements,
    "canary-status": _hear_judgements,
    **dict.fromkeys(_DECISIONS, _hear_decision),
    "release": _hear_release,
    "audit": _hear_audit,
    "use": _hear_use,
    "revert": _hear_hand,
    "push": _hear_hand,
}
