"""What can be worked out again: results, trials, pages. May be deleted any time."""

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

_CACHE_VERSION = 10
_DAYS = 30  # that trials, scans and pages are kept
_CACHE_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    ruleset TEXT, name TEXT, tree TEXT, changed INTEGER, inner TEXT, findings TEXT,
    PRIMARY KEY (ruleset, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sketches (
    mark INTEGER, name TEXT, PRIMARY KEY (mark, name)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sketches_by_name ON sketches (name);
CREATE TABLE IF NOT EXISTS profiles (name TEXT PRIMARY KEY, said TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sketched (tree TEXT);
CREATE TABLE IF NOT EXISTS trials (key TEXT PRIMARY KEY, day INTEGER, said TEXT);
CREATE TABLE IF NOT EXISTS scans (key TEXT PRIMARY KEY, day INTEGER, said TEXT);
CREATE TABLE IF NOT EXISTS pairs (key TEXT PRIMARY KEY, day INTEGER, said TEXT);
CREATE TABLE IF NOT EXISTS pages (key TEXT PRIMARY KEY, day INTEGER, said TEXT);
CREATE TABLE IF NOT EXISTS summaries (key TEXT PRIMARY KEY, day INTEGER, said TEXT);
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

    def sketched_tree(self) -> str:
        """The tree of skills that the sketches are of; empty if there are none."""
        try:
            with closing(self._open()) as db:
                row = db.execute("SELECT tree FROM sketched").fetchone()
                return str(row[0]) if row else ""
        except (sqlite3.Error, OSError) as err:
            self._discard(err)
            return ""

    def save_sketches(
        self,
        tree: str,
        sketches: Mapping[str, Iterable[int]],
        profiles: Mapping[str, str],
        before: str,
    ) -> None:
        """Replace sketches of what changed since `before`; of all, if that is empty.

        Nothing is kept if they are of another tree by now.
        """
        try:
            with closing(self._open()) as db, db:
                db.execute("BEGIN IMMEDIATE")
                row = db.execute("SELECT tree FROM sketched").fetchone()
                if before and (row is None or row[0] != before):
                    return
                names = [(name,) for name in sketches]
                for table in ("sketches", "profiles"):
                    if not before:
                        db.execute(f"DELETE FROM {table}")  # noqa: S608
                    else:
                        gone = f"DELETE FROM {table} WHERE name = ?"  # noqa: S608
                        db.executemany(gone, names)
                rows = ((mark, name) for name, it in sketches.items() for mark in it)
                db.executemany("INSERT OR IGNORE INTO sketches VALUES (?, ?)", rows)
                said = profiles.items()
                db.executemany("INSERT OR REPLACE INTO profiles VALUES (?, ?)", said)
                db.execute("DELETE FROM sketched")
                db.execute("INSERT INTO sketched VALUES (?)", (tree,))
        except (sqlite3.Error, OSError) as err:
            self._discard(err)

    def profiles(self, tree: str) -> dict[str, str] | None:
        """The terms of each skill of a tree; None if it has no sketches of that."""
        rows = self._sketched(tree, "SELECT name, said FROM profiles ORDER BY name")
        return None if rows is None else dict(rows)

    def marks(self, tree: str) -> dict[str, list[int]] | None:
        """The marks of each skill of a tree; None if it has no sketches of that."""
        rows = self._sketched(tree, "SELECT name, mark FROM sketches ORDER BY 1, 2")
        found: dict[str, list[int]] = {}
        for name, mark in rows or ():
            found.setdefault(name, []).append(mark)
        return None if rows is None else found

    def names_sharing(
        self, tree: str, marks: list[int], least: int
    ) -> list[str] | None:
        """Skills with so many of these marks; None if it has no sketches of a tree."""
        query = (
            "SELECT name FROM sketches WHERE mark IN (SELECT value FROM json_each(?))"
            " GROUP BY name HAVING count(*) >= ?"
        )
        rows = self._sketched(tree, query, json.dumps(marks), least)
        return None if rows is None else [name for (name,) in rows]

    def _sketched(self, tree: str, query: str, *values: object) -> list[Any] | None:
        """Rows of the sketches; None if those are of another tree."""
        try:
            with closing(self._open()) as db:
                if db.execute("SELECT tree FROM sketched").fetchone() != (tree,):
                    return None
                return db.execute(query, values).fetchall()
        except (sqlite3.Error, OSError) as err:
            self._discard(err)
            return None

    def trials(self, keys: list[str]) -> dict[str, str]:
        """What is kept of trials, as JSON, by key."""
        return self._kept("trials", keys)

    def save_trials(self, trials: Mapping[str, str]) -> None:
        """Keep trials by key for some weeks."""
        self._keep("trials", trials)

    def scans(self, keys: list[str]) -> dict[str, str]:
        """What is kept of scans, as JSON, by key."""
        return self._kept("scans", keys)

    def save_scans(self, scans: Mapping[str, str]) -> None:
        """Keep scans by key for some weeks."""
        self._keep("scans", scans)

    def pairs(self, keys: list[str]) -> dict[str, str]:
        """What is kept of how much two trees say the same, by both."""
        return self._kept("pairs", keys)

    def save_pairs(self, pairs: Mapping[str, str]) -> None:
        """Keep how much trees say the same for some weeks."""
        self._keep("pairs", pairs)

    def pages(self, keys: list[str]) -> dict[str, str]:
        """What is kept of texts as HTML, by key."""
        return self._kept("pages", keys)

    def save_pages(self, pages: Mapping[str, str]) -> None:
        """Keep texts as HTML by key for some weeks."""
        self._keep("pages", pages)

    def summaries(self, keys: list[str]) -> dict[str, str]:
        """Cached summaries of skills, as JSON, by key."""
        return self._kept("summaries", keys)

    def save_summaries(self, summaries: Mapping[str, str]) -> None:
        """Keep summaries of skills by key for some weeks."""
        self._keep("summaries", summaries)

    def _kept(self, table: str, keys: list[str]) -> dict[str, str]:
        query = f"SELECT key, said FROM {table}"  # noqa: S608 - one of ours
        query += " WHERE key IN (SELECT value FROM json_each(?))"
        try:
            with closing(self._open()) as db:
                return dict(db.execute(query, (json.dumps(keys),)).fetchall())
        except (sqlite3.Error, OSError) as err:
            self._discard(err)
            return {}

    def _keep(self, table: str, said: Mapping[str, str]) -> None:
        day = int(time.time()) // 86400
        rows = [(key, day, text) for key, text in said.items()]
        try:
            with closing(self._open()) as db, db:
                old = f"DELETE FROM {table} WHERE day < ?"  # noqa: S608
                db.execute(old, (day - _DAYS,))
                new = f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)"  # noqa: S608
                db.executemany(new, rows)
        except (sqlite3.Error, OSError) as err:
            self._discard(err)

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=2)
        db.execute("PRAGMA synchronous = OFF")
        if db.execute("PRAGMA user_version").fetchone()[0] != _CACHE_VERSION:
            db.executescript(
                "DROP TABLE IF EXISTS results; DROP TABLE IF EXISTS sketches;"
                "DROP TABLE IF EXISTS sketched; DROP TABLE IF EXISTS triggers;"
                "DROP TABLE IF EXISTS profiles; DROP TABLE IF EXISTS pairs;"
                "DROP TABLE IF EXISTS trials; DROP TABLE IF EXISTS scans;"
                "DROP TABLE IF EXISTS pages; DROP TABLE IF EXISTS summaries;"
                f"{_CACHE_SCHEMA}"
            )
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
