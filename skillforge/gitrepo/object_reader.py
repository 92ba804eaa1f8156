"""Read objects from one long-running `git cat-file`."""

import os
from collections.abc import Sequence
from typing import IO, NamedTuple

from skillforge import processes
from skillforge.errors import ToolError
from skillforge.gitrepo.git_command import failed

_AT_ONCE = 15  # questions that fit into a pipe while git is busy answering
_LONGEST = 4000  # characters of a question, so that all of them fit
_NOTHING = "refs/nothing"  # asked instead of an expression that can't name an object


class Object(NamedTuple):
    """A git object: its hash, its type and its bytes."""

    name: str
    kind: str
    data: bytes
    size: int = 0


class Objects:
    """Resolves expressions such as `main:skills/csv/SKILL.md` in a single process.

    Git looks up refs for each question, so the answers are never stale.
    """

    def __init__(self, process: processes.Process) -> None:
        self._process = process
        self.owner = os.getpid()  # a forked child must not read our pipe
        self.has_died = False

    def find_all(self, expressions: Sequence[str]) -> list[Object | None]:
        """The objects that expressions name; None for a missing one."""
        return self._ask("contents", expressions)

    def headers(self, expressions: Sequence[str]) -> list[Object | None]:
        """The same objects without their data, which is not read."""
        return self._ask("info", expressions)

    def names_of(self, expressions: Sequence[str]) -> list[str]:
        """Their hashes; empty for a missing one."""
        return [header.name if header else "" for header in self.headers(expressions)]

    def _ask(self, command: str, expressions: Sequence[str]) -> list[Object | None]:
        objects: list[Object | None] = []
        for at in range(0, len(expressions), _AT_ONCE):
            lines = [f"{command} {_fit(e)}\n" for e in expressions[at : at + _AT_ONCE]]
            objects += self._answers(lines, with_data=command == "contents")
        return objects

    def _answers(self, lines: list[str], with_data: bool) -> list[Object | None]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(os.fsencode("".join(lines)))
            stdin.flush()
            return [self._answer(stdout, with_data) for _ in lines]
        except OSError as err:
            raise self._died() from err

    def _answer(self, stdout: IO[bytes], with_data: bool) -> Object | None:
        header = stdout.readline().split()
        if not header:
            raise self._died()
        if len(header) != 3 or not header[2].isdigit():
            return None  # "… missing", "… ambiguous"
        size = int(header[2])
        data = stdout.read(size) if with_data else b""
        if with_data and (len(data) != size or not stdout.read(1)):
            raise self._died()  # half a policy can be valid, and mean something else
        return Object(header[0].decode(), header[1].decode(), data, size)

    def _died(self) -> ToolError:
        self.has_died = True
        result = processes.finish(self._process)
        return failed("git cat-file", result.complaint)

    def close(self) -> None:
        if self.owner == os.getpid():
            with processes.running(self._process):
                pass


def _fit(expression: str) -> str:
    """An expression that takes exactly one line."""
    is_odd = "\n" in expression or "\0" in expression or len(expression) > _LONGEST
    return _NOTHING if is_odd else expression


def blob_name(data: bytes, like: str) -> str:
    """The hash of a blob, of the same kind as another hash."""
    return object_name("blob", data, like)


def object_name(kind: str, data: bytes, like: str) -> str:
    """The hash of an object, of the same kind as another hash."""
    import hashlib  # slow to import, and not needed to read

    algorithm = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return algorithm(b"%s %d\0%s" % (kind.encode(), len(data), data)).hexdigest()
