"""A note that main is about to move, kept until the checkouts of main have followed.

A process that dies in between leaves the note, and the next command that moves main
finishes the work. Without it, a checkout that lags behind looks like one in which
somebody staged a revert.
"""

import json
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import unwritable
from skillforge.library import Library


class Move(NamedTuple):
    """Where main moved from, and the number of the proposal that was merged, or 0."""

    base: str
    proposal: int


def begin(library: Library, move: Move) -> None:
    """Note a move before main moves."""
    path = _path(library)
    try:
        path.parent.mkdir(exist_ok=True)
        temporary = path.with_suffix(".new")
        temporary.write_text(json.dumps(move._asdict()))
        temporary.replace(path)
    except OSError as err:
        raise unwritable(path.parent, err) from err


def unfinished(library: Library) -> Move | None:
    """The move that a process noted and did not finish, or is about to finish."""
    try:
        noted = json.loads(_path(library).read_bytes())
        return Move(str(noted["base"]), int(noted["proposal"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def end(library: Library) -> None:
    """Remove the note: every checkout of main has followed."""
    _path(library).unlink(missing_ok=True)


def _path(library: Library) -> Path:
    return library.repository().common_dir / "skillforge" / "move.json"
