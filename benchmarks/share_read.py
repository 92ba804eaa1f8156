"""Find and read: our search against raw FTS5, and a catalog of a large library."""

import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from benchmarks.measure import (
    Row,
    Work,
    command,
    committed,
    milliseconds,
    ratio,
    seconds,
)
from skillforge.library import Library
from skillforge.share import skill_index
from skillforge.share.search import search
from skillforge.store.index import Index, IndexedSkill

_WORDS = re.compile(r"[^\W_]+")


def rows(work: Work) -> Iterator[Row]:
    root, folder = work.large, work.folder
    library = Library(root)
    tip = library.tip
    plain = _plain_index(library, tip, folder / "plain.db")
    skills = skill_index.query(library, tip, Index.skills)
    queries = [query for _, query in _queries(skills, 20, (8, 12, 16))]
    yield from _speed(library, tip, plain, queries)
    yield _quality(folder, work.size(2000, 100), work.size(300, 30))
    yield _catalog(root)


def _plain_index(library: Library, tip: str, path: Path) -> Path:
    """All skills in one FTS5 table, as its documentation shows it."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE VIRTUAL TABLE skills USING fts5(name, description, body)")
        texts = (
            (skill.name, skill.document.words("description"), skill.document.body)
            for skill in library.read_at(tip)
            if skill.document
        )
        db.executemany("INSERT INTO skills VALUES (?, ?, ?)", texts)
        db.execute("INSERT INTO skills (skills) VALUES ('optimize')")
        db.commit()
    return path


def _queries(
    skills: list[IndexedSkill], count: int, lengths: tuple[int, ...]
) -> list[tuple[str, str]]:
    """Words of descriptions in any order, and the skill that they are of."""
    rng = random.Random(11)
    chosen = rng.sample([skill for skill in skills if skill.description], count)
    queries = []
    for skill in chosen:
        words = _WORDS.findall(skill.description)
        some = rng.sample(words, min(len(words), rng.choice(lengths)))
        queries.append((skill.name, " ".join(some)))
    return queries


def _plain(path: Path, query: str) -> list[str]:
    match = " OR ".join(f'"{word}"' for word in _WORDS.findall(query))
    best = "SELECT name FROM skills WHERE skills MATCH ? ORDER BY rank LIMIT 10"
    with closing(sqlite3.connect(path)) as db:
        return [name for (name,) in db.execute(best, (match,))]


def _speed(library: Library, tip: str, plain: Path, queries: list[str]) -> list[Row]:
    """Long queries, short ones, and some with a word that no skill has."""
    kinds = {
        "search of 10,000, against raw FTS5": queries,
        "the same, with three words": [
            " ".join(query.split()[:3]) for query in queries
        ],
        "the same, with an unknown word": [f"{query} xylophone" for query in queries],
    }
    rows = []
    for what, some in kinds.items():
        raw, ours = seconds(
            partial(_all_plain, plain, some), partial(_all, library, tip, some), times=3
        )
        rows.append(ratio(what, ours / raw, 1.5))
    return rows


def _all_plain(plain: Path, queries: list[str]) -> None:
    for query in queries:
        _plain(plain, query)


def _all(library: Library, tip: str, queries: list[str]) -> None:
    for query in queries:
        search(library, tip, query)


def _quality(work: Path, skills_: int, asked: int) -> Row:
    """How often the skill whose description a query is taken from comes first."""
    root = _varied(work / "varied", skills_)
    library = Library(root)
    tip = library.tip
    plain = _plain_index(library, tip, work / "varied.db")
    skills = skill_index.query(library, tip, Index.skills)
    ours = raw = 0
    queries = _queries(skills, asked, (3, 4, 5))
    for name, query in queries:
        raw += _plain(plain, query)[:1] == [name]
        ours += [hit.skill.name for hit in search(library, tip, query, 1)] == [name]
    value, bar = (f"{total / len(queries):.2f}" for total in (ours, raw))
    what = "hit@1, words of descriptions"
    return Row(what, value, "as good as BM25", ours >= raw, f"BM25: {bar}")


def _varied(root: Path, count: int) -> Path:
    """A library whose words are as rare as in real texts; bodies tell of others."""
    rng = random.Random(5)
    words = ["".join(rng.choices("bcdfglmnprst", k=2)) + f"o{n:x}" for n in range(6000)]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    for number in range(count):
        about = rng.choices(words, weights, k=rng.randint(12, 30))
        body = rng.choices(words, weights, k=rng.randint(200, 1500)) + about[:6] * 3
        rng.shuffle(body)
        folder = root / "skills" / f"skill-{number:04d}"
        folder.mkdir(parents=True)
        head = f"---\nname: {folder.name}\ndescription: {' '.join(about)}\n---\n"
        text = f"{head}# Title\n\n{' '.join(body)}\n"
        (folder / "SKILL.md").write_text(text, encoding="utf-8")
    committed(root)
    return root


def _catalog(root: Path) -> Row:
    command("catalog", "--library", root)()
    version, warm = seconds(
        command("--version"), command("catalog", "--library", root), times=10
    )
    return milliseconds("catalog of 10,000, warm, over --version", warm - version, 100)
