"""How far a transcript was read, so that the next run reads only what is new."""

import hashlib
import io
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

_SAMPLE = 4096


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file's size and time when it was read, and the end of its last complete line.

    `sample` is a digest of the file's start and of the bytes before `offset`; both are
    unchanged in a file that only grew.
    """

    size: int = -1
    changed: int = 0
    format: str = ""
    offset: int = 0
    line: int = 0
    sample: str = ""
    verdict: str = ""  # a digest of the verifier's files beside it

    @classmethod
    def from_json(cls, text: str) -> "Checkpoint":
        """A stored checkpoint; a new one if it has another layout."""
        try:
            return cls(**json.loads(text or "{}"))
        except (ValueError, TypeError):
            return cls()

    @classmethod
    def of(
        cls, path: Path, status: os.stat_result, form: str, offset: int, line: int
    ) -> "Checkpoint":
        """The checkpoint of a file read up to `offset`; 0 if it is read as a whole."""
        sample = ""
        if offset:
            with path.open("rb") as file:
                sample = _sample(file, offset)
        return cls(status.st_size, status.st_mtime_ns, form, offset, line, sample)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    def is_current(self, status: os.stat_result, verdict: str) -> bool:
        """Whether the file and the verdict beside it are unchanged."""
        is_same = (self.size, self.changed) == (status.st_size, status.st_mtime_ns)
        return is_same and self.verdict == verdict

    def resume(self, file: io.BufferedReader, status: os.stat_result) -> bool:
        """Continue at the end of the last run if the file only grew; else at 0."""
        is_compressed = not isinstance(file.raw, io.FileIO)
        if not self.offset or status.st_size <= self.size or is_compressed:
            return False
        is_same = _sample(file, self.offset) == self.sample
        file.seek(self.offset if is_same else 0)
        return is_same


def _sample(file: io.BufferedReader, offset: int) -> str:
    file.seek(0)
    start = file.read(min(_SAMPLE, offset))
    file.seek(max(0, offset - _SAMPLE))
    return hashlib.sha256(start + file.read(min(_SAMPLE, offset))).hexdigest()
