"""The budget of a search; files that would exceed it are `unread`.

The unit is about the cost of trying a pattern on one character. It is a count and not
a time, so a scan has the same result on any machine. A file that exhausts the budget of
one pattern is still searched for others, and never at the expense of other files.
"""

import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

# A fixed allowance, and an allowance for each character. None of 1,600 honest skills
# needs three quarters of it.
OF_PATTERN = 800_000, 0.15  # for one pattern in one file
MATCHES = 500  # of one pattern in one file; honest files have 70
OF_FILE = 3_000_000, 0.5
IN_ALL = 18_000_000, 8.0

Span = tuple[int, int]


class Budget:
    """The cost of a search in several files so far, and its limits."""

    def __init__(self, files: Sequence[tuple[int, str]], length: int) -> None:
        """`files` are where each part of a file begins, and its path, in order."""
        self._starts = [start for start, _path in files]
        self._ends = [*self._starts[1:], length][: len(files)]
        self._paths = [path for _start, path in files]
        self._length = Counter[str]()
        for start, end, path in zip(self._starts, self._ends, self._paths, strict=True):
            self._length[path] += end - start
        self.spans: list[Span] = [(0, length)]  # still to be searched
        self.unread: dict[str, None] = {}  # paths, in order
        self._total = length
        self.spent = 0
        self._of_file = Counter[str]()
        self._of_pattern = Counter[str]()
        self._matches = Counter[str]()  # of the current pattern
        self._stopped: set[str] = set()  # files that are no longer searched

    def next_pattern(self) -> None:
        """Start the search for another pattern."""
        self._of_pattern.clear()
        self._matches.clear()

    def spend(self, at: int, amount: int) -> bool:
        """Count the cost of a search at a position; False if the budget is exceeded."""
        path = self._paths[bisect_right(self._starts, at) - 1]
        length = self._length[path]
        if path in self._stopped or _is_beyond(
            OF_PATTERN, self._of_pattern[path], length
        ):
            return False
        self.spent += amount
        self._of_file[path] += amount
        self._of_pattern[path] += amount
        if _is_beyond(IN_ALL, self.spent, self._total):
            self._stop(self._paths)
        elif _is_beyond(OF_FILE, self._of_file[path], length):
            self._stop([path])
        elif _is_beyond(OF_PATTERN, self._of_pattern[path], length):
            self.unread[path] = None
        return path not in self._stopped

    def count_match(self, at: int) -> None:
        """Count a match; after many matches of a pattern, its file is skipped."""
        path = self._paths[bisect_right(self._starts, at) - 1]
        self._matches[path] += 1
        if self._matches[path] > MATCHES:
            self._of_pattern[path] = sys.maxsize
            self.unread[path] = None

    def _stop(self, paths: Sequence[str]) -> None:
        self.unread |= dict.fromkeys(paths)
        self._stopped.update(paths)
        self.spans = list(self._spans_left())

    def _spans_left(self) -> Iterator[Span]:
        """The spans of files that are still searched; adjacent files are joined."""
        files = zip(self._paths, self._starts, self._ends, strict=True)
        for is_stopped, group in groupby(files, lambda file: file[0] in self._stopped):
            if not is_stopped:
                spans = [(start, end) for _path, start, end in group]
                yield spans[0][0], spans[-1][1]


def _is_beyond(limit: tuple[int, float], cost: int, length: int) -> bool:
    fixed, for_each = limit
    return cost > fixed + for_each * length
