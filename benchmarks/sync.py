"""Sync: nothing changed among 10,000 skills against a bare look at the same files."""

import os
import time
from pathlib import Path

from benchmarks.measure import Row, Work, ratio, seconds
from skillforge.library import Library
from skillforge.operate.folder_sync import sync


def rows(work: Work) -> list[Row]:
    library, folder = Library(work.large), work.folder / "agent"
    sync(library, "bench", folder)
    time.sleep(0.2)
    sync(library, "bench", folder)  # the files are old enough now to go by their times
    bare, warm = seconds(lambda: look(folder), lambda: sync(library, "bench", folder))
    return [ratio("sync of 10,000, nothing changed, against stat", warm / bare, 4)]


def look(folder: Path) -> None:
    """The least that anybody does who asks whether files changed."""
    pending = [str(folder)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
