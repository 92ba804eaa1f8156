"""The skills of one tree, to be listed and searched. May be deleted any time.

An index is a file under the name of its tree, written once and never changed: whatever
else goes on, what is read is of that tree, or is not there.
"""

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from skillforge import __version__
from skillforge.errors import ToolError
from skillforge.processes import without_cycles

_FORMAT = 1
_KEPT = 3  # indexes of trees, the newest of them
_POOL = 100  # of the best by one table that are looked at together with another's
_BODY = 0.3  # what a word of the body counts against one of the description
_TOKENS = "tokenize = 'porter unicode61 remove_diacritics 2'"
_SCHEMA = f"""
CREATE TABLE made (tree TEXT, skills INTEGER);
CREATE TABLE skills (
    id INTEGER PRIMARY KEY, name TEXT, tree TEXT, description TEXT, triggers TEXT,
    version TEXT, "group" TEXT, problem TEXT
);
CREATE UNIQUE INDEX outline ON skills (name, "group", problem);
CREATE VIRTUAL TABLE heads
    USING fts5(name, description, triggers, content = '', {_TOKENS});
CREATE VIRTUAL TABLE bodies USING fts5(body, content = '', {_TOKENS});
"""
_HEADS = "bm25(3.0, 1.0, 1.0)"
# Written without spaces: each sign is a word of its own here.
_SIGN = r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af])"
_MARKED = re.compile("\x02([^\x03]*)\x03")


class IndexedSkill(NamedTuple):
    """One skill as a list shows it; `problem` says why it is of no use to a client."""

    name: str
    tree: str
    description: str = ""
    triggers: str = ""
    version: str = ""
    group: str = ""
    problem: str = ""


class SkillText(NamedTuple):
    """A skill, and its body, which is indexed but not kept."""

    skill: IndexedSkill
    body: str


class SearchMatch(NamedTuple):
    """A skill that was found; `is_whole` if it says every word of itself."""

    skill: IndexedSkill
    score: float
    is_whole: bool


class DamagedError(Exception):
    """An index that cannot be read; it is to be made anew."""


class Index:
    """An index that is open; it belongs to the process that opened it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def close(self) -> None:
        self._db.close()

    @without_cycles
    def skills(self) -> list[IndexedSkill]:
        """Every skill, by name."""
        with _reading():
            query = f"SELECT {_columns()} FROM skills"  # noqa: S608
            return sorted(map(IndexedSkill._make, self._db.execute(query)))

    @without_cycles
    def outline(self) -> list[IndexedSkill]:
        """The same without what they say: of many skills, that is most of the time."""
        with _reading():
            query = (
                """SELECT name, '', '', '', '', "group", problem FROM skills"""
                " INDEXED BY outline ORDER BY name"
            )
            return list(map(IndexedSkill._make, self._db.execute(query)))

    def best(self, words: Sequence[str], limit: int) -> list[SearchMatch]:
        """Skills in which words stand, the best first; equals are in order of names.

        Those that have every word in what they say of themselves come before all
        others, whose bodies count as well. A long body does not make a description
        weigh less.
        """
        if not words:
            return []
        with _reading():
            every = dict(self._ranked("heads", _query(words, " "), limit + _POOL))
            whole = self._first(every, limit, is_whole=True)
            if len(whole) == limit:
                return whole
            wanted, most = _query(words, " OR "), limit + _POOL
            some = dict(self._ranked("heads", wanted, most))
            for number, score in self._ranked("bodies", wanted, most):
                some[number] = some.get(number, 0.0) + _BODY * score
            others = {number: it for number, it in some.items() if number not in every}
            return whole + self._first(others, limit - len(whole), is_whole=False)

    def _first(
        self, scores: dict[int, float], limit: int, *, is_whole: bool
    ) -> list[SearchMatch]:
        """The best of some skills; a score is from 0 to 1, of a whole match 1 more."""
        least = min(sorted(scores.values(), reverse=True)[:limit], default=0.0)
        near = [(number, score) for number, score in scores.items() if score >= least]
        found = [
            SearchMatch(self._skill(number), is_whole + score / (1 + score), is_whole)
            for number, score in near
        ]
        return sorted(found, key=lambda it: (-it.score, it.skill.name))[:limit]

    def named(self, name: str) -> IndexedSkill | None:
        with _reading():
            query = f"SELECT {_columns()} FROM skills WHERE name = ?"  # noqa: S608
            row = self._db.execute(query, (name,)).fetchone()
            return IndexedSkill(*row) if row else None

    def _ranked(
        self, table: str, wanted: str, most: int
    ) -> Iterator[tuple[int, float]]:
        weights = _HEADS if table == "heads" else "bm25()"
        query = (
            f"SELECT rowid, -rank FROM {table} WHERE {table} MATCH ?"  # noqa: S608
            " AND rank MATCH ? ORDER BY rank LIMIT ?"
        )
        yield from self._db.execute(query, (wanted, weights, most))

    def _skill(self, number: int) -> IndexedSkill:
        query = f"SELECT {_columns()} FROM skills WHERE id = ?"  # noqa: S608
        row = self._db.execute(query, (number,)).fetchone()
        if row is None:
            raise DamagedError("a skill is missing")
        return IndexedSkill(*row)

    def take(
        self, gone: Iterable[SkillText], fresh: Iterable[SkillText], tree: str
    ) -> None:
        """Make it the index of another tree: some skills go, some come."""
        db = self._db
        for skill, body in gone:
            row = db.execute("SELECT id FROM skills WHERE name = ?", (skill.name,))
            number = int(row.fetchone()[0])
            self._write("'delete'", number, skill, body)
            db.execute("DELETE FROM skills WHERE id = ?", (number,))
        for skill, body in fresh:
            marks = ", ".join("?" for _ in skill)
            insert = f"INSERT INTO skills ({_columns()}) VALUES ({marks})"  # noqa: S608
            number = db.execute(insert, skill).lastrowid or 0
            self._write("", number, skill, body)
        db.execute("DELETE FROM made")
        db.execute("INSERT INTO made SELECT ?, count(*) FROM skills", (tree,))
        db.commit()

    def _write(self, order: str, number: int, skill: IndexedSkill, body: str) -> None:
        said = [spaced(skill.name), spaced(skill.description), spaced(skill.triggers)]
        for table, columns, values in (
            ("heads", "name, description, triggers", said),
            ("bodies", "body", [spaced(body)]),
        ):
            how = f"({table}, rowid, {columns})" if order else f"(rowid, {columns})"
            marks = ", ".join("?" for _ in (number, *values))
            row = f"{order}, {marks}" if order else marks
            insert = f"INSERT INTO {table} {how} VALUES ({row})"  # noqa: S608
            self._db.execute(insert, (number, *values))

    def squeeze(self) -> None:
        """Put the parts of an index together: worth it for one that is all new."""
        for table in ("heads", "bodies"):
            self._db.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")  # noqa: S608
        self._db.commit()


class Indexes:
    """The indexes of one clone, in its git directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, git_dir: Path) -> "Indexes":
        return cls(git_dir / "skillforge")

    def find(self, tree: str) -> Index | None:
        """The index of a tree, if there is one that can be read."""
        return self._open(self._path(tree), tree)

    def latest(self) -> tuple[Index, Path] | None:
        """The newest index: most of what another tree holds is in it already."""
        for path in self._paths():
            if found := self._open(path, path.stem.rpartition("-")[2]):
                return found, path
        return None

    def write(
        self,
        tree: str,
        start: Path | None,
        gone: Iterable[SkillText],
        fresh: Iterable[SkillText],
    ) -> None:
        """Write the index of a tree, from another one or from nothing.

        It has its name when it is whole. The caller keeps others from doing the same.
        """
        import shutil

        self._forget_halves()
        half = self._path(tree).with_suffix(f".{os.getpid()}.half")
        try:
            if start is not None:
                shutil.copyfile(start, half)
            db = sqlite3.connect(half)
            db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
            filled(db, tree, gone, fresh, is_new=start is None).close()
            half.replace(self._path(tree))
        except (OSError, sqlite3.Error) as err:
            half.unlink(missing_ok=True)
            raise ToolError(f"the index cannot be written: {err}") from err
        for old in self._paths()[_KEPT:]:
            old.unlink(missing_ok=True)

    def forget(self, tree: str) -> None:
        """Throw an index away that cannot be read."""
        with suppress(OSError):
            self._path(tree).unlink(missing_ok=True)

    def _path(self, tree: str) -> Path:
        return self.folder / f"search-{_FORMAT}-{__version__}-{tree}.db"

    def _paths(self) -> list[Path]:
        """Every index of ours, the newest first."""
        found = [(p.stat().st_mtime_ns, p) for p in self.folder.glob("search-*.db")]
        ours = self._path("").name.removesuffix(".db")
        return [p for _, p in sorted(found, reverse=True) if p.name.startswith(ours)]

    def _forget_halves(self) -> None:
        """Throw away what died half-way, and what an older version left."""
        ours = self._path("").name.removesuffix(".db")
        for path in self.folder.glob("search-*"):
            if path.suffix == ".half" or not path.name.startswith(ours):
                path.unlink(missing_ok=True)

    def _open(self, path: Path, tree: str) -> Index | None:
        if not path.is_file():
            return None
        try:
            where = f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1"
            db = sqlite3.connect(where, uri=True)
            made = db.execute("SELECT tree FROM made").fetchone()
            if made == (tree,):
                return Index(db)
            db.close()
        except sqlite3.Error:
            pass
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return None


def in_memory(tree: str, fresh: Iterable[SkillText]) -> Index:
    """An index for one command, where none can be kept."""
    try:
        return filled(sqlite3.connect(":memory:"), tree, (), fresh, is_new=True)
    except sqlite3.Error as err:
        raise ToolError(
            f"skills cannot be indexed: {err}",
            hint="Python's SQLite has to be built with FTS5",
        ) from err


def filled(
    db: sqlite3.Connection,
    tree: str,
    gone: Iterable[SkillText],
    fresh: Iterable[SkillText],
    *,
    is_new: bool,
) -> Index:
    """An index that may still be written, brought to a tree."""
    index = Index(db)
    if is_new:
        db.executescript(_SCHEMA)
    index.take(gone, fresh, tree)
    if is_new:
        index.squeeze()
    return index


def spaced(text: str) -> str:
    """A text whose words FTS5 finds, also where they are not kept apart by spaces."""
    whole = text if text.isascii() else text.encode("utf-8", "replace").decode()
    if whole.isascii():
        return whole
    return re.sub(_SIGN, r" \1 ", whole)  # to compile it takes a while; once is enough


def matches(
    texts: Sequence[Sequence[str]], words: Sequence[str]
) -> list[list[list[str]]]:
    """Which words of texts answer to a query, for each text and each of its parts."""
    if not texts or not words:
        return [[[] for _ in text] for text in texts]
    columns = [f"c{number}" for number in range(len(texts[0]))]
    db = sqlite3.connect(":memory:")
    db.execute(
        f"CREATE VIRTUAL TABLE shown USING fts5({', '.join(columns)}, {_TOKENS})"
    )
    marks = ", ".join("?" for _ in columns)
    for number, text in enumerate(texts):
        parts = [
            spaced(part.replace("\x02", " ").replace("\x03", " ")) for part in text
        ]
        insert = f"INSERT INTO shown (rowid, {', '.join(columns)}) VALUES (?, {marks})"  # noqa: S608
        db.execute(insert, (number, *parts))
    shown = ", ".join(
        f"highlight(shown, {n}, char(2), char(3))" for n in range(len(columns))
    )
    query = f"SELECT rowid, {shown} FROM shown WHERE shown MATCH ?"  # noqa: S608
    found: list[list[list[str]]] = [[[] for _ in columns] for _ in texts]
    for number, *marked in db.execute(query, (_query(words, " OR "),)):
        found[number] = [list(dict.fromkeys(_marked(part))) for part in marked]
    db.close()
    return found


def _marked(text: str) -> list[str]:
    return [word.lower().replace(" ", "") for word in _MARKED.findall(text or "")]


def _query(words: Sequence[str], joint: str) -> str:
    """Words, each taken for what it is: nothing in it is an operator."""
    return joint.join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    is_start = word.endswith("*")
    plain = spaced(word.rstrip("*")).replace('"', " ").replace("\0", " ")
    return f'"{plain}"{" *" if is_start else ""}'


def _columns() -> str:
    return ", ".join(f'"{column}"' for column in IndexedSkill._fields)


@contextmanager
def _reading() -> Iterator[None]:
    """Tell damage apart from a bug of ours."""
    try:
        yield
    except sqlite3.DatabaseError as err:
        raise DamagedError(str(err)) from err
