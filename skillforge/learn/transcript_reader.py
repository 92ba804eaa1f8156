"""Read transcripts: files, folders and standard input, as JSON objects, bit by bit.

A file of any length needs the memory of its longest line, and a line has a limit.
"""

import gzip
import io
import json
import os
import re
import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from skillforge.errors import RequestError
from skillforge.learn.formats import FormatProblem, Record

LONGEST = 16 << 20  # bytes of one line or object
_CHUNK = 1 << 16
_SUFFIXES = re.compile(r".*\.(?:jsonl?|ndjson)(?:\.gz)?", re.IGNORECASE)
_BESIDE = ("result.json", "reward.json")  # what a verifier says, not a transcript
_MOST_MESSAGES = 20_000
_BETWEEN = re.compile(r"[\s,]*")
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


def files(targets: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Every transcript at or below some paths, and whether it was asked for by name."""
    for target in targets:
        if target.is_dir():
            yield from ((path, False) for path in _below(target))
        elif target.exists():
            yield target, True
        else:
            raise RequestError(
                f"there is no file or folder {target}", hint="nothing was captured"
            )


def _below(folder: Path) -> Iterator[Path]:
    """Files that may be transcripts; links to folders are not followed."""
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if _SUFFIXES.fullmatch(name) and name not in _BESIDE:
                yield Path(where, name)


def opened(path: Path) -> io.BufferedReader:
    """A file to read, unpacked if it is packed with gzip."""
    try:
        if not path.is_file():
            what = "not an ordinary file" if path.exists() else "not there"
            raise RequestError(f"{path} is {what}", hint="nothing was captured")
        file = path.open("rb")
    except OSError as err:
        raise RequestError(
            f"{path} cannot be read: {err.strerror}", hint="nothing was captured"
        ) from err
    return unpacked(file)


def unpacked(file: io.BufferedReader) -> io.BufferedReader:
    """The bytes themselves where they are packed with gzip, in however many parts."""
    return io.BufferedReader(Unpacked(file)) if file.peek(2)[:2] == _GZIP else file


class Unpacked(io.RawIOBase):
    """Packed bytes, up to where they break off; `damage` says why they do."""

    def __init__(self, file: io.BufferedReader) -> None:
        super().__init__()
        self._packed = file
        self._file = gzip.GzipFile(fileobj=file)
        self.damage = ""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._file.read1(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as err:
            self.damage = str(err)
            return 0
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._packed.close()
        super().close()


class Records:
    """The JSON objects of a stream: its lines, the items of its list, or all of it.

    What cannot be read is put among `troubles`; `done` is the number of bytes up to
    the end of the last whole line.
    """

    def __init__(self, file: io.BufferedReader, line: int = 0, done: int = 0) -> None:
        self._file = file
        self._line = line
        self.done = done
        self.is_lines = True
        self.is_broken = False
        self.troubles: list[FormatProblem] = []

    def __iter__(self) -> Iterator[Record]:
        """Objects as they come; a damaged end is a trouble, not a stop."""
        try:
            yield from self._objects()
            if damage := getattr(self._file.raw, "damage", ""):
                self._trouble(f"the packed data break off here: {damage}")
        except OSError as err:
            self.is_broken = True
            self._trouble(f"cannot be read on: {err.strerror or err}")

    @property
    def line(self) -> int:
        return self._line

    def _trouble(self, message: str, line: int = 0) -> None:
        self.troubles.append(FormatProblem(line or self._line, message))

    def _objects(self) -> Iterator[Record]:
        first = self._first_line()
        if first.lstrip().startswith(b"[") and not _is_list(first):
            self.is_lines = False
            yield from self._items(first)
        elif self._line == 1 and _is_open(first):
            self.is_lines = False
            yield from self._whole(first)
        elif first:
            yield from self._parsed(first)
            while (line := self._next_line()) is not None:
                if line.strip():
                    yield from self._parsed(line)

    def _first_line(self) -> bytes:
        """The first line with something in it; of a list, as much as fits."""
        while True:
            start = self._file.peek(_CHUNK).lstrip(_BOM + b" \t\r\n")
            if start.startswith(b"["):
                self._line += 1
                line = self._file.readline(LONGEST)
                self.done += len(line)
                return line.removeprefix(_BOM)
            line = self._next_line() or b""
            if line.strip() or not line:
                return line

    def _next_line(self) -> bytes | None:
        """The next line; one beyond the limit is passed over. None at the end."""
        line = self._file.readline(LONGEST)
        if not line:
            return None
        self._line += 1
        size = len(line)
        if size == LONGEST and not line.endswith(b"\n"):
            while more := self._file.readline(_CHUNK):
                size += len(more)
                if more.endswith(b"\n"):
                    break
            self._trouble(f"the line is longer than {LONGEST >> 20} MB")
            line = b"\n"
        self.done += size if line.endswith(b"\n") else 0
        return line.removeprefix(_BOM) if self._line == 1 else line

    def _parsed(self, line: bytes) -> Iterator[Record]:
        try:
            value = _json(line)
        except (ValueError, RecursionError):
            is_cut = not line.endswith(b"\n")
            self._trouble("the line is cut off" if is_cut else "the line is not JSON")
            return
        if isinstance(value, dict):
            yield Record(self._line, value)
        elif isinstance(value, list):
            yield from self._of_list(value)
        else:
            self._trouble("the line is JSON, but no object")

    def _of_list(self, items: list[Any]) -> Iterator[Record]:
        """A list on one line: messages of one conversation, or several records."""
        if items and all(isinstance(it, dict) and "role" in it for it in items):
            yield Record(self._line, {"messages": items})
            return
        for item in items:
            if isinstance(item, dict):
                yield Record(self._line, item)
            else:
                self._trouble("an item of the list is no object")

    def _whole(self, first: bytes) -> Iterator[Record]:
        """One object over many lines."""
        rest = self._file.read(LONGEST - len(first) + 1)
        if len(first) + len(rest) > LONGEST:
            self._trouble(f"it is one object of more than {LONGEST >> 20} MB")
            return
        try:
            value = _json(first + rest)
        except (ValueError, RecursionError):
            self._trouble("it is not one JSON object, nor one on each line")
            return
        yield Record(1, value)

    def _items(self, first: bytes) -> Iterator[Record]:
        """The items of a list, one by one; messages of a conversation together."""
        talk: list[Any] = []
        for number, item in enumerate(self._list(first), 1):
            if not isinstance(item, dict):
                self._trouble("an item of the list is no object", number)
            elif "role" not in item:
                yield Record(number, item)
            elif len(talk) < _MOST_MESSAGES:
                talk.append(item)
        if talk:
            yield Record(1, {"messages": talk})

    def _list(self, first: bytes) -> Iterator[Any]:
        decoder = json.JSONDecoder(parse_constant=_refuse_constant)
        utf8 = getincrementaldecoder("utf-8")("replace")
        text = utf8.decode(first)
        at = text.index("[") + 1
        while True:
            at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
            if text.startswith("]", at):
                return
            try:
                item, at = decoder.raw_decode(text, at)
            except RecursionError:
                self._trouble("the list is nested too deep")
                return
            except ValueError:
                text, at = text[at:], 0
                more = self._file.read(max(_CHUNK, len(text)))
                if not more or len(text) > LONGEST:
                    self._trouble("the list breaks off, or is not JSON")
                    return
                text += utf8.decode(more)
            else:
                yield item


def _json(data: bytes) -> Any:
    return json.loads(data, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> None:
    """Python writes `NaN`, which is no JSON, and no number to learn from."""
    raise ValueError(name)


def _is_list(line: bytes) -> bool:
    """Whether a line is a whole list, as others may be below."""
    try:
        return isinstance(_json(line), list)
    except (ValueError, RecursionError):
        return False


def _is_open(line: bytes) -> bool:
    """Whether a line is the beginning of an object that goes on below."""
    line = line.strip()
    return line.startswith(b"{") and line[-1:] in b"{[,"


def looks_binary(file: io.BufferedReader) -> bool:
    """Whether a stream does not begin like JSON; nothing of it is used up."""
    found = file.peek(_CHUNK).removeprefix(_BOM).lstrip(b" \t\r\n\x00")[:1]
    return bool(found) and found not in b"{["
