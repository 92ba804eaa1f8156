"""Uses of skills, what was handed to whom, and how skills fared when tried again."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from skillforge.model import Arm, Assignment, OutcomeSource, OutcomeStatus, Use
from skillforge.store.state import StrPath, is_there, opened, path_in

_COLUMNS = Use._fields
_HANDED = (
    "SELECT version, arm, rollout, share FROM handed WHERE skill = ? AND voice = ?"
)
_FACT = "SELECT value FROM facts WHERE name = ?"


class Tally(NamedTuple):
    """How many uses were alike in all of this, and what they took together.

    `timed` and `counted` are the uses that told their seconds and their tokens.
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
    """How many voices of one arm, at one share, had one outcome first."""

    share: float
    arm: str
    outcome: str
    voices: int


class Pitfall(NamedTuple):
    """What a use ran into, in the words of whoever reports it."""

    text: str
    voice: str
    version: str
    at: int
    id: str


class CaseRecord(NamedTuple):
    """How the cases of one version of a skill fared in one environment, at last."""

    skill: str
    version: str
    environment: str
    at: int
    ok: bool
    trials: str  # JSON


class Uses:
    """The uses in the private store of one clone."""

    def __init__(self, path: StrPath) -> None:
        self.path = path

    @classmethod
    def of(cls, git_dir: StrPath) -> "Uses":
        return cls(path_in(git_dir))

    def add(self, uses: Iterable[Use]) -> int:
        """Keep uses, all or none; how many of them were not there yet."""
        marks = ", ".join("?" * len(_COLUMNS))
        insert = f"INSERT OR IGNORE INTO uses ({', '.join(_COLUMNS)}) VALUES ({marks})"  # noqa: S608
        with opened(self.path) as db, db:
            db.execute("BEGIN IMMEDIATE")
            return db.executemany(insert, uses).rowcount

    def find(self, number: str) -> Use | None:
        """The use that was reported with this id."""
        query = f"SELECT {', '.join(_COLUMNS)} FROM uses WHERE id = ?"  # noqa: S608
        return next((_use(row) for row in self._all(query, number)), None)

    def hand(self, given: Iterable[tuple[Assignment, str]], at: int) -> None:
        """Remember which version each voice got at last."""
        rows = [(a.skill, voice, *a[1:], at) for a, voice in given]
        with opened(self.path) as db, db:
            db.executemany("INSERT OR REPLACE INTO handed VALUES (?,?,?,?,?,?,?)", rows)

    def handed(self, skill: str, voice: str) -> Assignment | None:
        """What a voice got at last, if that is known."""
        return self.known(skill, voice)[0]

    def known(
        self, skill: str, voice: str, fact: str = ""
    ) -> tuple[Assignment | None, str]:
        """What a voice got at last, and what was written down, in one look."""
        if not is_there(self.path):
            return None, ""
        with opened(self.path) as db:
            given = db.execute(_HANDED, (skill, voice)).fetchone()
            said = db.execute(_FACT, (fact,)).fetchone() if fact else None
        return (_assigned(skill, *given) if given else None), (said[0] if said else "")

    def tally(self, skill: str = "") -> list[Tally]:
        """Uses by what they have in common, of one skill or of all."""
        query = "SELECT * FROM tally WHERE skill = ?1 OR ?1 = ''"
        return [Tally(*row) for row in self._all(query, skill)]

    def votes(self, rollout: str) -> list[Votes]:
        """The first word of each voice in a rollout, counted."""
        query = "SELECT share, arm, outcome, count(*) FROM votes WHERE rollout = ?"
        grouped = f"{query} GROUP BY share, arm, outcome"
        return [Votes(*row) for row in self._all(grouped, rollout)]

    def voices(self) -> dict[str, int]:
        """How many keys each skill was used with."""
        return dict(self._all("SELECT skill, count(*) FROM voices GROUP BY skill"))

    def latest(
        self, skills: Iterable[str], most: int
    ) -> dict[str, list[tuple[str, OutcomeStatus]]]:
        """Version and outcome of the last uses that tell one; the oldest first."""
        query = (
            "SELECT version, outcome FROM uses WHERE skill = ? AND version != ''"
            " AND is_loaded AND outcome != 'unknown' ORDER BY at DESC, number DESC"
            " LIMIT ?"
        )
        if not is_there(self.path):
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
        """What uses of a skill, or of all, ran into, in the order they came."""
        query = "SELECT skill, pitfall, voice, version, at, id FROM uses"
        where = "WHERE pitfall != '' AND (skill = ?1 OR ?1 = '') ORDER BY number"
        rows = self._all(f"{query} {where}", skill)
        return [(row[0], Pitfall(*row[1:])) for row in rows]

    def after(self, number: int, node: str = "") -> list[tuple[int, Use]]:
        """Uses of a node that came after one, with their numbers here."""
        query = f"SELECT number, {', '.join(_COLUMNS)} FROM uses"  # noqa: S608
        where = "WHERE node = ? AND number > ? ORDER BY number"
        rows = self._all(f"{query} {where}", node, number)
        return [(row[0], _use(row[1:])) for row in rows]

    def check(self, results: Iterable[CaseRecord]) -> None:
        """Remember how skills fared; each replaces what was known of its version."""
        with opened(self.path) as db, db:
            db.executemany(
                "INSERT OR REPLACE INTO health VALUES (?,?,?,?,?,?)", results
            )

    def checked(self) -> list[CaseRecord]:
        """How each version of a skill fared at last, in each environment."""
        rows = self._all("SELECT * FROM health")
        return [CaseRecord(*row)._replace(ok=bool(row[4])) for row in rows]

    def fact(self, name: str) -> str:
        """What was written down under a name; empty if nothing."""
        found = self._all(_FACT, name)
        return next((str(row[0]) for row in found), "")

    def set_fact(self, name: str, value: str) -> None:
        with opened(self.path) as db, db:
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def _all(self, query: str, *values: object) -> list[Any]:
        if not is_there(self.path):
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
    said = dict(zip(_COLUMNS, row, strict=True))
    return Use(**said | {name: kind(said[name]) for name, kind in _KINDS.items()})


def _assigned(
    skill: str, version: str, arm: str, rollout: str, share: float
) -> Assignment:
    return Assignment(skill, version, Arm(arm), rollout, share)
