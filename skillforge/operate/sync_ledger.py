"""What sync has put into a folder: which version of which skill, from which library."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from skillforge.checks.path_policy import is_name
from skillforge.errors import ConfigError

STATE = ".skillforge-sync.json"
_FORMAT = "skillforge/sync/1"


class SyncedSkill(NamedTuple):
    """One skill that was put into a folder.

    `mark` is what the file system said of it then (see `looking`). `coming` is the
    version that is about to take its place: after a sync that was killed, the one or
    the other lies there.
    """

    tree: str
    mark: str = ""
    coming: str = ""


@dataclass
class Ledger:
    """What libraries have put into one folder, by the git directory of each."""

    libraries: dict[str, dict[str, SyncedSkill]] = field(default_factory=dict)

    def of(self, source: str) -> dict[str, SyncedSkill]:
        """What one library has put there; changes to it are changes of the ledger."""
        return self.libraries.setdefault(source, {})

    def owners(self, source: str) -> dict[str, str]:
        """Skills that other libraries have put there, and which."""
        return {
            name: other
            for other, puts in self.libraries.items()
            for name in puts
            if other != source
        }

    def dump(self) -> bytes:
        libraries = {
            source: {name: _row(put) for name, put in puts.items()}
            for source, puts in self.libraries.items()
            if puts
        }
        said = {"format": _FORMAT, "libraries": libraries}
        return json.dumps(said, sort_keys=True).encode() + b"\n"


def _row(put: SyncedSkill) -> dict[str, str]:
    return {name: value for name, value in put._asdict().items() if value}


def read_ledger(folder: Path) -> Ledger:
    """The ledger of a folder; an empty one where nothing was put yet."""
    path = folder / STATE
    try:
        return _load(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return Ledger()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as err:
        raise ConfigError(
            f"{path} cannot be read: {err}",
            hint="restore it, or move it away: then what lies there counts as yours "
            "and is left alone",
        ) from err


def _load(said: Any) -> Ledger:
    if said["format"] != _FORMAT:
        raise ValueError("it was written by another version of skillforge")
    libraries = said["libraries"].items()
    # Whoever writes in the folder writes this: a name leads nowhere else.
    if odd := [name for _, puts in libraries for name in puts if not is_name(name)]:
        raise ValueError(f"{odd[0]!r} cannot be a skill's name")
    return Ledger(
        {
            source: {n: _put(row) for n, row in puts.items()}
            for source, puts in libraries
        }
    )


def _put(row: dict[str, str]) -> SyncedSkill:
    put = SyncedSkill(row.get("tree", ""), row.get("mark", ""), row.get("coming", ""))
    if not all(isinstance(value, str) for value in put):
        raise TypeError("a version is text")
    return put
