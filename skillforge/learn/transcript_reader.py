"""Read transcripts (files, folders, standard input) as a stream of JSON objects.

Memory is bounded by the longest line, and the length of a line is limited.
"""

import gzip
import io
import json
import os
import re
import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from skillforge.errors import RequestError
from skillforge.learn import formats
from skillforge.learn.formats import Format, FormatProblem, Record

LONGEST = 16 << 20  # bytes of one line or object
_CHUNK = 1 << 16
_SUFFIXES = re.compile(r".*\.(?:jsonl?|ndjson)(?:\.gz)?", re.IGNORECASE)
_VERIFIER_FILES = ("result.json", "reward.json")  # no transcripts
_MOST_MESSAGES = 20_000
_SAMPLED = 50  # objects from which a format is recognised
_SEPARATORS = re.compile(r"[\s,]*")
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_NOTHING = "nothing was captured"


def find_files(targets: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Every transcript at or below some paths, and whether it was named directly."""
    for target in targets:
        # These two raise no error for a name that is too long.
        if os.path.isdir(target):  # noqa: PTH112
            yield from ((path, False) for path in _below(target))
        elif os.path.exists(target):  # noqa: PTH110
            yield target, True
        else:
            raise RequestError(f"no such file or folder: {target}", hint=_NOTHING)


def _below(folder: Path) -> Iterator[Path]:
    """Files that may be transcripts; links to folders are not followed."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if _SUFFIXES.fullmatch(name) and name not in _VERIFIER_FILES:
                yield Path(parent, name)


def open_transcript(path: Path) -> io.BufferedReader:
    """Open a file, decompressing it if it is gzipped."""
    try:
        if not path.is_file():
            problem = "is not a regular file" if path.exists() else "does not exist"
            raise RequestError(f"{path} {problem}", hint=_NOTHING)
        file = path.open("rb")
    except OSError as err:
        raise RequestError(
            f"cannot read {path}: {err.strerror}", hint=_NOTHING
        ) from err
    return decompressed(file)


def decompressed(file: io.BufferedReader) -> io.BufferedReader:
    """The content of a stream that may be gzipped, in any number of members."""
    return io.BufferedReader(GzipReader(file)) if file.peek(2)[:2] == _GZIP else file


class GzipReader(io.RawIOBase):
    """Gzipped content up to where it breaks off; `damage` says why it does."""

    def __init__(self, file: io.BufferedReader) -> None:
        super().__init__()
        self._compressed = file
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
        self._compressed.close()
        super().close()


class Records:
    """The JSON objects of a stream: its lines, the items of its list, or all of it.

    What cannot be read is added to `problems`. `offset` is the number of bytes up to
    the end of the last complete line.
    """

    def __init__(self, file: io.BufferedReader, line: int = 0, offset: int = 0) -> None:
        self._file = file
        self.line = line
        self.offset = offset
        self.is_lines = True
        self.is_broken = False
        self.problems: list[FormatProblem] = []

    def __iter__(self) -> Iterator[Record]:
        """Objects in order; a damaged end is a problem, not an exception."""
        try:
            yield from self._objects()
            if damage := getattr(self._file.raw, "damage", ""):
                self._report(f"the compressed data ends here: {damage}")
        except OSError as err:
            self.is_broken = True
            self._report(f"cannot read further: {err.strerror or err}")

    def _report(self, message: str, line: int = 0) -> None:
        self.problems.append(FormatProblem(line or self.line, message))

    def _objects(self) -> Iterator[Record]:
        first = self._first_line()
        if first.lstrip().startswith(b"[") and not _is_list(first):
            self.is_lines = False
            yield from self._items(first)
        elif self.line == 1 and _is_open(first):
            self.is_lines = False
            yield from self._multiline_object(first)
        elif first:
            yield from self._parse_line(first)
            while (line := self._next_line()) is not None:
                if line.strip():
                    yield from self._parse_line(line)

    def _first_line(self) -> bytes:
        """The first line that is not blank; of a list, as much as fits."""
        while True:
            start = self._file.peek(_CHUNK).lstrip(_BOM + b" \t\r\n")
            if start.startswith(b"["):
                self.line += 1
                line = self._file.readline(LONGEST)
                self.offset += len(line)
                return line.removeprefix(_BOM)
            line = self._next_line() or b""
            if line.strip() or not line:
                return line

    def _next_line(self) -> bytes | None:
        """The next line, blank if it exceeds the limit; None at the end."""
        line = self._file.readline(LONGEST)
        if not line:
            return None
        self.line += 1
        size = len(line)
        if size == LONGEST and not line.endswith(b"\n"):
            while more := self._file.readline(_CHUNK):
                size += len(more)
                if more.endswith(b"\n"):
                    break
            self._report(f"the line is longer than {LONGEST >> 20} MB")
            line = b"\n"
        self.offset += size if line.endswith(b"\n") else 0
        return line.removeprefix(_BOM) if self.line == 1 else line

    def _parse_line(self, line: bytes) -> Iterator[Record]:
        try:
            value = _json(line)
        except (ValueError, RecursionError):
            is_cut = not line.endswith(b"\n")
            self._report("the line is cut off" if is_cut else "the line is not JSON")
            return
        if isinstance(value, dict):
            yield Record(self.line, value)
        elif isinstance(value, list):
            yield from self._list_on_line(value)
        else:
            self._report("the line is not a JSON object")

    def _list_on_line(self, items: list[Any]) -> Iterator[Record]:
        """A list on one line: messages of one conversation, or several records."""
        if items and all(isinstance(item, dict) and "role" in item for item in items):
            yield Record(self.line, {"messages": items})
            return
        for item in items:
            if isinstance(item, dict):
                yield Record(self.line, item)
            else:
                self._report("a list item is not an object")

    def _multiline_object(self, first: bytes) -> Iterator[Record]:
        rest = self._file.read(LONGEST - len(first) + 1)
        if len(first) + len(rest) > LONGEST:
            self._report(f"the object is larger than {LONGEST >> 20} MB")
            return
        try:
            value = _json(first + rest)
        except (ValueError, RecursionError):
            self._report("neither a JSON object nor JSON Lines")
            return
        yield Record(1, value)

    def _items(self, first: bytes) -> Iterator[Record]:
        """The items of a list, one by one; messages of a conversation together."""
        messages: list[Any] = []
        for number, item in enumerate(self._list(first), 1):
            if not isinstance(item, dict):
                self._report("a list item is not an object", number)
            elif "role" not in item:
                yield Record(number, item)
            elif len(messages) < _MOST_MESSAGES:
                messages.append(item)
        if messages:
            yield Record(1, {"messages": messages})

    def _list(self, first: bytes) -> Iterator[Any]:
        decoder = json.JSONDecoder(parse_constant=_refuse_constant)
        utf8 = getincrementaldecoder("utf-8")("replace")
        text = utf8.decode(first)
        at = text.index("[") + 1
        while True:
            at = _SEPARATORS.match(text, at).end()  # type: ignore[union-attr]
            if text.startswith("]", at):
                return
            try:
                item, at = decoder.raw_decode(text, at)
            except RecursionError:
                self._report("the list is nested too deeply")
                return
            except ValueError:
                text, at = text[at:], 0
                more = self._file.read(max(_CHUNK, len(text)))
                if not more or len(text) > LONGEST:
                    self._report("the list is cut off or not JSON")
                    return
                text += utf8.decode(more)
            else:
                yield item


def recognise(
    records: Records, form: Format | None = None
) -> tuple[Format | None, Iterator[Record]]:
    """The format of some records, and all of them again; None also for a blank file.

    With `form`, the format is given and only a blank file is detected.
    """
    objects = iter(records)
    first: list[Record] = []
    while not first or (form is None and len(first) < _SAMPLED):
        if (record := next(objects, None)) is None:
            break
        first.append(record)
        form = form or formats.recognise([record.value])
    is_blank = not first and not records.problems
    return None if is_blank else form, chain(first, objects)


def unknown_format(name: str, records: Records) -> RequestError:
    """The error for a file in no known format."""
    first = next(iter(records.problems), None)
    why = f" (line {first.line}: {first.message})" if first else ""
    return RequestError(
        "; ".join(
            [f"{name} is not a transcript in a known format{why}", *formats.broken()]
        ),
        hint=f"{_NOTHING}; known formats: {', '.join(formats.formats())}; "
        "--format NAME selects one",
    )


def _json(data: bytes) -> Any:
    return json.loads(data, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> None:
    """Python writes `NaN`, which is not JSON."""
    raise ValueError(name)


def _is_list(line: bytes) -> bool:
    """Whether a line is a complete list; more lines may follow."""
    try:
        return isinstance(_json(line), list)
    except (ValueError, RecursionError):
        return False


def _is_open(line: bytes) -> bool:
    """Whether a line starts an object that continues on the next line."""
    line = line.strip()
    return line.startswith(b"{") and line[-1:] in b"{[,"


def looks_binary(file: io.BufferedReader) -> bool:
    """Whether a stream does not begin like JSON; consumes nothing."""
    start = file.peek(_CHUNK).removeprefix(_BOM).lstrip(b" \t\r\n\x00")[:1]
    return bool(start) and start not in b"{["
