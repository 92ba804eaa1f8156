"""Results that can be computed again: checks, trials, pages. Deleting it is safe."""

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from skillforge.model.time_units import DAY
from skillforge.store.cache_seal import CacheSeal

Kind: TypeAlias = Literal["trials", "scans", "pairs", "pages", "summaries"]
T = TypeVar("T")
_VERSION = 12
_MAX_DAYS = 30  # that entries are kept
_MOST_LISTED = 3_000  # skills with a term; lists of more would not be read
_SCHEMA = """
CREATE TABLE results (
    ruleset TEXT, name TEXT, tree TEXT, changed INTEGER, inner TEXT, findings TEXT,
    PRIMARY KEY (ruleset, name)
) WITHOUT ROWID;
CREATE TABLE sketches (mark INTEGER, name TEXT, PRIMARY KEY (mark, name)) WITHOUT ROWID;
CREATE INDEX sketches_by_name ON sketches (name);
CREATE TABLE profiles (name TEXT PRIMARY KEY, terms TEXT) WITHOUT ROWID;
CREATE TABLE postings (term TEXT, name TEXT, PRIMARY KEY (term, name)) WITHOUT ROWID;
CREATE TABLE counts (term TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID;
CREATE TABLE sketched (tree TEXT);
""" + "".join(
    f"CREATE TABLE {kind} (key TEXT PRIMARY KEY, day INTEGER, value TEXT);\n"
    for kind in get_args(Kind)
)


class CachedResult(NamedTuple):
    """The findings of a ruleset on one skill at one tree.

    `changed` is when the skill's folder last changed on disk, `inner` the same for the
    folders in it, as JSON; `findings` is JSON, empty for none.
    """

    name: str
    tree: str
    changed: int
    inner: str
    findings: str


class Cache:
    """Results of checks, by the skill's tree hash. Losing it only costs time.

    Entries are sealed: those that this user's tool didn't write are ignored.
    """

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
        return [CachedResult(*row) for row in self._query(query, ruleset)]

    def save(self, ruleset: str, results: Iterable[CachedResult]) -> None:
        """Save results, each in place of the last one of its skill."""
        rows = ((ruleset, *row) for row in results)

        def write(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM results WHERE ruleset != ?", (ruleset,))
            insert = "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)"
            db.executemany(insert, rows)

        self._run(write, None)

    def sketched_tree(self) -> str:
        """The tree of skills that the sketches are of; empty if there are none."""
        return self._run(_sketched_tree, "")

    def save_sketches(
        self,
        tree: str,
        sketches: Mapping[str, Iterable[int]],
        profiles: Mapping[str, str],
        before: str,
    ) -> None:
        """Replace the sketches that changed since `before`; all, if that is empty.

        Does nothing if the sketches are of another tree than `before` by now.
        """

        def write(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            if before and _sketched_tree(db) != before:
                return
            _index_terms(db, sketches.keys(), profiles, is_new=not before)
            names = [(name,) for name in sketches]
            for table in ("sketches", "profiles"):
                if before:
                    delete = f"DELETE FROM {table} WHERE name = ?"  # noqa: S608
                    db.executemany(delete, names)
                else:
                    db.execute(f"DELETE FROM {table}")  # noqa: S608
            rows = ((mark, name) for name, marks in sketches.items() for mark in marks)
            db.executemany("INSERT OR IGNORE INTO sketches VALUES (?, ?)", rows)
            insert = "INSERT OR REPLACE INTO profiles VALUES (?, ?)"
            db.executemany(insert, profiles.items())
            db.execute("DELETE FROM sketched")
            db.execute("INSERT INTO sketched VALUES (?)", (tree,))

        self._run(write, None)

    def profiles(self, tree: str) -> dict[str, str] | None:
        """The terms of each skill of a tree; None if the sketches are of another."""
        rows = self._sketched(tree, "SELECT name, terms FROM profiles ORDER BY name")
        return None if rows is None else dict(rows)

    def profiles_of(self, tree: str, names: Iterable[str]) -> dict[str, str] | None:
        """The terms of some skills of a tree; None if the sketches are of another."""
        query = (
            "SELECT name, terms FROM profiles"
            " WHERE name IN (SELECT value FROM json_each(?))"
        )
        rows = self._sketched(tree, query, json.dumps(list(names)))
        return None if rows is None else dict(rows)

    def names_with(self, tree: str, term: str) -> list[str] | None:
        """Skills of a tree with a term; None if the sketches are of another.

        The list of a common term is incomplete: it has fewer skills than `counts` says.
        """
        query = "SELECT name FROM postings WHERE term = ? ORDER BY name"
        rows = self._sketched(tree, query, term)
        return None if rows is None else [name for (name,) in rows]

    def counts(self, tree: str, terms: Iterable[str]) -> dict[str, int] | None:
        """How many skills have each term; the empty term counts described skills.

        None if the sketches are of another tree.
        """
        query = (
            "SELECT term, count FROM counts WHERE count > 0"
            " AND term IN (SELECT value FROM json_each(?))"
        )
        rows = self._sketched(tree, query, json.dumps(list(terms)))
        return None if rows is None else dict(rows)

    def marks(self, tree: str) -> dict[str, list[int]] | None:
        """The marks of each skill of a tree; None if the sketches are of another."""
        rows = self._sketched(tree, "SELECT name, mark FROM sketches ORDER BY 1, 2")
        by_name: dict[str, list[int]] = {}
        for name, mark in rows or ():
            by_name.setdefault(name, []).append(mark)
        return None if rows is None else by_name

    def names_sharing(
        self, tree: str, marks: list[int], least: int
    ) -> list[str] | None:
        """Skills with `least` of these marks; None if the sketches are of another."""
        query = (
            "SELECT name FROM sketches WHERE mark IN (SELECT value FROM json_each(?))"
            " GROUP BY name HAVING count(*) >= ?"
        )
        rows = self._sketched(tree, query, json.dumps(marks), least)
        return None if rows is None else [name for (name,) in rows]

    def _sketched(self, tree: str, query: str, *values: object) -> list[Any] | None:
        def read(db: sqlite3.Connection) -> list[Any] | None:
            db.execute("BEGIN")  # the tree and the rows are of one moment
            is_same = _sketched_tree(db) == tree
            return db.execute(query, values).fetchall() if is_same else None

        return self._run(read, None)

    def entries(self, kind: Kind, keys: Iterable[str]) -> dict[str, str]:
        """The cached values of a kind, by key."""
        seal = CacheSeal.of_user()
        if seal is None:
            return {}
        query = (
            f"SELECT key, value FROM {kind}"  # noqa: S608
            " WHERE key IN (SELECT value FROM json_each(?))"
        )
        rows = self._query(query, json.dumps(list(keys)))
        opened = {key: seal.open(f"{kind} {key}", value) for key, value in rows}
        return {key: text for key, text in opened.items() if text is not None}

    def save_entries(self, kind: Kind, entries: Mapping[str, str]) -> None:
        """Keep values of a kind for some weeks."""
        seal = CacheSeal.of_user()
        if seal is None:
            return
        today = int(time.time()) // DAY
        rows = [
            (key, today, seal.close(f"{kind} {key}", text))
            for key, text in entries.items()
        ]

        def write(db: sqlite3.Connection) -> None:
            delete = f"DELETE FROM {kind} WHERE day < ?"  # noqa: S608
            db.execute(delete, (today - _MAX_DAYS,))
            db.executemany(f"INSERT OR REPLACE INTO {kind} VALUES (?, ?, ?)", rows)  # noqa: S608

        self._run(write, None)

    def _query(self, query: str, *values: object) -> list[Any]:
        rows: list[Any] = []
        return self._run(lambda db: db.execute(query, values).fetchall(), rows)

    def _run(self, work: Callable[[sqlite3.Connection], T], fallback: T) -> T:
        """The result of `work`; `fallback` if the cache can't be read or written.

        A damaged cache is deleted. One that another process is writing, or that is
        read-only, stays.
        """
        try:
            with closing(self._open()) as db, db:
                return work(db)
        except (sqlite3.Error, OSError) as err:
            if "locked" not in str(err) and "readonly" not in str(err):
                self.forget()
            return fallback

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=2)
        db.execute("PRAGMA synchronous = OFF")
        if _version(db) != _VERSION:
            with db:
                db.execute("BEGIN IMMEDIATE")
                if _version(db) != _VERSION:  # another process may have been faster
                    _reset(db)
        return db

    def forget(self) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _reset(db: sqlite3.Connection) -> None:
    """Drop the tables of another version, and create ours."""
    tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    drops = [f'DROP TABLE "{name}"' for (name,) in tables.fetchall()]
    for statement in (*drops, *filter(str.strip, _SCHEMA.split(";"))):
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {_VERSION}")


def _sketched_tree(db: sqlite3.Connection) -> str:
    row = db.execute("SELECT tree FROM sketched").fetchone()
    return str(row[0]) if row else ""


def _index_terms(
    db: sqlite3.Connection,
    names: Set[str],
    profiles: Mapping[str, str],
    *,
    is_new: bool,
) -> None:
    """Update the index of terms, before the profiles of these skills are replaced."""
    changes: Counter[str] = Counter()
    if is_new:
        db.execute("DELETE FROM postings")
        db.execute("DELETE FROM counts")
    else:
        query = (
            "SELECT name, terms FROM profiles"
            " WHERE name IN (SELECT value FROM json_each(?))"
        )
        known = db.execute(query, (json.dumps(list(names)),)).fetchall()
        old = [(term, name) for name, profile in known for term in _terms(profile)]
        changes.subtract(term for term, _name in old)
        db.executemany("DELETE FROM postings WHERE term = ? AND name = ?", old)
    new = [(term, name) for name, p in profiles.items() for term in _terms(p)]
    changes.update(term for term, _name in new)
    common = {t for t, n in changes.items() if is_new and n > _MOST_LISTED}
    rows = sorted(row for row in new if row[0] and row[0] not in common)
    db.executemany("INSERT OR IGNORE INTO postings VALUES (?, ?)", rows)
    upsert = (
        "INSERT INTO counts VALUES (?, ?)"
        " ON CONFLICT (term) DO UPDATE SET count = count + excluded.count"
    )
    db.executemany(upsert, changes.items())


def _terms(profile: str) -> list[str]:
    """The terms of a profile, each once, after an empty one; none without a profile."""
    once = profile.partition("\t")[0]
    return ["", *filter(None, once.split(" "))] if profile else []
