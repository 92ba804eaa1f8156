"""The file of the private store: its schema, migrations and permissions.

This is the user's data: it is never deleted, and every change is all or nothing. A file
beside it has the generation of the store (SQLite's application_id), so that a lost,
empty or replaced store is not mistaken for a new one.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import TypeAlias

from skillforge.errors import ToolError
from skillforge.model.time_units import DAY

StrPath: TypeAlias = "str | os.PathLike[str]"

# What each version of the schema adds to the previous one.
_EXAMPLES = """
CREATE TABLE examples (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE, raw TEXT UNIQUE, origin TEXT,
    example TEXT, taken TEXT, pattern TEXT DEFAULT ''
);
CREATE INDEX examples_by_origin ON examples (origin);
CREATE TABLE marks (path TEXT PRIMARY KEY, mark TEXT);
"""
# Triggers derive `tally`, `votes` and `voices` from `uses`, so they can't diverge.
_USES = f"""
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
        new.skill, new.version, new.rollout, new.arm, new.at / {DAY}, new.outcome,
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
"""  # noqa: S608 - no input
_VERSIONS = (_EXAMPLES, _USES)
_BETWEEN = ";\nCREATE "  # statements; those inside of triggers are indented


def path_in(git_dir: StrPath) -> str:
    """The file of a clone's private store."""
    return os.path.join(git_dir, "skillforge", "state.db")


def exists(path: StrPath) -> bool:
    """Whether the store exists; an error if it did, and the file is gone."""
    if os.path.exists(path):
        return True
    if _generation(path):
        raise _lost(path, "is gone")
    return False


@contextmanager
def opened(path: StrPath) -> Iterator[sqlite3.Connection]:
    """The private store, created if needed; only its owner may read it."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not exists(path):
            # SQLite would create it readable for other users.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        with closing(_connection(path)) as db:
            with _creation(path):
                _prepare(db, path)
            yield db
    except OSError as err:
        raise _unwritable(path, err.strerror or str(err)) from err
    except sqlite3.Error as err:
        if not _is_writable(path):
            raise _unwritable(path, str(err)) from err
        raise ToolError(
            f"the private store cannot be used: {err}",
            hint=f"nothing was changed; if {path} is damaged, move it away (it has "
            f"the captured examples and recorded uses); then {_restart(path)}",
        ) from err


def _connection(path: StrPath) -> sqlite3.Connection:
    """A connection; a read-only one if the store can't be written."""
    if _is_writable(path):
        return sqlite3.connect(path, timeout=30)
    from urllib.parse import quote

    # A log has newer rows. Without one, SQLite would try to create it.
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


def count_rows(git_dir: StrPath) -> tuple[int, int]:
    """The numbers of examples and uses; an error if the file is damaged.

    Doesn't create a store.
    """
    if not exists(path_in(git_dir)):
        return 0, 0
    with opened(path_in(git_dir)) as db:
        result = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if result != "ok":
            raise sqlite3.DatabaseError(result)
        counts = [
            db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in ("examples", "uses")
        ]
    return counts[0], counts[1]


def _creation(path: StrPath) -> AbstractContextManager[None]:
    """Lock a store that isn't complete; SQLite doesn't wait where it sets WAL."""
    if _generation(path):
        return nullcontext()
    from pathlib import Path  # slow to import, and rarely needed here

    from skillforge.store.lock import locked

    return locked(Path(path).parent, "the git directory")


def _prepare(db: sqlite3.Connection, path: StrPath) -> None:
    version = _pragma(db, "user_version")
    if version == len(_VERSIONS) and _is_same(db, path):
        return
    if version > len(_VERSIONS):
        raise ToolError(
            "the private store was written by a newer skillforge",
            hint="update skillforge; nothing was changed",
        )
    if version == 0 and not _generation(path):
        db.execute(
            "PRAGMA journal_mode = WAL"
        )  # saved in the file; readers don't wait for writers
    with db:
        db.execute("BEGIN IMMEDIATE")
        version, expected = _pragma(db, "user_version"), _generation(path)
        if expected and expected != _pragma(db, "application_id"):
            raise _lost(path, "was replaced by another one" if version else "is empty")
        for schema in _VERSIONS[version:]:
            first, *rest = schema.strip().removesuffix(";").split(_BETWEEN)
            for statement in (first, *(f"CREATE {part}" for part in rest)):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(_VERSIONS)}")
        if not _pragma(db, "application_id"):
            number = int.from_bytes(os.urandom(4), "big") >> 1
            db.execute(f"PRAGMA application_id = {number or 1}")
    _write_generation(path, _pragma(db, "application_id"))  # the store is complete


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _is_same(db: sqlite3.Connection, path: StrPath) -> bool:
    """Whether the store has the generation that was written beside it."""
    generation = _pragma(db, "application_id")
    return generation != 0 and generation == _generation(path)


def _generation(path: StrPath) -> int:
    """The generation that the store should have; 0 if unknown."""
    try:
        with open(f"{path}.generation", "rb") as file:
            return int(file.read(20))
    except (OSError, ValueError):
        return 0


def _write_generation(path: StrPath, generation: int) -> None:
    temporary = f"{path}.generation.{os.getpid()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as file:
        file.write(b"%d\n" % generation)
    os.replace(temporary, f"{path}.generation")


def _lost(path: StrPath, what: str) -> ToolError:
    return ToolError(
        f"the private store {path} {what}: captured examples and recorded uses are "
        "missing",
        hint=f"restore it from a backup, or {_restart(path)}",
    )


def _restart(path: StrPath) -> str:
    """How to continue without the old store, and what can be recovered."""
    return (
        f"start over: rm {path}.generation; then `skillforge sync-uses` recovers "
        "shared uses (refs/skillforge/uses), and `skillforge capture` examples"
    )
