"""How far a file was read, so that the next run only reads what is new."""

import hashlib
import io
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

_SAMPLE = 4096


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file as it was: its size and time, and where its last whole line ended.

    `sample` is a digest of its beginning and of what stood before that place: a file
    that only grew still has them.
    """

    size: int = -1
    changed: int = 0
    format: str = ""
    offset: int = 0
    line: int = 0
    sample: str = ""
    verdict: str = ""  # of verifiers, beside it

    @classmethod
    def read(cls, written: str) -> "Checkpoint":
        """A mark as it was written; none if it is of another kind."""
        try:
            return cls(**json.loads(written or "{}"))
        except (ValueError, TypeError):
            return cls()

    @classmethod
    def of(
        cls, path: Path, status: os.stat_result, form: str, offset: int, line: int
    ) -> "Checkpoint":
        """The mark to make after a file was read up to `offset`; 0 if it is a whole."""
        sample = ""
        if offset:
            with path.open("rb") as file:
                sample = _sample(file, offset)
        return cls(status.st_size, status.st_mtime_ns, form, offset, line, sample)

    @property
    def written(self) -> str:
        return json.dumps(asdict(self))

    def is_of(self, status: os.stat_result, verdict: str) -> bool:
        """Whether a file, and what is said beside it, is as it was."""
        is_same = (self.size, self.changed) == (status.st_size, status.st_mtime_ns)
        return is_same and self.verdict == verdict

    def resumes(self, file: io.BufferedReader, status: os.stat_result) -> bool:
        """Go on where the last run ended, if the file only grew since."""
        if not self.offset or status.st_size <= self.size or _is_packed(file):
            return False
        is_same = _sample(file, self.offset) == self.sample
        file.seek(self.offset if is_same else 0)
        return is_same


def _is_packed(file: io.BufferedReader) -> bool:
    return not isinstance(file.raw, io.FileIO)


def _sample(file: io.BufferedReader, offset: int) -> str:
    file.seek(0)
    start = file.read(min(_SAMPLE, offset))
    file.seek(max(0, offset - _SAMPLE))
    return hashlib.sha256(start + file.read(min(_SAMPLE, offset))).hexdigest()
