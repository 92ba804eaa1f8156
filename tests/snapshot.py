"""Folders that many tests start from: made once, then written as often as needed."""

from pathlib import Path
from typing import NamedTuple


class _Entry(NamedTuple):
    path: str
    mode: int
    data: bytes | None  # of a folder there is none


class Snapshot:
    """All that is in a folder at one moment, links excepted."""

    def __init__(self, root: Path) -> None:
        self._entries = [
            _Entry(
                path.relative_to(root).as_posix(),
                path.stat().st_mode & 0o777,
                None if path.is_dir() else path.read_bytes(),
            )
            for path in [root, *sorted(root.rglob("*"))]
        ]

    def write(self, root: Path) -> None:
        """Make the folder again, elsewhere; the times of its files are of now."""
        for path, mode, data in self._entries:
            if data is None:
                (root / path).mkdir(mode)
            else:
                (root / path).write_bytes(data)
                (root / path).chmod(mode)
