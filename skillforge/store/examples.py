"""Examples, what was taken from them, and how far each transcript was read.

They are in the private store, as `state` opens it.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ConflictError
from skillforge.store.state import is_there, opened, path_in


class ExampleRow(NamedTuple):
    """One example as it is kept.

    `raw` names the episode before redaction, `origin` a session that may go on; both
    tell whether it is there already. `taken` is what redaction took, as JSON.
    """

    id: str
    raw: str
    origin: str
    example: str
    taken: str
    pattern: str = ""


class Examples:
    """The private store of one clone, in a file that only its owner may read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, git_dir: Path) -> "Examples":
        return cls(Path(path_in(git_dir)))

    def rows(self) -> list[ExampleRow]:
        """Every example, in the order in which they came."""
        return self._rows("1")

    def find(self, prefix: str) -> list[ExampleRow]:
        """Examples whose id starts so."""
        return self._rows("substr(id, 1, length(?1)) = ?1", prefix)

    def some(self, numbers: Iterable[str]) -> list[ExampleRow]:
        """Examples by id."""
        wanted = json.dumps(list(numbers))
        return self._rows("id IN (SELECT value FROM json_each(?1))", wanted)

    def of_pattern(self, prefix: str) -> list[ExampleRow]:
        """Examples of patterns whose id starts so."""
        return self._rows("substr(pattern, 1, length(?1)) = ?1", prefix)

    def of_raws(self, raws: Iterable[str]) -> list[ExampleRow]:
        """Examples by the digest of their episode before redaction."""
        wanted = json.dumps(list(raws))
        return self._rows("raw IN (SELECT value FROM json_each(?1))", wanted)

    def of_origin(self, origin: str) -> list[ExampleRow]:
        """Examples of one session."""
        return self._rows("origin = ?1", origin)

    def _rows(self, which: str, *values: str) -> list[ExampleRow]:
        if not is_there(self.path):
            return []
        query = f"SELECT {', '.join(ExampleRow._fields)} FROM examples WHERE {which}"  # noqa: S608
        with opened(self.path) as db:
            return [
                ExampleRow(*row)
                for row in db.execute(f"{query} ORDER BY number", values)
            ]

    def add(self, rows: Iterable[ExampleRow], replaced: Iterable[str] = ()) -> None:
        """Keep examples; those that are there stay as they are. `replaced` ids go."""
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
        """Write down what became of examples: (id, as it was, as it is).

        If somebody else changed one of them meanwhile, none is changed.
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
                        f"example {number[:12]} was changed meanwhile",
                        hint="nothing was changed; look at it again: "
                        f"skillforge examples show {number[:12]}",
                    )

    def assign(self, patterns: Iterable[tuple[str, str]]) -> None:
        """Remember which pattern an example belongs to: (id, pattern)."""
        pairs = [(pattern, number) for number, pattern in patterns]
        with opened(self.path) as db, db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("UPDATE examples SET pattern = ? WHERE id = ?", pairs)

    def mark(self, path: str) -> str:
        """How far a file was read, in the words of whoever read it; empty if never."""
        if not is_there(self.path):
            return ""
        with opened(self.path) as db:
            row = db.execute(
                "SELECT mark FROM marks WHERE path = ?", (path,)
            ).fetchone()
            return str(row[0]) if row else ""

    def set_mark(self, path: str, mark: str) -> None:
        with opened(self.path) as db, db:
            db.execute("INSERT OR REPLACE INTO marks VALUES (?, ?)", (path, mark))
