"""Writing objects and moving refs: commits from objects alone, then compare-and-swap.

Nothing here looks at a checkout, an index or a hook.
"""

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from skillforge import proc
from skillforge.errors import ToolError

_UNFIT = re.compile(r"[<>\x00-\x1f\x7f]")  # what would end a name in a commit's header


class Who(NamedTuple):
    """A person in a commit: who, and when as git writes it (`seconds zone`)."""

    name: str
    mail: str
    when: str

    def __str__(self) -> str:
        return f"{self.name} <{self.mail}>" if self.mail else self.name

    @property
    def seconds(self) -> int:
        return int(self.when.split()[0])

    @property
    def line(self) -> str:
        """As a commit's header has it."""
        name, mail = (_UNFIT.sub("", part).strip() for part in (self.name, self.mail))
        return f"{name} <{mail}> {self.when}"


class Put(NamedTuple):
    """One change to a tree: new bytes at a path, an object that exists, or nothing."""

    path: str
    data: bytes | None = None
    mode: str = "100644"
    object: str = ""

    @property
    def is_removal(self) -> bool:
        return self.data is None and not self.object


class NewCommit(NamedTuple):
    """A commit to be made; its tree starts as that of the first parent, or empty."""

    parents: Sequence[str]
    message: str
    who: Who
    changes: Sequence[Put] = ()
    tree: str = ""  # a whole tree instead
    starts_empty: bool = False


class RefUpdate(NamedTuple):
    """A ref's new value, if it still has the old one; empty where there is no ref."""

    ref: str
    new: str
    old: str


class Import:
    """One `git fast-import`; its objects are in the repository once it is closed."""

    def __init__(self, process: proc.Process, git_dir: Path) -> None:
        self._process = process
        self._crash_report = git_dir / f"fast_import_crash_{process.pid}"
        self._marks: dict[str, int] = {}  # of commits whose hash git does not know yet

    def __enter__(self) -> "Import":
        return self

    def commit(self, new: NewCommit) -> str:
        """Make a commit and return its name."""
        mark = len(self._marks) + 1
        # A commit has to be on a ref; this one is let go of before it is written.
        ref = b"refs/skillforge/unborn\n"
        lines = [b"commit " + ref, b"mark :%d\n" % mark]
        who = new.who.line.encode("utf-8", "replace")
        lines += [b"author %s\n" % who, b"committer %s\n" % who]
        lines.append(_data(new.message.encode("utf-8", "replace")))
        kinds = ["from", *["merge"] * (len(new.parents) - 1)]
        for kind, parent in zip(kinds, new.parents, strict=False):
            known = self._marks.get(parent)
            lines.append(f"{kind} {f':{known}' if known else parent}\n".encode())
        if new.starts_empty:
            lines.append(b"deleteall\n")
        if new.tree:
            lines.append(f'M 040000 {new.tree} ""\n'.encode())
        lines += [_change(put) for put in new.changes]
        lines += [b"\nget-mark :%d\nreset " % mark, ref, b"\n"]
        name = self._ask(b"".join(lines))
        self._marks[name] = mark
        return name

    def _ask(self, request: bytes) -> str:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(request)
            stdin.flush()
            answer = stdout.readline()
        except OSError as err:
            raise self._failed() from err
        if not answer:
            raise self._failed()
        return answer.decode().strip()

    def _failed(self) -> ToolError:
        result = proc.finish(self._process)
        with suppress(OSError):
            self._crash_report.unlink(missing_ok=True)
        return cannot_write(result.complaint)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and (self._marks or self._process.poll() is not None):
            with proc.running(self._process):  # without `done` git keeps nothing
                return
        # An import of nothing that is ended in order leaves no temporary file behind.
        result = proc.finish(self._process, b"done\n")
        if result.code:
            with suppress(OSError):
                self._crash_report.unlink(missing_ok=True)
            raise cannot_write(result.complaint)


def cannot_write(complaint: str) -> ToolError:
    """Git's complaint on writing, with what to do about it."""
    lines = complaint.splitlines() or ["git gave no reason"]
    said = next((line for line in lines if line.startswith("fatal:")), lines[-1])
    hint = "nothing was changed; mend this and run the command again"
    if "lock" in complaint and "exists" in complaint:
        hint = "another git is at work, or one died: see the file that it names"
    return ToolError(f"git cannot write: {said.removeprefix('fatal: ')}", hint=hint)


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)


def _change(put: Put) -> bytes:
    path = _quoted(put.path)
    if put.is_removal:
        return b"D %s\n" % path
    if put.data is None:
        return b"M %s %s %s\n" % (put.mode.encode(), put.object.encode(), path)
    return b"M %s inline %s\n%s" % (put.mode.encode(), path, _data(put.data))


def _quoted(path: str) -> bytes:
    """A path in git's C quoting, whatever is in it."""
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"%s"' % escaped.replace(b"\n", b"\\n")


def ref_lines(updates: Iterable[RefUpdate]) -> bytes:
    """The input of `git update-ref --stdin -z`: all of them or none."""
    lines = ["start"]
    for ref, new, old in updates:
        if not new:
            lines.append(f"delete {ref}\0{old}")
        elif not old:
            lines.append(f"create {ref}\0{new}")
        else:
            lines.append(f"update {ref}\0{new}\0{old}")
    return "".join(f"{line}\0" for line in (*lines, "prepare", "commit")).encode()
