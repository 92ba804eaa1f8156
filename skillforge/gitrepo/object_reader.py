"""Reading objects: one `git cat-file` that answers question after question."""

import os
from collections.abc import Sequence
from typing import IO, NamedTuple

from skillforge import processes
from skillforge.errors import ToolError
from skillforge.gitrepo.git_command import failed

_AT_ONCE = 15  # questions that fit into a pipe while git is busy answering
_LONGEST = 4000  # characters of a question; the next size would not fit
_NOTHING = "refs/nothing"  # what is asked in place of words that no object can have


class Object(NamedTuple):
    """An object as git keeps it: its hash, its type and its bytes."""

    name: str
    kind: str
    data: bytes
    size: int = 0


class Objects:
    """Answers `main:skills/csv/SKILL.md` and the like from a single process.

    Refs are looked up anew at each question, so the answers are never stale.
    """

    def __init__(self, process: processes.Process) -> None:
        self._process = process
        self.owner = os.getpid()  # a forked child must not read our pipe
        self.has_died = False

    def find_all(self, expressions: Sequence[str]) -> list[Object | None]:
        """The objects that expressions name; asked together, which saves waiting."""
        return self._ask("contents", expressions)

    def about(self, expressions: Sequence[str]) -> list[Object | None]:
        """What they name, without reading it: the objects have no data."""
        return self._ask("info", expressions)

    def names_of(self, expressions: Sequence[str]) -> list[str]:
        """Their hashes alone; empty for what is missing."""
        return [found.name if found else "" for found in self.about(expressions)]

    def _ask(self, what: str, expressions: Sequence[str]) -> list[Object | None]:
        found: list[Object | None] = []
        for at in range(0, len(expressions), _AT_ONCE):
            lines = [f"{what} {_fit(e)}\n" for e in expressions[at : at + _AT_ONCE]]
            found += self._answers(lines, with_data=what == "contents")
        return found

    def _answers(self, lines: list[str], with_data: bool) -> list[Object | None]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(os.fsencode("".join(lines)))
            stdin.flush()
            return [self._read_one(stdout, with_data) for _ in lines]
        except OSError as err:
            raise self._died() from err

    def _read_one(self, stdout: IO[bytes], with_data: bool) -> Object | None:
        about = stdout.readline().split()
        if not about:
            raise self._died()
        if len(about) != 3 or not about[2].isdigit():
            return None  # "… missing", "… ambiguous"
        data = stdout.read(int(about[2])) if with_data else b""
        if with_data and (len(data) != int(about[2]) or not stdout.read(1)):
            raise self._died()  # half a policy could be read as another one
        return Object(about[0].decode(), about[1].decode(), data, int(about[2]))

    def _died(self) -> ToolError:
        self.has_died = True
        result = processes.finish(self._process)
        return failed("git cat-file", result.complaint)

    def close(self) -> None:
        if self.owner == os.getpid():
            with processes.running(self._process):
                pass


def _fit(expression: str) -> str:
    """An expression on one line of its own."""
    is_odd = "\n" in expression or "\0" in expression or len(expression) > _LONGEST
    return _NOTHING if is_odd else expression


def blob_name(data: bytes, like: str) -> str:
    """The hash that git gives some bytes, of the same kind as another hash."""
    return object_name("blob", data, like)


def object_name(kind: str, data: bytes, like: str) -> str:
    """The hash that git gives an object, of the same kind as another hash."""
    import hashlib  # takes a while, and who only reads has no need of it

    algorithm = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return algorithm(b"%s %d\0%s" % (kind.encode(), len(data), data)).hexdigest()
