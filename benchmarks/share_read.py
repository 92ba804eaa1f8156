"""Find and read: our search against raw FTS5, and a catalog of a large library."""

import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from benchmarks.measure import Row, command, ratio, seconds
from skillforge.library import Library
from skillforge.share import shelf
from skillforge.share.search import search
from skillforge.store.index import Index, Shelved

_WORDS = re.compile(r"[^\W_]+")
_QUERIES = 20  # that are timed, and ten times as many whose best hit is counted


def rows(root: Path, work: Path) -> list[Row]:
    library = Library(root)
    tip = library.tip
    plain = _plain_index(library, tip, work / "plain.db")
    skills = shelf.reading(library, tip, Index.skills)
    queries = _queries(skills, 10 * _QUERIES)
    return [
        *_speed(library, tip, plain, [query for _, query in queries[:_QUERIES]]),
        *_quality(library, tip, plain, queries),
        *_catalog(root),
    ]


def _plain_index(library: Library, tip: str, path: Path) -> Path:
    """All skills in one FTS5 table, as its documentation shows it."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE VIRTUAL TABLE skills USING fts5(name, description, body)")
        texts = (
            (it.name, it.document.words("description"), it.document.body)
            for it in library.read_at(tip)
            if it.document
        )
        db.executemany("INSERT INTO skills VALUES (?, ?, ?)", texts)
        db.execute("INSERT INTO skills (skills) VALUES ('optimize')")
        db.commit()
    return path


def _queries(skills: list[Shelved], count: int) -> list[tuple[str, str]]:
    """Words of descriptions in any order, and the skill that they are of."""
    rng = random.Random(11)
    chosen = rng.sample([it for it in skills if it.description], count)
    queries = []
    for skill in chosen:
        words = _WORDS.findall(skill.description)
        some = rng.sample(words, min(len(words), rng.choice((8, 12, 16))))
        queries.append((skill.name, " ".join(some)))
    return queries


def _plain(path: Path, query: str) -> list[str]:
    wanted = " OR ".join(f'"{word}"' for word in _WORDS.findall(query))
    best = "SELECT name FROM skills WHERE skills MATCH ? ORDER BY rank LIMIT 10"
    with closing(sqlite3.connect(path)) as db:
        return [name for (name,) in db.execute(best, (wanted,))]


def _speed(library: Library, tip: str, plain: Path, queries: list[str]) -> list[Row]:
    raw, ours = seconds(
        lambda: [_plain(plain, query) for query in queries],
        lambda: [search(library, tip, query) for query in queries],
        times=3,
    )
    few = [" ".join(query.split()[:3]) for query in queries]
    short_raw, short_ours = seconds(
        lambda: [_plain(plain, query) for query in few],
        lambda: [search(library, tip, query) for query in few],
        times=3,
    )
    return [
        ratio("search against raw FTS5", ours / raw, 1.5),
        ratio("the same, with three words", short_ours / short_raw, 1.5),
    ]


def _quality(
    library: Library, tip: str, plain: Path, queries: list[tuple[str, str]]
) -> list[Row]:
    """How often the skill that a description is of comes first."""
    ours = raw = 0
    for name, query in queries:
        raw += _plain(plain, query)[:1] == [name]
        ours += [hit.skill.name for hit in search(library, tip, query, 1)] == [name]
    value = f"{ours / len(queries):.2f}"
    target = f"BM25's {raw / len(queries):.2f}"
    return [Row("best hit is the one that was meant", value, target, ours >= raw)]


def _catalog(root: Path) -> list[Row]:
    command("catalog", "--library", root)()
    version, warm = seconds(
        command("--version"), command("catalog", "--library", root), times=10
    )
    over = (warm - version) * 1000
    return [
        Row("catalog over --version", f"{over:.0f} ms", "within 100 ms", over <= 100)
    ]


def main() -> None:
    import tempfile

    from benchmarks.__main__ import show
    from benchmarks.measure import library

    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        root = library(work, "root", 10_000)
        show(rows(root, work))
        shutil.rmtree(root)


if __name__ == "__main__":
    main()
