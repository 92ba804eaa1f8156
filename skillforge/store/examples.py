"""Examples, their redacted parts, and how far each transcript was read."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ConflictError
from skillforge.store.state import exists, opened, path_in

_LISTED = "(SELECT value FROM json_each(?1))"


class ExampleRow(NamedTuple):
    """One stored example.

    `raw` is the digest of the episode before redaction, `origin` a session that may
    continue; both identify duplicates. `taken` is what redaction removed, as JSON.
    """

    id: str
    raw: str
    origin: str
    example: str
    taken: str
    pattern: str = ""


class Examples:
    """The examples in the private store of one clone."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, git_dir: Path) -> "Examples":
        return cls(Path(path_in(git_dir)))

    def rows(self) -> list[ExampleRow]:
        """All examples, in the order in which they were added."""
        return self._rows("1")

    def find(self, prefix: str) -> list[ExampleRow]:
        """Examples whose id starts with a prefix."""
        return self._rows("substr(id, 1, length(?1)) = ?1", prefix)

    def some(self, numbers: Iterable[str]) -> list[ExampleRow]:
        """Examples by id."""
        return self._rows(f"id IN {_LISTED}", json.dumps(list(numbers)))

    def of_pattern(self, prefix: str) -> list[ExampleRow]:
        """Examples of patterns whose id starts with a prefix."""
        return self._rows("substr(pattern, 1, length(?1)) = ?1", prefix)

    def of_raws(self, raws: Iterable[str]) -> list[ExampleRow]:
        """Examples by the digest of their episode before redaction."""
        return self._rows(f"raw IN {_LISTED}", json.dumps(list(raws)))

    def of_origin(self, origin: str) -> list[ExampleRow]:
        """Examples of one session."""
        return self._rows("origin = ?1", origin)

    def _rows(self, which: str, *values: str) -> list[ExampleRow]:
        if not exists(self.path):
            return []
        query = f"SELECT {', '.join(ExampleRow._fields)} FROM examples WHERE {which}"  # noqa: S608
        with opened(self.path) as db:
            return [
                ExampleRow(*row)
                for row in db.execute(f"{query} ORDER BY number", values)
            ]

    def add(self, rows: Iterable[ExampleRow], replaced: Iterable[str] = ()) -> None:
        """Add examples that are new, and delete those with the ids `replaced`."""
        insert = (
            "INSERT OR IGNORE INTO examples (id, raw, origin, example, taken, pattern)"
            " VALUES (?, ?, ?, ?, ?, ?)"
        )
        with opened(self.path) as db, db:
            db.execute("BEGIN IMMEDIATE")
            gone = [(number,) for number in replaced]
            db.executemany("DELETE FROM examples WHERE id = ?", gone)
            db.executemany(insert, rows)

    def update(self, changed: Iterable[tuple[str, str, str]]) -> None:
        """Replace examples: (id, before, after).

        If another process changed one of them meanwhile, none is replaced.
        """
        with opened(self.path) as db, db:
            db.execute("BEGIN IMMEDIATE")
            for number, before, after in changed:
                done = db.execute(
                    "UPDATE examples SET example = ? WHERE id = ? AND example = ?",
                    (after, number, before),
                )
                if done.rowcount != 1:
                    raise ConflictError(
                        f"example {number[:12]} was changed by another process",
                        hint="nothing was saved; review it again: "
                        f"skillforge examples show {number[:12]}",
                    )

    def assign(self, patterns: Iterable[tuple[str, str]]) -> None:
        """Save the pattern that each example belongs to: (id, pattern)."""
        pairs = [(pattern, number) for number, pattern in patterns]
        with opened(self.path) as db, db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("UPDATE examples SET pattern = ? WHERE id = ?", pairs)

    def mark(self, path: str) -> str:
        """How far a file was read, as its reader wrote it; empty if never."""
        if not exists(self.path):
            return ""
        with opened(self.path) as db:
            row = db.execute(
                "SELECT mark FROM marks WHERE path = ?", (path,)
            ).fetchone()
            return str(row[0]) if row else ""

    def set_mark(self, path: str, mark: str) -> None:
        with opened(self.path) as db, db:
            db.execute("INSERT OR REPLACE INTO marks VALUES (?, ?)", (path, mark))
