"""Capture: transcripts in, redacted examples in the private store of a clone.

A transcript is data. Nothing in it decides what becomes of it.
"""

import hashlib
import io
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from skillforge import worker_pool
from skillforge.checks.private_names import private_to
from skillforge.errors import RequestError
from skillforge.learn import checkpoint, formats, transcript_reader, triage
from skillforge.learn.example_review import loaded
from skillforge.learn.formats import Format, FormatProblem, Record, RecordOrigin
from skillforge.learn.triage import PreparedEpisode, RawEpisode
from skillforge.library import Library
from skillforge.model import Example, OutcomeStatus
from skillforge.model.example import digest
from skillforge.redact import KnownPrivate, warm_up
from skillforge.store import ExampleRow, Examples

_GROWING = ("claude-code", "codex")  # one file for a session, which may go on
_FEWEST, _MOST_LETTERS = 16, 4_000_000  # examples and letters that are redacted at once
_MOST_WAITING = 512
_MOST_PROBLEMS = 200
_LOOKED_AT = 50  # objects, by which a format is recognised
_SMALL = 1 << 20
_STRANGE = "not a transcript"
_VERDICTS = ("result.json", "reward.json", "reward.txt")


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """What somebody wants captured, and how."""

    format: str = ""
    since: datetime | None = None
    project: str = ""
    reviewed_by: str = ""
    outcome: str = ""  # of transcripts that tell none, as the reviewer saw it
    everything: bool = False  # also what was read before
    is_rehearsal: bool = False

    @property
    def is_partial(self) -> bool:
        """Whether a file that was read may still hold what another wish is for."""
        return bool(self.since or self.project)

    @property
    def word(self) -> triage.CaptureClaim:
        return triage.CaptureClaim(self.reviewed_by, self.outcome)


class CaptureProblem(NamedTuple):
    """Something that could not be read, and where it stands."""

    path: str
    line: int
    message: str


@dataclass(slots=True)
class CaptureResult:
    """What became of the episodes of some transcripts."""

    kept: list[Example] = field(default_factory=list)
    failures: list[Example] = field(default_factory=list)  # kept to compare with
    skipped: Counter[str] = field(default_factory=Counter)  # by reason
    passed_over: list[tuple[Example, str]] = field(default_factory=list)  # some
    known: int = 0
    approved: int = 0  # of those that were there
    files: int = 0
    unchanged: int = 0
    problems: list[CaptureProblem] = field(default_factory=list)
    more_problems: int = 0

    @property
    def is_useless(self) -> bool:
        """Whether there was something to read, and nothing of it could be."""
        strange = self.skipped[_STRANGE]
        skipped = self.skipped.total() - strange
        is_read = self.kept or self.known or skipped or self.unchanged
        return bool(self.problems or strange) and not is_read

    def report(self, path: str, trouble: FormatProblem) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(CaptureProblem(path, *trouble))
        else:
            self.more_problems += 1


class Capture:
    """One run over some transcripts."""

    def __init__(self, library: Library, wish: CaptureOptions) -> None:
        self.store = Examples.of(library.repository().common_dir)
        self.wish = wish
        self.known: KnownPrivate = private_to(library)
        self.done = CaptureResult()
        self._form = formats.named(wish.format) if wish.format else None
        self._waiting: list[RawEpisode] = []
        self._letters = 0
        self._seen = 0  # episodes

    def files(self, targets: Sequence[Path]) -> CaptureResult:
        """Capture files, and all transcripts below folders."""
        found = list(transcript_reader.files(targets))
        if not found:
            raise RequestError(
                f"there is no transcript in {', '.join(map(str, targets))}",
                hint="files named .json or .jsonl, or these with .gz, are looked at",
            )
        for path, is_named in found:
            if is_named:
                self._refuse_strange(path)
        for path, _ in found:
            try:
                self._file(path)
            except (OSError, RuntimeError, RequestError) as err:
                said = err.message if isinstance(err, RequestError) else str(err)
                self.done.report(str(path), FormatProblem(0, said))
        return self.done

    def stream(self, file: io.BufferedReader) -> CaptureResult:
        """Capture what comes in on standard input."""
        if not file.peek(1):
            raise RequestError("standard input is empty", hint="nothing was captured")
        records = transcript_reader.Records(transcript_reader.unpacked(file))
        form, objects = self._recognised(records)
        if form is None:
            raise _strange("standard input", records)
        self._episodes(form, objects, records, RecordOrigin("stdin"), "standard input")
        self._flush()
        return self.done

    def _refuse_strange(self, path: Path) -> None:
        """Stop before anything is stored at a file, named as one, that is none."""
        with transcript_reader.opened(path) as file:
            if not file.peek(1):
                raise RequestError(f"{path} is empty", hint="nothing was captured")
            records = transcript_reader.Records(file)
            is_binary = transcript_reader.looks_binary(file)
            form, objects = self._recognised(records)
            if is_binary or form is None:
                raise _strange(str(path), records)
            if self.wish.reviewed_by and not self.wish.outcome:
                first = next(iter(form.read(objects, _origin(path))), None)
                if isinstance(first, Example) and self._is_unseen(first):
                    raise _unseen(str(path))

    def _recognised(
        self, records: transcript_reader.Records
    ) -> tuple[Format | None, Iterator[Record]]:
        """The format of some records, and all of them again; what is blank has none."""
        objects = iter(records)
        first: list[Record] = []
        form = self._form
        while not first or (form is None and len(first) < _LOOKED_AT):
            if (record := next(objects, None)) is None:
                break
            first.append(record)
            form = form or formats.recognise([record.value])
        is_blank = not first and not records.troubles
        return None if is_blank else form, chain(first, objects)

    def _is_unseen(self, example: Example) -> bool:
        """Whether somebody stands for a session without a word on how it ended."""
        is_asked = self.wish.reviewed_by and not self.wish.outcome
        is_told = example.format == triage.PLAIN or example.outcome.is_verified
        return bool(is_asked and not is_told)

    def _file(self, path: Path) -> None:
        status = path.stat()
        place = str(path.resolve()).encode("utf-8", "backslashreplace").decode()
        is_afresh = self.wish.everything or self.wish.reviewed_by
        mark = (
            checkpoint.Checkpoint()
            if is_afresh
            else checkpoint.Checkpoint.read(self.store.mark(place))
        )
        origin = _origin(path)
        if mark.is_of(status, origin.verdict):
            self.done.unchanged += 1
            return
        self.done.files += 1
        with transcript_reader.opened(path) as file:
            went_on = mark.resumes(file, status)
            start = (mark.line, mark.offset) if went_on else (0, 0)
            records = transcript_reader.Records(file, *start)
            form, objects = self._recognised(records)
            if form is None and went_on:
                form = formats.named(mark.format)
            if form is None:
                self.done.skipped[_STRANGE] += 1
                for trouble in records.troubles[:1]:  # damaged, not just another file
                    self.done.report(str(path), trouble)
                return
            before = self._seen
            self._episodes(form, objects, records, origin, str(path))
        self._flush()
        is_read = self._seen > before and not records.is_broken
        if is_read and not self.wish.is_rehearsal and not self.wish.is_partial:
            is_whole = not records.is_lines or form.NAME in _GROWING
            offset = 0 if is_whole else records.done
            read = checkpoint.Checkpoint.of(
                path, status, form.NAME, offset, records.line
            )
            self.store.set_mark(place, replace(read, verdict=origin.verdict).written)

    def _episodes(
        self,
        form: Format,
        objects: Iterable[Record],
        records: transcript_reader.Records,
        origin: RecordOrigin,
        name: str,
    ) -> None:
        for found in form.read(objects, origin):
            self._report(name, records)
            if isinstance(found, FormatProblem):
                self.done.report(name, found)
                continue
            self._seen += 1
            if why := self._unwanted(found, origin):
                self.done.skipped[why] += 1
            else:
                self._wait(found)
        self._report(name, records)

    def _report(self, name: str, records: transcript_reader.Records) -> None:
        for trouble in records.troubles:
            self.done.report(name, trouble)
        records.troubles.clear()

    def _unwanted(self, example: Example, origin: RecordOrigin) -> str:
        """Why an episode is not looked at; empty if it is."""
        about, wanted = example.environment, self.wish.project
        places = (about.get("project", ""), about.get("cwd", ""))
        if wanted and not any(_is_in(wanted, place) for place in places):
            return "another project"
        if self.wish.since:
            began = moment(example.started) or moment(origin.changed)
            if began and began < self.wish.since:
                return "too old"
        if not example.task.strip():
            return "no task"
        if self.wish.reviewed_by and example.review.status == "rejected":
            return "rejected, as it says itself"
        if self._is_unseen(example):
            return "--outcome does not say how it ended"
        return ""

    def _wait(self, example: Example) -> None:
        raw = digest(example.observed)
        self._waiting.append(RawEpisode(example, raw))
        self._letters += sum(
            len(step.text) + len(str(step.arguments)) for step in example.steps
        )
        if self._letters > _MOST_LETTERS or len(self._waiting) >= _MOST_WAITING:
            self._flush()

    def _flush(self) -> None:
        """Redact, judge and store what waits."""
        waiting = list({it.raw: it for it in self._waiting}.values())
        known = {row.raw: row for row in self.store.of_raws(it.raw for it in waiting)}
        self.done.known += len(self._waiting) - len(waiting) + len(known)
        for it in waiting:
            if it.raw in known and not self.wish.is_rehearsal:
                self._update(known[it.raw], it.example)
        fresh = [it for it in waiting if it.raw not in known]
        self._waiting, self._letters = [], 0
        if fresh:
            warm_up()  # before there are two of us
        work = partial(triage.prepared, self.known, self.wish.word)
        parts = worker_pool.spread(work, fresh, _FEWEST)
        self._keep([ready for part in parts for ready in part])

    def _keep(self, ready: list[PreparedEpisode]) -> None:
        rows: list[ExampleRow] = []
        replaced: list[str] = []
        for it in ready:
            if why := triage.too_little(it.example):
                self.done.skipped[why] += 1
                if len(self.done.passed_over) < _MOST_PROBLEMS:
                    self.done.passed_over.append((replace(it.example, steps=()), why))
                continue
            origin = _session_of(it.example)
            before = self.store.of_origin(origin) if origin else []
            earlier = [old for old in map(loaded, before) if goes_on(old, it.example)]
            if any(old.review.status != "pending" for old in earlier):
                self.done.skipped["an earlier part of it was reviewed"] += 1
                continue
            replaced += [old.id for old in earlier]
            is_success = it.example.outcome.status is not OutcomeStatus.FAILURE
            is_kept = is_success or it.example.review.status == "approved"
            (self.done.kept if is_kept else self.done.failures).append(it.example)
            if not is_kept:
                self.done.skipped["it failed; kept to compare with"] += 1
            rows.append(triage.row_of(it.example, it.taken, origin))
        if rows and not self.wish.is_rehearsal:
            self.store.add(rows, replaced)

    def _update(self, row: ExampleRow, said: Example) -> None:
        """What is new of an example that is there: a verdict, or that NAME reviewed."""
        example = loaded(row)
        now = triage.updated(example, said, self.wish.word)
        if now is not example:
            self.store.update([(row.id, row.example, json.dumps(now.record))])
            self.done.approved += now.review.status != example.review.status


def _session_of(example: Example) -> str:
    is_growing = example.format in _GROWING and example.session
    return f"{example.format}:{example.session}" if is_growing else ""


def goes_on(old: Example, new: Example) -> bool:
    """Whether an episode is a later state of one that was kept."""
    is_same = (old.task, old.started) == (new.task, new.started)
    return is_same and new.messages >= old.messages


def moment(text: str) -> datetime | None:
    """A time as a transcript tells it; without a zone it is taken for UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _is_in(project: str, place: str) -> bool:
    wanted, parts = project.strip("/").lower(), place.strip("/").lower()
    return f"/{wanted}/" in f"/{parts}/" or parts.endswith(f"-{wanted}")


def _origin(path: Path) -> RecordOrigin:
    # Harbor keeps the trajectory, the result and the verifier's reward apart.
    near = [path.parent]
    if path.parent.name == "agent":
        near += [path.parent.parent, path.parent.parent / "verifier"]

    def beside(name: str) -> bytes:
        for other in (folder / name for folder in near):
            if other.is_file() and other.stat().st_size <= _SMALL:
                return other.read_bytes()
        return b""

    verdict = hashlib.sha256(b"\0".join(map(beside, _VERDICTS))).hexdigest()
    changed = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(path.stat().st_mtime))
    return RecordOrigin(path.name, path.resolve().parts[1:-1], beside, changed, verdict)


def _strange(name: str, records: transcript_reader.Records) -> RequestError:
    first = next(iter(records.troubles), None)
    why = f" (line {first.line}: {first.message})" if first else ""
    return RequestError(
        f"{name} is no transcript that is known{why}",
        hint=f"nothing was captured; known are {', '.join(formats.formats())}, and "
        "--format NAME says which one it is",
    )


def _unseen(name: str) -> RequestError:
    return RequestError(
        f"{name} holds sessions, and --reviewed-by alone does not say how they ended",
        hint="--outcome success, or failure, says what was seen; without --reviewed-by "
        "they wait for `skillforge examples approve`",
    )
