"""With all halted: the library is what the model says, and nothing lies about."""

import fcntl
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.soak.model import (
    UNKNOWN,
    Batch,
    Change,
    Disagreement,
    Expected,
    Model,
    Opening,
    recorded,
)
from tests.soak.places import BRANCH, CLONE, LIBRARY, Places, checkout_of, git
from tests.soak.processes import Command, Crew, Ended

_CODES = {0, 1, 4}
_MOST_MEMORY = 600_000  # KiB
_STRAYS = ("*.lock", "tmp_*", "fast_import_crash_*", "*.tmp")


def sound(ended: Ended) -> None:
    """No command ends with a bug, or with a tool that failed."""
    words = f"{ended.command.line}\nexit {ended.code}\n{ended.out}{ended.err}"
    if "Traceback" in ended.out + ended.err:
        raise Disagreement(f"a traceback: {words}")
    if ended.was_killed:
        return
    is_unknown = any(words in ended.message for words in UNKNOWN)
    if ended.code not in _CODES and not (ended.code == 2 and is_unknown):
        raise Disagreement(f"an answer that nobody should get: {words}")
    if ended.most_memory > _MOST_MEMORY:
        raise Disagreement(f"{ended.most_memory} KiB of memory: {words}")


class Checks:
    """All that has to hold when nothing runs."""

    def __init__(self, places: Places, model: Model, crew: Crew) -> None:
        self.places = places
        self.model = model
        self.crew = crew
        self.start = git(places.library, "rev-parse", BRANCH)
        self.checkout = checkout_of(places.library)

    def ask(self, *line: str, place: str = LIBRARY, stdin: str = "") -> dict[str, Any]:
        ended = self.crew.do(Command(line[0], place, line, stdin=stdin))
        if ended.code not in (0, 1):
            raise Disagreement(f"{ended.command.line}: {ended.out}{ended.err}")
        return ended.data

    def all(self) -> None:
        """Look at everything; what was killed is settled by that."""
        self.crew.wait_for_orphans()
        self.settle_uses()
        rows = self.proposals()
        self.line(rows)
        self.audit()
        self.histories()
        self.rollouts()
        self.model.openings.clear()
        self.agents()
        self.exchange()
        self.tags()
        self.repositories()

    def settle_uses(self) -> None:
        """What was killed is reported again; it counts once, and as a whole."""
        for batch in self.model.unsettled:
            is_split = self._is_split(batch)
            ended = self.crew.do(
                Command("record", batch.place, ("record",), stdin=batch.lines)
            )
            sound(ended)
            if ended.code not in (0, 1):
                raise Disagreement(f"{ended.command.line}: {ended.out}{ended.err}")
            recorded(self.model, batch, ended.data, may_be_split=is_split)
            for row in ended.data["rollouts"]:
                self.model.judged(row, ended)
        self.model.unsettled.clear()

    def _is_split(self, batch: Batch) -> bool:
        """Whether a part of a killed batch is there, as it may be of a skill gone."""
        reports, stored = batch.reports, self._stored(batch.place)
        of_keys: dict[str, set[bool]] = {}
        for report in reports:
            of_keys.setdefault(report["key"], set()).add(report["id"] in stored)
        if len(set().union(*of_keys.values())) < 2:
            return False
        was_gone = batch.place == CLONE or self._was_gone(reports[0]["skill"])
        if not was_gone or any(len(states) > 1 for states in of_keys.values()):
            there = sum(report["id"] in stored for report in reports)
            raise Disagreement(f"{there} of {batch.count} uses were recorded")
        return True

    def _was_gone(self, skill: str) -> bool:
        line = ("log", "--first-parent", "--diff-filter=D", "--format=%H", BRANCH)
        path = f"skills/{skill}/SKILL.md"
        return bool(git(self.places.library, *line, "--", path))

    def proposals(self) -> list[dict[str, Any]]:
        """Every proposal is in a state that it may be in, and whole."""
        data = self.ask("proposals")
        rows: list[dict[str, Any]] = data["proposals"]
        if data["broken"]:
            raise Disagreement(f"records that cannot be read: {data['broken']}")
        if [row["number"] for row in rows] != list(range(1, len(rows) + 1)):
            raise Disagreement(f"numbers with gaps: {[r['number'] for r in rows]}")
        if lost := self.model.proposals.keys() - {row["number"] for row in rows}:
            raise Disagreement(f"proposals were lost: {sorted(lost)}")
        for row in rows:
            self._born(row)
        for row in rows:
            self._in_its_state(row)
        waiting = [row for row in rows if row["state"] == "open"]
        doubles = Counter(row["skill"] for row in waiting)
        if max(doubles.values(), default=0) > 1:
            raise Disagreement(f"two open proposals for one skill: {doubles}")
        self._branches(waiting)
        return rows

    def _born(self, row: dict[str, Any]) -> None:
        """Somebody opened it: one who was told so, or one who was killed."""
        proposal = self.model.expected(row["number"], row["skill"])
        if proposal.is_created:
            return
        found = [
            opening for opening in self.model.openings if opening.skill == row["skill"]
        ]
        if not found:
            raise Disagreement(f"nobody opened proposal {row}")
        # Which of several it was cannot be told, so that it may be as any of them.
        proposal.is_created = True
        proposal.replaces = any(opening.replaces for opening in found)
        proposal.is_old = any(opening.is_old for opening in found)
        proposal.maybe |= (
            {"merged"} if any(opening.is_at_once for opening in found) else set()
        )
        self.model.openings.remove(found[0])

    def _in_its_state(self, row: dict[str, Any]) -> None:
        proposal, state = self.model.proposals[row["number"]], row["state"]
        if proposal.state != "open":
            if (proposal.state, proposal.merge) != (state, row["merge"] or ""):
                raise Disagreement(f"it has to be {proposal}, and is {row}")
            return
        if state != "open" and not self._may_be(proposal, state):
            raise Disagreement(f"nobody made it {state}: {proposal}, {row}")
        proposal.state, proposal.merge = state, row["merge"] or ""
        proposal.maybe.clear()
        self._approvals(proposal, set(row["approvals"]))

    def _may_be(self, proposal: Expected, state: str) -> bool:
        if state == "expired":
            return proposal.is_old
        later = (
            other
            for other in self.model.proposals.values()
            if other.number > proposal.number
        )
        is_replaced = any(
            other.replaces and other.skill == proposal.skill for other in later
        )
        return state in proposal.maybe or (state == "closed" and is_replaced)

    def _approvals(self, proposal: Expected, found: set[str]) -> None:
        if not found <= proposal.approvers | proposal.maybe_approvers:
            raise Disagreement(f"nobody approved {proposal}: {found}")
        if (
            proposal.state == "open"
            and not proposal.is_shaken
            and not proposal.approvers <= found
        ):
            raise Disagreement(f"an approval of {proposal} was lost: {found}")
        proposal.approvers, proposal.is_shaken = found, False
        proposal.maybe_approvers = set()

    def _branches(self, waiting: Iterable[dict[str, Any]]) -> None:
        line = ("for-each-ref", "--format=%(refname:short) %(objectname)")
        found = git(self.places.library, *line, "refs/heads/skill").splitlines()
        expected = [f"{row['branch']} {row['head']}" for row in waiting]
        if sorted(found) != sorted(expected):
            raise Disagreement(f"branches {found}, but open are {expected}")

    def line(self, rows: list[dict[str, Any]]) -> None:
        """Main's own line holds what was reported, and nothing else."""
        root, model = self.places.library, self.model
        span = f"{self.start}..{BRANCH}"
        line = git(root, "rev-list", "--reverse", "--first-parent", span).split()
        if lost := model.changes.keys() - set(line):
            raise Disagreement(
                f"{BRANCH} lost {[model.changes[commit] for commit in lost]}"
            )
        by_merge = {row["merge"]: row for row in rows if row["merge"]}
        self.history: list[Change] = []
        for commit in line:
            change = model.changes.get(commit)
            if change is None:
                if commit not in by_merge:
                    raise Disagreement(f"nobody made {commit} on {BRANCH}")
                skill = by_merge[commit]["skill"]
                change = Change(commit, skill, self._tree(commit, skill), "promotion")
                model.changes[commit] = change
            if self._tree(commit, change.skill) != change.version:
                raise Disagreement(f"{commit} does not hold what was told: {change}")
            self._touches_one(commit, change.skill)
            self.history.append(change)
        if missing := by_merge.keys() - set(line):
            raise Disagreement(f"merged, and not on {BRANCH}: {missing}")

    def _tree(self, commit: str, skill: str) -> str:
        line = ("rev-parse", "--verify", "--quiet", f"{commit}:skills/{skill}")
        return git(self.places.library, *line, may_fail=True)

    def _touches_one(self, commit: str, skill: str) -> None:
        line = ("diff", "--name-only", f"{commit}^1", commit)
        tops = {
            tuple(path.split("/")[:2])
            for path in git(self.places.library, *line).split()
        }
        if not tops <= {(top, skill) for top in ("skills", "archive", "evidence")}:
            raise Disagreement(f"{commit} changed more than {skill}: {tops}")

    def audit(self) -> None:
        data = self.ask("audit")
        of = Counter(change.how for change in self.history)
        pushed = {change.commit for change in self.history if change.how == "push"}
        found = {row["commit"]: row["kind"] for row in data["exceptions"]}
        if found != dict.fromkeys(pushed, "direct-push"):
            raise Disagreement(f"the audit says {data['exceptions']}")
        if data["promotions"] != of["promotion"]:
            raise Disagreement(f"{of} is what happened; the audit says {data}")

    def histories(self) -> None:
        """What main holds, by `list` and by the `log` of every skill."""
        now = {change.skill: change.version for change in self.history}
        listed = {row["name"] for row in self.ask("list")["skills"]}
        if listed != {name for name, version in now.items() if version}:
            raise Disagreement(f"{listed} are listed; {now} is what has to be")
        for name in now:
            logged = [
                (row["commit"], row["tree"])
                for row in self.ask("log", name)["versions"]
            ]
            expected = [
                (change.commit, change.version) for change in self._changed(name)
            ]
            if logged[::-1] != expected:
                raise Disagreement(
                    f"the log of {name} is {logged[::-1]}, not {expected}"
                )
        versions = {(change.skill, change.version) for change in self.history}
        if odd := self.model.handed - versions:
            raise Disagreement(f"versions were handed out that never were: {odd}")

    def _changed(self, name: str) -> list[Change]:
        """The changes of a skill that changed it; an empty one is none."""
        found: list[Change] = []
        for change in (entry for entry in self.history if entry.skill == name):
            if change.version != (found[-1].version if found else ""):
                found.append(change)
        return found

    def rollouts(self) -> None:
        """The state of every rollout is one that somebody gave it at last."""
        for row in self.ask("canary", "status")["rollouts"]:
            register = self.model.rollouts.get(row["rollout"])
            possible = register.possible if register else {"running"}
            # Looking judges, too.
            possible |= {"closed", "finished"} & {_follows(row)}
            if row["state"] not in possible:
                raise Disagreement(f"{row} has to be one of {possible}")
            if register:
                register.settle(row["state"], time.monotonic())
            if row["state"] == "closed":
                self.model.openings.append(Opening(row["skill"], replaces=True))
        for row in self.ask("proposals")["proposals"]:
            self._born(row)
            self._in_its_state(row)

    def agents(self) -> None:
        """The folders of agents hold what their keys get, and nothing else."""
        for folder in sorted(self.places.agents.iterdir()):
            line = ("sync", "--to", str(folder), "--key", folder.name)
            self.ask(*line)
            again = self.ask(*line)
            if again["added"] or again["updated"] or again["removed"] or again["kept"]:
                raise Disagreement(f"{folder} was not in order: {again}")
            names = {
                path.name for path in folder.iterdir() if not path.name.startswith(".")
            }
            if names != set(again["unchanged"]):
                raise Disagreement(f"{folder} holds {names}, not {again}")
            if names:
                self._as_handed(folder / self.crew.luck.choice(sorted(names)))

    def _as_handed(self, folder: Path) -> None:
        path = self.ask("use", folder.name, "--key", folder.parent.name)["path"]
        texts = [(Path(copy) / "SKILL.md").read_bytes() for copy in (path, folder)]
        if texts[0] != texts[1]:
            raise Disagreement(f"{folder} is not what its key gets: {path}")

    def exchange(self) -> None:
        """Both clones know every use after two rounds, each of them once."""
        everything: dict[str, str] = {}
        for place in (LIBRARY, CLONE):
            everything |= self.model.uses.get(place, {})
        for place, other in ((CLONE, LIBRARY), (LIBRARY, CLONE)) * 2:
            line = ("sync-uses", "--remote", str(self.places.of(other)))
            ended = self.crew.do(Command("sync-uses", place, line))
            sound(ended)
            self.model.hear(ended)
        for place in (LIBRARY, CLONE):
            self._uses(place, everything)

    def _uses(self, place: str, expected: dict[str, str]) -> None:
        stored = self._stored(place)
        found = {number: skill for number, (skill, _) in stored.items()}
        if found != expected:
            odd = found.items() ^ expected.items()
            raise Disagreement(f"{len(odd)} uses differ in {place}: {sorted(odd)[:5]}")
        loaded = Counter(skill for skill, is_loaded in stored.values() if is_loaded)
        counted = {
            row["name"]: row["uses"] for row in self.ask("stats", place=place)["skills"]
        }
        if {name: uses for name, uses in counted.items() if uses} != dict(loaded):
            raise Disagreement(f"stats of {place} say {counted}; it holds {loaded}")

    def _stored(self, place: str) -> dict[str, tuple[str, bool]]:
        path = self.places.of(place) / ".git" / "skillforge" / "state.db"
        if not path.exists():
            return {}
        with sqlite3.connect(path) as db:
            [[sane]] = db.execute("PRAGMA integrity_check").fetchall()
            if sane != "ok":
                raise Disagreement(f"the store of {place}: {sane}")
            # Killed while it made the store: nothing is in it yet.
            has_uses = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'uses'")
            if has_uses.fetchone() is None:
                return {}
            rows = db.execute("SELECT id, skill, is_loaded FROM uses").fetchall()
        db.close()
        return {number: (skill, bool(loaded)) for number, skill, loaded in rows}

    def tags(self) -> None:
        line = ("for-each-ref", "--format=%(refname:short) %(*objectname)", "refs/tags")
        found = dict(
            ref.split() for ref in git(self.places.library, *line).splitlines()
        )
        model = self.model
        if model.tags.items() - found.items():
            raise Disagreement(f"releases {model.tags}, but tags are {found}")
        more = found.keys() - model.tags.keys()
        if len(more) and not model.may_have_released:
            raise Disagreement(f"nobody released {more}")
        if strange := set(found.values()) - {change.commit for change in self.history}:
            raise Disagreement(f"released, and not on {BRANCH}: {strange}")
        model.tags, model.may_have_released = found, False

    def repositories(self) -> None:
        own_worktrees = 1 + self.places.checkout.exists()
        places = ((self.places.library, own_worktrees), (self.places.clone, 1))
        for place, worktrees in places:
            if output := git(place, "fsck", "--strict", "--no-dangling"):
                raise Disagreement(f"fsck of {place}: {output}")
            if len(git(place, "worktree", "list").splitlines()) != worktrees:
                raise Disagreement(f"a worktree is left in {place}")
            strays = [p for pattern in _STRAYS for p in (place / ".git").rglob(pattern)]
            # Files of ours that are locked stay; what counts is that none is held.
            own = [path for path in strays if path.parent.name == "skillforge"]
            if set(strays) != set(own) or any(map(_is_held, own)):
                raise Disagreement(f"left lying about: {strays}")
        if checkout_of(self.places.library) != self.checkout:
            raise Disagreement("the checkout of the library was touched")


def _follows(row: dict[str, Any]) -> str:
    """The state that a verdict asks for."""
    states = {"roll-back": "closed", "promote": "finished"}
    return states.get(row["verdict"], "")


def _is_held(path: Path) -> bool:
    with path.open("r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
