"""Private state of one clone: SQLite files inside the git directory.

The only module that imports sqlite3. The cache may be deleted at any time.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

_CACHE_VERSION = 2
_CACHE_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    ruleset TEXT, name TEXT, tree TEXT, changed INTEGER, inner TEXT, findings TEXT,
    PRIMARY KEY (ruleset, name)
) WITHOUT ROWID;
"""


class CachedResult(NamedTuple):
    """What a ruleset said of one skill at one tree.

    `changed` is when the skill's folder last changed on disk, `inner` the same for the
    folders in it, as JSON; `findings` is JSON, empty for none.
    """

    name: str
    tree: str
    changed: int
    inner: str
    findings: str


class Cache:
    """Results of checks by the skill's tree hash. Losing it only costs time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, git_dir: Path) -> "Cache":
        return cls(git_dir / "skillforge" / "cache.db")

    def load(self, ruleset: str) -> list[CachedResult]:
        """The results of a ruleset."""
        query = (
            "SELECT name, tree, changed, inner, findings FROM results WHERE ruleset = ?"
        )
        try:
            with closing(self._open()) as db:
                return [CachedResult(*row) for row in db.execute(query, (ruleset,))]
        except (sqlite3.Error, OSError) as err:
            self._discard(err)
            return []

    def save(self, ruleset: str, results: Iterable[CachedResult]) -> None:
        """Remember results; each replaces what was known of its skill."""
        try:
            with closing(self._open()) as db, db:
                db.execute("DELETE FROM results WHERE ruleset != ?", (ruleset,))
                db.executemany(
                    "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)",
                    ((ruleset, *row) for row in results),
                )
        except (sqlite3.Error, OSError) as err:
            self._discard(err)

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=2)
        db.execute("PRAGMA synchronous = OFF")
        if db.execute("PRAGMA user_version").fetchone()[0] != _CACHE_VERSION:
            db.executescript(f"DROP TABLE IF EXISTS results; {_CACHE_SCHEMA}")
            db.execute(f"PRAGMA user_version = {_CACHE_VERSION}")
        return db

    def _discard(self, err: Exception) -> None:
        """Throw away what cannot be read; the next run makes it anew.

        A cache that another process is writing, or that may not be written, stays.
        """
        if "locked" not in str(err) and "readonly" not in str(err):
            self.forget()

    def forget(self) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
