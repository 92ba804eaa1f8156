"""The search index of the skills of one tree. Deleting it is safe.

An index is a file named after its tree, and never changes once it is written. So a
reader gets the skills of that tree, or no index.
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
_MAX_INDEXES = 3  # the newest ones are kept
_POOL = 100  # extra rows of one table, to be ranked together with those of the other
_BODY_WEIGHT = 0.3  # of a word in the body; 1 in the description
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
# Scripts without spaces: each character counts as a word.
_CHARACTER = r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af])"
_MARKED = re.compile("\x02([^\x03]*)\x03")


class IndexedSkill(NamedTuple):
    """One skill as a list shows it; `problem` is why clients can't use it."""

    name: str
    tree: str
    description: str = ""
    triggers: str = ""
    version: str = ""
    group: str = ""
    problem: str = ""


class SkillText(NamedTuple):
    """A skill, and its body, which is indexed but not stored."""

    skill: IndexedSkill
    body: str


class SearchMatch(NamedTuple):
    """A skill that was found; `is_whole` if its description has all words."""

    skill: IndexedSkill
    score: float
    is_whole: bool


class DamagedError(Exception):
    """An index that can't be read and has to be built again."""


class Index:
    """An open index; it belongs to the process that opened it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def close(self) -> None:
        self._db.close()

    @without_cycles
    def skills(self) -> list[IndexedSkill]:
        """All skills, by name."""
        with _reading():
            query = f"SELECT {_columns()} FROM skills"  # noqa: S608
            return sorted(map(IndexedSkill._make, self._db.execute(query)))

    @without_cycles
    def outline(self) -> list[IndexedSkill]:
        """All skills with name, group and problem only, which is much faster."""
        with _reading():
            query = (
                """SELECT name, '', '', '', '', "group", problem FROM skills"""
                " INDEXED BY outline ORDER BY name"
            )
            return list(map(IndexedSkill._make, self._db.execute(query)))

    def best(self, words: Sequence[str], limit: int) -> list[SearchMatch]:
        """Skills that contain the words, the best first, equals by name.

        Skills with all words in name, description and triggers come first. For the
        others, the body counts too; a long body doesn't lower the description's rank.
        """
        if not words:
            return []
        with _reading():
            pool = limit + _POOL
            with_all = dict(self._ranked("heads", _query(words, " "), pool))
            whole = self._first(with_all, limit, is_whole=True)
            if len(whole) == limit:
                return whole
            any_word = _query(words, " OR ")
            scores = dict(self._ranked("heads", any_word, pool))
            for number, score in self._ranked("bodies", any_word, pool):
                scores[number] = scores.get(number, 0.0) + _BODY_WEIGHT * score
            others = {n: score for n, score in scores.items() if n not in with_all}
            return whole + self._first(others, limit - len(whole), is_whole=False)

    def _first(
        self, scores: dict[int, float], limit: int, *, is_whole: bool
    ) -> list[SearchMatch]:
        """The best skills; scores are from 0 to 1, plus 1 for whole matches."""
        least = min(sorted(scores.values(), reverse=True)[:limit], default=0.0)
        found = [
            SearchMatch(self._skill(number), is_whole + score / (1 + score), is_whole)
            for number, score in scores.items()
            if score >= least
        ]
        return sorted(found, key=lambda match: (-match.score, match.skill.name))[:limit]

    def named(self, name: str) -> IndexedSkill | None:
        with _reading():
            query = f"SELECT {_columns()} FROM skills WHERE name = ?"  # noqa: S608
            row = self._db.execute(query, (name,)).fetchone()
            return IndexedSkill(*row) if row else None

    def _ranked(
        self, table: str, words: str, limit: int
    ) -> Iterator[tuple[int, float]]:
        weights = _HEADS if table == "heads" else "bm25()"
        query = (
            f"SELECT rowid, -rank FROM {table} WHERE {table} MATCH ?"  # noqa: S608
            " AND rank MATCH ? ORDER BY rank LIMIT ?"
        )
        yield from self._db.execute(query, (words, weights, limit))

    def _skill(self, number: int) -> IndexedSkill:
        query = f"SELECT {_columns()} FROM skills WHERE id = ?"  # noqa: S608
        row = self._db.execute(query, (number,)).fetchone()
        if row is None:
            raise DamagedError("a skill is missing")
        return IndexedSkill(*row)

    def update(
        self, gone: Iterable[SkillText], fresh: Iterable[SkillText], tree: str
    ) -> None:
        """Make it the index of another tree by removing and adding skills."""
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

    def _write(self, command: str, number: int, skill: IndexedSkill, body: str) -> None:
        head = [spaced(skill.name), spaced(skill.description), spaced(skill.triggers)]
        for table, columns, values in (
            ("heads", "name, description, triggers", head),
            ("bodies", "body", [spaced(body)]),
        ):
            target = (
                f"({table}, rowid, {columns})" if command else f"(rowid, {columns})"
            )
            marks = ", ".join("?" for _ in (number, *values))
            row = f"{command}, {marks}" if command else marks
            insert = f"INSERT INTO {table} {target} VALUES ({row})"  # noqa: S608
            self._db.execute(insert, (number, *values))

    def optimize(self) -> None:
        """Merge the segments of a new index."""
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
        """The index of a tree; None if there is none that can be read."""
        return self._open(self._path(tree), tree)

    def latest(self) -> tuple[Index, Path] | None:
        """The newest index, which is the best start for that of another tree."""
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

        The file gets its name once it is complete. The caller holds a lock.
        """
        import shutil

        self._remove_leftovers()
        partial = self._path(tree).with_suffix(f".{os.getpid()}.half")
        try:
            if start is not None:
                shutil.copyfile(start, partial)
            db = sqlite3.connect(partial)
            db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
            _filled(db, tree, gone, fresh, is_new=start is None).close()
            partial.replace(self._path(tree))
        except (OSError, sqlite3.Error) as err:
            partial.unlink(missing_ok=True)
            raise ToolError(f"the index cannot be written: {err}") from err
        for old in self._paths()[_MAX_INDEXES:]:
            old.unlink(missing_ok=True)

    def forget(self, tree: str) -> None:
        """Delete an index that can't be read."""
        with suppress(OSError):
            self._path(tree).unlink(missing_ok=True)

    def _path(self, tree: str) -> Path:
        return self.folder / f"search-{_FORMAT}-{__version__}-{tree}.db"

    def _paths(self) -> list[Path]:
        """The indexes of this version, the newest first."""
        found = [(p.stat().st_mtime_ns, p) for p in self.folder.glob("search-*.db")]
        ours = self._path("").name.removesuffix(".db")
        return [p for _, p in sorted(found, reverse=True) if p.name.startswith(ours)]

    def _remove_leftovers(self) -> None:
        """Delete partial indexes of killed processes, and those of other versions."""
        ours = self._path("").name.removesuffix(".db")
        for path in self.folder.glob("search-*"):
            if path.suffix == ".half" or not path.name.startswith(ours):
                path.unlink(missing_ok=True)

    def _open(self, path: Path, tree: str) -> Index | None:
        if not path.is_file():
            return None
        try:
            uri = f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1"
            db = sqlite3.connect(uri, uri=True)
            if db.execute("SELECT tree FROM made").fetchone() == (tree,):
                return Index(db)
            db.close()
        except sqlite3.Error:
            pass
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return None


def in_memory(tree: str, fresh: Iterable[SkillText]) -> Index:
    """An index for one command, if none can be saved."""
    try:
        return _filled(sqlite3.connect(":memory:"), tree, (), fresh, is_new=True)
    except sqlite3.Error as err:
        raise ToolError(
            f"skills cannot be indexed: {err}",
            hint="use a Python whose SQLite has FTS5",
        ) from err


def _filled(
    db: sqlite3.Connection,
    tree: str,
    gone: Iterable[SkillText],
    fresh: Iterable[SkillText],
    *,
    is_new: bool,
) -> Index:
    """The index of a tree in a database that can be written."""
    index = Index(db)
    if is_new:
        db.executescript(_SCHEMA)
    index.update(gone, fresh, tree)
    if is_new:
        index.optimize()
    return index


def spaced(text: str) -> str:
    """A text with spaces around the characters of scripts that use none."""
    whole = text if text.isascii() else text.encode("utf-8", "replace").decode()
    if whole.isascii():
        return whole
    return re.sub(_CHARACTER, r" \1 ", whole)  # compiled on first use: it is slow


def matches(
    texts: Sequence[Sequence[str]], words: Sequence[str]
) -> list[list[list[str]]]:
    """The words that match a query, by text and by part of each text."""
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


def _query(words: Sequence[str], joiner: str) -> str:
    """An FTS5 query; nothing in the words is an operator."""
    return joiner.join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    is_start = word.endswith("*")
    plain = spaced(word.rstrip("*")).replace('"', " ").replace("\0", " ")
    return f'"{plain}"{" *" if is_start else ""}'


def _columns() -> str:
    return ", ".join(f'"{column}"' for column in IndexedSkill._fields)


@contextmanager
def _reading() -> Iterator[None]:
    """Raise `DamagedError` for a damaged database."""
    try:
        yield
    except sqlite3.DatabaseError as err:
        raise DamagedError(str(err)) from err
