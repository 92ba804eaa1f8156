"""The file of the private store: opened, brought up to date, kept from others.

This is the user's data: it is never thrown away, and every change is all or nothing.
A file beside it has the generation of the store (SQLite's application_id), so that one
that is gone, empty or another's is not taken for a new one.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TypeAlias

from skillforge.errors import ToolError

StrPath: TypeAlias = "str | os.PathLike[str]"

# What each version of the file adds to the one before.
_EXAMPLES = """
CREATE TABLE examples (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE, raw TEXT UNIQUE, origin TEXT,
    example TEXT, taken TEXT, pattern TEXT DEFAULT ''
);
CREATE INDEX examples_by_origin ON examples (origin);
CREATE TABLE marks (path TEXT PRIMARY KEY, mark TEXT);
"""
# `tally` and `votes` follow from `uses`: triggers keep them, so that they cannot part.
_USES = """
CREATE TABLE uses (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, node TEXT, skill TEXT,
    version TEXT, voice TEXT, at INTEGER, outcome TEXT, source TEXT, arm TEXT,
    rollout TEXT, share REAL, is_loaded INTEGER, is_vote INTEGER, seconds REAL,
    tokens INTEGER, note TEXT, pitfall TEXT
);
CREATE INDEX uses_by_skill ON uses (skill, at);
CREATE INDEX uses_by_node ON uses (node, number);
CREATE INDEX uses_with_pitfall ON uses (skill) WHERE pitfall != '';
CREATE TABLE tally (
    skill TEXT, version TEXT, rollout TEXT, arm TEXT, day INTEGER, outcome TEXT,
    source TEXT, is_loaded INTEGER, uses INTEGER, timed INTEGER, seconds REAL,
    counted INTEGER, tokens INTEGER,
    PRIMARY KEY (skill, version, rollout, arm, day, outcome, source, is_loaded)
) WITHOUT ROWID;
CREATE TRIGGER use_is_tallied AFTER INSERT ON uses BEGIN
    INSERT INTO tally VALUES (
        new.skill, new.version, new.rollout, new.arm, new.at / 86400, new.outcome,
        new.source, new.is_loaded, 1, new.seconds IS NOT NULL,
        coalesce(new.seconds, 0), new.tokens IS NOT NULL, coalesce(new.tokens, 0)
    ) ON CONFLICT DO UPDATE SET
        uses = uses + 1, timed = timed + excluded.timed,
        seconds = seconds + excluded.seconds, counted = counted + excluded.counted,
        tokens = tokens + excluded.tokens;
END;
CREATE TABLE votes (
    rollout TEXT, voice TEXT, arm TEXT, share REAL, outcome TEXT,
    PRIMARY KEY (rollout, voice)
) WITHOUT ROWID;
CREATE TRIGGER use_is_vote AFTER INSERT ON uses WHEN new.is_vote BEGIN
    INSERT OR IGNORE INTO votes VALUES (
        new.rollout, new.voice, new.arm, new.share, new.outcome
    );
END;
CREATE TABLE voices (skill TEXT, voice TEXT, PRIMARY KEY (skill, voice)) WITHOUT ROWID;
CREATE TRIGGER use_has_voice AFTER INSERT ON uses WHEN new.is_loaded BEGIN
    INSERT OR IGNORE INTO voices VALUES (new.skill, new.voice);
END;
CREATE TABLE handed (
    skill TEXT, voice TEXT, version TEXT, arm TEXT, rollout TEXT, share REAL,
    at INTEGER, PRIMARY KEY (skill, voice)
) WITHOUT ROWID;
CREATE TABLE health (
    skill TEXT, version TEXT, environment TEXT, at INTEGER, ok INTEGER, trials TEXT,
    PRIMARY KEY (skill, version, environment)
) WITHOUT ROWID;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
"""
_VERSIONS = (_EXAMPLES, _USES)
_CUT = ";\nCREATE "  # statements start a line; those inside of triggers do not


def path_in(git_dir: StrPath) -> str:
    """Where the private store of a clone lies."""
    return os.path.join(git_dir, "skillforge", "state.db")


def is_there(path: StrPath) -> bool:
    """Whether anything was kept yet; raises if it was, and the file is gone."""
    if os.path.exists(path):
        return True
    if _generation(path):
        raise _lost(path, "is gone")
    return False


@contextmanager
def opened(path: StrPath) -> Iterator[sqlite3.Connection]:
    """The private store, in a file that only its owner may read."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not is_there(path):
            # SQLite would make it readable for everybody.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        with closing(_connection(path)) as db:
            _prepare(db, path)
            yield db
    except OSError as err:
        raise _unwritable(path, err.strerror or str(err)) from err
    except sqlite3.Error as err:
        if not _is_writable(path):
            raise _unwritable(path, str(err)) from err
        raise ToolError(
            f"the private store cannot be used: {err}",
            hint=f"nothing was changed; if {path} is damaged, move it away: what was "
            f"captured and recorded is in it; then {_restart(path)}",
        ) from err


def _connection(path: StrPath) -> sqlite3.Connection:
    """A connection that can at least read, also where nothing can be written."""
    if _is_writable(path):
        return sqlite3.connect(path, timeout=30)
    from urllib.parse import quote

    # A log beside the store has newer rows. Without one, SQLite would have to make it.
    log = f"{path}-wal"
    has_log = os.path.exists(log) and os.path.getsize(log) > 0
    mode = "mode=ro" if has_log else "immutable=1"
    return sqlite3.connect(f"file:{quote(os.fsencode(path))}?{mode}", uri=True)


def _is_writable(path: StrPath) -> bool:
    return os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)


def _unwritable(path: StrPath, why: str) -> ToolError:
    return ToolError(
        f"cannot write {path}: {why}",
        hint="nothing was changed; the git directory has to be writable",
    )


def condition(git_dir: StrPath) -> tuple[int, int]:
    """How many examples and uses there are; raises if the file is damaged.

    Nothing is made where nothing was kept yet.
    """
    if not is_there(path_in(git_dir)):
        return 0, 0
    with opened(path_in(git_dir)) as db:
        said = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if said != "ok":
            raise sqlite3.DatabaseError(said)
        counts = [
            db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in ("examples", "uses")
        ]
    return counts[0], counts[1]


def _prepare(db: sqlite3.Connection, path: StrPath) -> None:
    version = _pragma(db, "user_version")
    if version == len(_VERSIONS) and _is_ours(db, path):
        return
    if version > len(_VERSIONS):
        raise ToolError(
            "the private store was written by a newer skillforge",
            hint="update this one; nothing was changed",
        )
    if version == 0 and not _generation(path):
        db.execute("PRAGMA journal_mode = WAL")  # stays with the file: no reader waits
    with db:
        db.execute("BEGIN IMMEDIATE")
        version, noted = _pragma(db, "user_version"), _generation(path)
        if noted and noted != _pragma(db, "application_id"):
            raise _lost(path, "was replaced by another one" if version else "is empty")
        for schema in _VERSIONS[version:]:
            first, *rest = schema.strip().removesuffix(";").split(_CUT)
            for statement in (first, *(f"CREATE {each}" for each in rest)):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(_VERSIONS)}")
        if not _pragma(db, "application_id"):
            number = int.from_bytes(os.urandom(4), "big") >> 1
            db.execute(f"PRAGMA application_id = {number or 1}")
    _note_generation(path, _pragma(db, "application_id"))  # once the store is complete


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _is_ours(db: sqlite3.Connection, path: StrPath) -> bool:
    """Whether it is the store that was here before."""
    generation = _pragma(db, "application_id")
    return generation != 0 and generation == _generation(path)


def _generation(path: StrPath) -> int:
    """The generation that the store should have; 0 if none was noted."""
    try:
        with open(f"{path}.generation", "rb") as file:
            return int(file.read(20))
    except (OSError, ValueError):
        return 0


def _note_generation(path: StrPath, generation: int) -> None:
    temporary = f"{path}.generation.{os.getpid()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as file:
        file.write(b"%d\n" % generation)
    os.replace(temporary, f"{path}.generation")


def _lost(path: StrPath, what: str) -> ToolError:
    return ToolError(
        f"the private store {path} {what}: what was captured and recorded is missing",
        hint=f"put it back from a backup, or {_restart(path)}",
    )


def _restart(path: StrPath) -> str:
    """How to go on without the old store, and what can be had back."""
    return (
        f"start anew: rm {path}.generation; `skillforge sync-uses` then brings back "
        "uses that were shared (refs/skillforge/uses), `skillforge capture` examples"
    )
