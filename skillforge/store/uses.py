"""Uses of skills, the versions that keys got, and the results of health runs."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from skillforge.model import Arm, Assignment, OutcomeSource, OutcomeStatus, Use
from skillforge.store.state import StrPath, exists, opened, path_in

_COLUMNS = Use._fields
_ASSIGNED = (
    "SELECT version, arm, rollout, share FROM handed WHERE skill = ? AND voice = ?"
)
_FACT = "SELECT value FROM facts WHERE name = ?"


class Tally(NamedTuple):
    """Uses that are alike in all columns up to `is_loaded`, added up.

    `timed` and `counted` are the uses that report their seconds and their tokens.
    """

    skill: str
    version: str
    rollout: str
    arm: str
    day: int  # since 1970
    outcome: str
    source: str
    is_loaded: int
    uses: int
    timed: int
    seconds: float
    counted: int
    tokens: int


class Votes(NamedTuple):
    """How many keys of one arm, at one share, had an outcome first."""

    share: float
    arm: str
    outcome: str
    voices: int


class Pitfall(NamedTuple):
    """A problem that a use ran into, as it was reported."""

    text: str
    voice: str
    version: str
    at: int
    id: str


class CaseRecord(NamedTuple):
    """The last test run of one version of a skill in one environment."""

    skill: str
    version: str
    environment: str
    at: int
    ok: bool
    trials: str  # JSON


class Uses:
    """The uses in the private store of one clone.

    A `voice` is the pseudonym of a key: the store never contains keys.
    """

    def __init__(self, path: StrPath) -> None:
        self.path = path

    @classmethod
    def of(cls, git_dir: StrPath) -> "Uses":
        return cls(path_in(git_dir))

    def add(self, uses: Iterable[Use]) -> int:
        """Add uses, all or none; the number of those that are new."""
        marks = ", ".join("?" * len(_COLUMNS))
        insert = f"INSERT OR IGNORE INTO uses ({', '.join(_COLUMNS)}) VALUES ({marks})"  # noqa: S608
        with opened(self.path) as db, db:
            db.execute("BEGIN IMMEDIATE")
            return db.executemany(insert, uses).rowcount

    def find(self, identifier: str) -> Use | None:
        """The use with this id."""
        query = f"SELECT {', '.join(_COLUMNS)} FROM uses WHERE id = ?"  # noqa: S608
        return next((_use(row) for row in self._all(query, identifier)), None)

    def save_assignments(
        self, assignments: Iterable[tuple[Assignment, str]], at: int
    ) -> None:
        """Save which version each voice got last."""
        rows = [(a.skill, voice, *a[1:], at) for a, voice in assignments]
        with opened(self.path) as db, db:
            db.executemany("INSERT OR REPLACE INTO handed VALUES (?,?,?,?,?,?,?)", rows)

    def last_assignment(self, skill: str, voice: str) -> Assignment | None:
        """What a voice got last; None if unknown."""
        return self.assignment_and_fact(skill, voice)[0]

    def assignment_and_fact(
        self, skill: str, voice: str, fact: str = ""
    ) -> tuple[Assignment | None, str]:
        """What a voice got last, and a fact, from one connection."""
        if not exists(self.path):
            return None, ""
        with opened(self.path) as db:
            row = db.execute(_ASSIGNED, (skill, voice)).fetchone()
            value = db.execute(_FACT, (fact,)).fetchone() if fact else None
        assignment = Assignment(skill, row[0], Arm(row[1]), *row[2:]) if row else None
        return assignment, value[0] if value else ""

    def tally(self, skill: str = "") -> list[Tally]:
        """Uses added up, of one skill or of all."""
        query = "SELECT * FROM tally WHERE skill = ?1 OR ?1 = ''"
        return [Tally(*row) for row in self._all(query, skill)]

    def votes(self, rollout: str) -> list[Votes]:
        """The first outcome of each key in a rollout, counted."""
        query = "SELECT share, arm, outcome, count(*) FROM votes WHERE rollout = ?"
        grouped = f"{query} GROUP BY share, arm, outcome"
        return [Votes(*row) for row in self._all(grouped, rollout)]

    def voices(self) -> dict[str, int]:
        """The number of keys that used each skill."""
        return dict(self._all("SELECT skill, count(*) FROM voices GROUP BY skill"))

    def latest(
        self, skills: Iterable[str], most: int
    ) -> dict[str, list[tuple[str, OutcomeStatus]]]:
        """Version and outcome of the last uses with an outcome; the oldest first."""
        query = (
            "SELECT version, outcome FROM uses WHERE skill = ? AND version != ''"
            " AND is_loaded AND outcome != 'unknown' ORDER BY at DESC, number DESC"
            " LIMIT ?"
        )
        if not exists(self.path):
            return {}
        with opened(self.path) as db:
            found = {
                name: db.execute(query, (name, most)).fetchall() for name in skills
            }
        return {
            name: [
                (version, OutcomeStatus(outcome)) for version, outcome in reversed(rows)
            ]
            for name, rows in found.items()
        }

    def pitfalls(self, skill: str = "") -> list[tuple[str, Pitfall]]:
        """Pitfalls of one skill, or of all, in the order of their reports."""
        query = "SELECT skill, pitfall, voice, version, at, id FROM uses"
        where = "WHERE pitfall != '' AND (skill = ?1 OR ?1 = '') ORDER BY number"
        rows = self._all(f"{query} {where}", skill)
        return [(row[0], Pitfall(*row[1:])) for row in rows]

    def after(self, number: int, node: str = "") -> list[tuple[int, Use]]:
        """Uses of a node with higher numbers, each with its number in this store."""
        query = f"SELECT number, {', '.join(_COLUMNS)} FROM uses"  # noqa: S608
        where = "WHERE node = ? AND number > ? ORDER BY number"
        rows = self._all(f"{query} {where}", node, number)
        return [(row[0], _use(row[1:])) for row in rows]

    def save_case_records(self, results: Iterable[CaseRecord]) -> None:
        """Save test runs, each in place of the last one of its version."""
        with opened(self.path) as db, db:
            db.executemany(
                "INSERT OR REPLACE INTO health VALUES (?,?,?,?,?,?)", results
            )

    def case_records(self) -> list[CaseRecord]:
        """The last test run of each version, in each environment."""
        rows = self._all("SELECT * FROM health")
        return [CaseRecord(*row)._replace(ok=bool(row[4])) for row in rows]

    def fact(self, name: str) -> str:
        """The value of a name; empty if it has none."""
        return next((str(row[0]) for row in self._all(_FACT, name)), "")

    def set_fact(self, name: str, value: str) -> None:
        with opened(self.path) as db, db:
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def _all(self, query: str, *values: object) -> list[Any]:
        if not exists(self.path):
            return []
        with opened(self.path) as db:
            return db.execute(query, values).fetchall()


_KINDS = {
    "outcome": OutcomeStatus,
    "source": OutcomeSource,
    "arm": Arm,
    "is_loaded": bool,
    "is_vote": bool,
}


def _use(row: Iterable[Any]) -> Use:
    values = dict(zip(_COLUMNS, row, strict=True))
    return Use(**values | {name: kind(values[name]) for name, kind in _KINDS.items()})
