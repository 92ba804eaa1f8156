"""The ledger of a synced folder: the version of each skill, by library."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from skillforge.checks.path_policy import is_name
from skillforge.errors import ConfigError

STATE = ".skillforge-sync.json"
_FORMAT = "skillforge/sync/1"


class SyncedSkill(NamedTuple):
    """One skill that was written to a folder.

    `mark` is its mark at that time (see `tree_hash`). `coming` is the version that is
    about to replace it: after a killed sync, the folder has the one or the other.
    """

    tree: str
    mark: str = ""
    coming: str = ""


@dataclass
class Ledger:
    """The skills in one folder, by the git directory of their library."""

    libraries: dict[str, dict[str, SyncedSkill]] = field(default_factory=dict)

    def of(self, source: str) -> dict[str, SyncedSkill]:
        """The skills of one library; changing them changes the ledger."""
        return self.libraries.setdefault(source, {})

    def owners(self, source: str) -> dict[str, str]:
        """The skills of other libraries, and which library that is."""
        return {
            name: other
            for other, skills in self.libraries.items()
            for name in skills
            if other != source
        }

    def dump(self) -> bytes:
        libraries = {
            source: {name: _row(skill) for name, skill in skills.items()}
            for source, skills in self.libraries.items()
            if skills
        }
        ledger = {"format": _FORMAT, "libraries": libraries}
        return json.dumps(ledger, sort_keys=True).encode() + b"\n"


def _row(skill: SyncedSkill) -> dict[str, str]:
    return {name: value for name, value in skill._asdict().items() if value}


def read_ledger(folder: Path) -> Ledger:
    """The ledger of a folder; an empty one if it has none."""
    path = folder / STATE
    try:
        return _load(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return Ledger()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as err:
        raise ConfigError(
            f"{path} cannot be read: {err}",
            hint="restore it, or move it away: then all skills in the folder count as "
            "yours, and sync skips them",
        ) from err


def _load(ledger: Any) -> Ledger:
    """Parse a ledger, which anyone who can write in the folder can change."""
    if ledger["format"] != _FORMAT:
        raise ValueError("it was written by another version of skillforge")
    libraries = {
        source: {name: _skill(name, row) for name, row in rows.items()}
        for source, rows in ledger["libraries"].items()
    }
    return Ledger(libraries)


def _skill(name: str, row: dict[str, str]) -> SyncedSkill:
    if not is_name(name):  # it could be a path to another folder
        raise ValueError(f"{name!r} cannot be a skill's name")
    skill = SyncedSkill(row.get("tree", ""), row.get("mark", ""), row.get("coming", ""))
    if not all(isinstance(value, str) for value in skill):
        raise TypeError("a version is not text")
    return skill
