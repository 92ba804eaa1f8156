"""A record that is damaged, as disks and power cuts do: named, in no way, restored."""

from typing import Any

from tests.soak.actors import Actors, propose
from tests.soak.checks import Checks, sound
from tests.soak.model import Disagreement
from tests.soak.places import BRANCH, LIBRARY, git
from tests.soak.processes import Command

_REPAIR = "skillforge doctor --fix"
_NOWHERE = "1234567890" * 4
_READS = (("list",), ("stats",), ("catalog",), ("canary", "status"))


class Damages:
    """One record of the library is damaged, with all halted, and repaired again."""

    def __init__(self, checks: Checks, actors: Actors) -> None:
        self.checks = checks
        self.actors = actors
        self.library = checks.places.library
        self.model = checks.model

    def damage_one(self) -> None:
        """Nothing but the damaged record is affected, and doctor gives it back."""
        if not self.model.proposals:
            return
        number = self.actors.luck.choice(sorted(self.model.proposals))
        ref = f"refs/skillforge/proposals/{number}"
        before, tip = self._proposals(), git(self.library, "rev-parse", ref)
        exceptions = self._exceptions()
        self._damage(ref)
        self._is_named(number, before, exceptions)
        self._stops_nothing_else(number)
        self._repair(number)
        if git(self.library, "rev-parse", ref) != tip:
            raise Disagreement(f"{ref} was {tip}, and doctor made something else of it")
        now, was = self._proposals()[number], before[number]
        if now != was or self._exceptions() != exceptions:
            raise Disagreement(f"after the repair of {ref}: {now}, before: {was}")
        self.model.counts["damaged records"] += 1

    def _damage(self, ref: str) -> None:
        blob = git(self.library, "rev-parse", f"{BRANCH}:skillforge.yaml")
        text = self.actors.luck.choice(("", "garbage\n", f"{_NOWHERE}\n", f"{blob}\n"))
        path = self.library / ".git" / ref
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def _is_named(
        self, number: int, before: dict[int, Any], exceptions: list[dict[str, str]]
    ) -> None:
        data = self.checks.ask("proposals")
        shown = _by_number(data)
        if shown != {n: row for n, row in before.items() if n != number}:
            raise Disagreement(f"{number} is damaged, and others differ: {shown}")
        _names(data["broken"], number)
        more = [row for row in self._exceptions() if row not in exceptions]
        if [row["kind"] for row in more] != ["unreadable-record"]:
            raise Disagreement(f"{number} is damaged, and the audit says {more}")
        _names([row["message"] for row in more], number)

    def _stops_nothing_else(self, number: int) -> None:
        for line in _READS:
            self.checks.ask(*line)
        skill = self.model.proposals[number].skill
        commands = [propose(self.actors, without=skill)]
        waiting = [n for n in self.model.open_numbers() if n != number]
        if waiting:
            other = self.actors.luck.choice(waiting)
            line = ("gate", str(other))
            commands.append(Command("gate", LIBRARY, line, {"number": other}))
        for command in commands:
            ended = self.checks.crew.do(command)
            sound(ended)
            self.model.hear(ended)
        refused = self.checks.crew.do(Command("show", LIBRARY, ("review", str(number))))
        if refused.code != 2 or _REPAIR not in refused.out:
            raise Disagreement(f"a review of damaged {number}: {refused.out}")

    def _repair(self, number: int) -> None:
        data = self.checks.ask("doctor", "--fix")
        if data["faults"] or f"proposal {number}" not in _of("name", data["fixed"]):
            raise Disagreement(f"{number} is damaged, and doctor says {data}")

    def _proposals(self) -> dict[int, Any]:
        return _by_number(self.checks.ask("proposals"))

    def _exceptions(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = self.checks.ask("audit")["exceptions"]
        return found


def _names(messages: list[str], number: int) -> None:
    """One message, which names the record and the command that repairs it."""
    name = f"proposal {number} "
    if len(messages) != 1 or name not in messages[0] or _REPAIR not in messages[0]:
        raise Disagreement(f"{number} is damaged, and {messages} is what is said")


def _by_number(data: dict[str, Any]) -> dict[int, Any]:
    """Proposals without what changes by itself."""
    rows = data["proposals"]
    return {row["number"]: {k: row[k] for k in row if k != "age_days"} for row in rows}


def _of(key: str, rows: list[dict[str, str]]) -> list[str]:
    return [row[key] for row in rows]
