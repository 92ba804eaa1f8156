"""Capture transcripts: redacted examples go into the clone's private store.

A transcript is data. Nothing in it decides how it is treated.
"""

import hashlib
import io
import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from skillforge import worker_pool
from skillforge.checks.private_names import private_to
from skillforge.errors import RequestError
from skillforge.learn import formats, transcript_reader, triage
from skillforge.learn.checkpoint import Checkpoint
from skillforge.learn.example_review import load
from skillforge.learn.formats import Format, FormatProblem, Record, RecordOrigin
from skillforge.learn.transcript_reader import Records
from skillforge.learn.triage import Attestation, PreparedEpisode, RawEpisode
from skillforge.library import Library
from skillforge.model import Example, OutcomeStatus
from skillforge.model.example import digest
from skillforge.redact import warm_up
from skillforge.store import ExampleRow, Examples

_GROWING = ("claude-code", "codex")  # one file per session, which may be resumed
_BATCH, _MOST_LETTERS = 16, 4_000_000  # examples and letters redacted at once
_MOST_PENDING = 512
_MOST_PROBLEMS = 200
_SMALL = 1 << 20
_NOT_A_TRANSCRIPT = "not a transcript"
_VERDICTS = ("result.json", "reward.json", "reward.txt")


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """Which episodes to capture, and how."""

    format: str = ""
    since: datetime | None = None
    project: str = ""
    reviewed_by: str = ""
    outcome: str = ""  # of transcripts without one, as the reviewer observed it
    reread: bool = False  # also read files that did not change
    is_dry_run: bool = False

    @property
    def is_partial(self) -> bool:
        """Whether a file may hold more episodes than these options select."""
        return bool(self.since or self.project)

    @property
    def attestation(self) -> Attestation:
        return Attestation(self.reviewed_by, self.outcome)


class CaptureProblem(NamedTuple):
    """What could not be read, and where."""

    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What happened to the episodes of some transcripts."""

    is_dry_run: bool = False
    kept: tuple[Example, ...] = ()
    failures: tuple[Example, ...] = ()  # kept for comparison
    skipped: Mapping[str, int] = field(default_factory=dict)  # by reason
    passed_over: tuple[tuple[Example, str], ...] = ()  # some of the skipped, and why
    known: int = 0
    approved: int = 0  # of the known ones
    files: int = 0
    unchanged: int = 0
    problems: tuple[CaptureProblem, ...] = ()
    more_problems: int = 0

    @property
    def ok(self) -> bool:
        """False if there was something to read, and none of it could be read."""
        strange = self.skipped.get(_NOT_A_TRANSCRIPT, 0)
        skipped = sum(self.skipped.values()) - strange
        is_read = self.kept or self.known or skipped or self.unchanged
        return bool(is_read or not (self.problems or strange))


class Capture:
    """One run over some transcripts."""

    def __init__(self, library: Library, options: CaptureOptions) -> None:
        self._store = Examples.of(library.repository().common_dir)
        self._options = options
        self._private = private_to(library)
        self._form = formats.named(options.format) if options.format else None
        self._pending: list[RawEpisode] = []
        self._letters = 0  # of pending episodes
        self._episodes = 0
        self._kept: list[Example] = []
        self._failures: list[Example] = []
        self._skipped: Counter[str] = Counter()
        self._passed_over: list[tuple[Example, str]] = []
        self._problems: list[CaptureProblem] = []
        self._counts: Counter[str] = Counter()

    def files(self, targets: Sequence[Path]) -> CaptureResult:
        """Capture files, and all transcripts below folders."""
        found = list(transcript_reader.find_files(targets))
        if not found:
            raise RequestError(
                f"no transcript in {', '.join(map(str, targets))}",
                hint="transcripts end in .json, .jsonl or .ndjson, or these with .gz",
            )
        for path, is_named in found:
            if is_named:
                self._refuse_unreadable(path)
        for path, _ in found:
            try:
                self._read_file(path)
            except (OSError, RuntimeError, RequestError) as err:
                text = err.message if isinstance(err, RequestError) else str(err)
                self._add_problem(str(path), FormatProblem(0, text))
        return self._result()

    def stream(self, file: io.BufferedReader) -> CaptureResult:
        """Capture from standard input."""
        if not file.peek(1):
            raise RequestError("standard input is empty", hint="nothing was captured")
        records = Records(transcript_reader.decompressed(file))
        form, objects = transcript_reader.recognise(records, self._form)
        if form is None:
            raise transcript_reader.unknown_format("standard input", records)
        origin = RecordOrigin("stdin")
        self._read(form, objects, records, origin, "standard input")
        return self._result()

    def _result(self) -> CaptureResult:
        return CaptureResult(
            self._options.is_dry_run,
            tuple(self._kept),
            tuple(self._failures),
            dict(self._skipped.most_common()),
            tuple(self._passed_over),
            problems=tuple(self._problems),
            **self._counts,
        )

    def _add_problem(self, path: str, problem: FormatProblem) -> None:
        if len(self._problems) < _MOST_PROBLEMS:
            self._problems.append(CaptureProblem(path, *problem))
        else:
            self._counts["more_problems"] += 1

    def _refuse_unreadable(self, path: Path) -> None:
        """Stop at a named file that is no transcript, before anything is stored."""
        with transcript_reader.open_transcript(path) as file:
            if not file.peek(1):
                raise RequestError(f"{path} is empty", hint="nothing was captured")
            records = Records(file)
            is_binary = transcript_reader.looks_binary(file)
            form, objects = transcript_reader.recognise(records, self._form)
            if is_binary or form is None:
                raise transcript_reader.unknown_format(str(path), records)
            if self._options.reviewed_by and not self._options.outcome:
                first = next(iter(form.read(objects, _origin(path))), None)
                if isinstance(first, Example) and self._lacks_outcome(first):
                    raise _outcome_needed(str(path))

    def _lacks_outcome(self, example: Example) -> bool:
        """Whether a reviewer vouches for a session without saying how it ended."""
        is_open = self._options.reviewed_by and not self._options.outcome
        has_claim = example.format == triage.PLAIN or example.outcome.is_verified
        return bool(is_open and not has_claim)

    def _read_file(self, path: Path) -> None:
        options, status = self._options, path.stat()
        name = str(path.resolve()).encode("utf-8", "backslashreplace").decode()
        is_afresh = options.reread or options.reviewed_by
        mark = Checkpoint.from_json("" if is_afresh else self._store.mark(name))
        origin = _origin(path)
        if mark.is_current(status, origin.verdict):
            self._counts["unchanged"] += 1
            return
        self._counts["files"] += 1
        with transcript_reader.open_transcript(path) as file:
            is_resumed = mark.resume(file, status)
            start = (mark.line, mark.offset) if is_resumed else (0, 0)
            records = Records(file, *start)
            form, objects = transcript_reader.recognise(records, self._form)
            if form is None and is_resumed:
                form = formats.named(mark.format)
            if form is None:
                self._skipped[_NOT_A_TRANSCRIPT] += 1
                # Reported if it is damaged, not if it is just another file.
                for problem in records.problems[:1]:
                    self._add_problem(str(path), problem)
                return
            before = self._episodes
            self._read(form, objects, records, origin, str(path))
        is_read = self._episodes > before and not records.is_broken
        if is_read and not options.is_dry_run and not options.is_partial:
            is_whole = not records.is_lines or form.NAME in _GROWING
            offset = 0 if is_whole else records.offset
            mark = Checkpoint.of(path, status, form.NAME, offset, records.line)
            mark = replace(mark, verdict=origin.verdict)
            self._store.set_mark(name, mark.to_json())

    def _read(
        self,
        form: Format,
        objects: Iterable[Record],
        records: Records,
        origin: RecordOrigin,
        name: str,
    ) -> None:
        for episode in form.read(objects, origin):
            self._report(name, records)
            if isinstance(episode, FormatProblem):
                self._add_problem(name, episode)
                continue
            self._episodes += 1
            if reason := self._exclusion(episode, origin):
                self._skipped[reason] += 1
            else:
                self._add(episode)
        self._report(name, records)
        self._flush()

    def _report(self, name: str, records: Records) -> None:
        for problem in records.problems:
            self._add_problem(name, problem)
        records.problems.clear()

    def _exclusion(self, example: Example, origin: RecordOrigin) -> str:
        """Why the options exclude an episode; empty if they don't."""
        options, environment = self._options, example.environment
        places = (environment.get("project", ""), environment.get("cwd", ""))
        if options.project and not any(_is_in(options.project, at) for at in places):
            return "another project"
        if options.since:
            began = _time(example.started) or _time(origin.changed)
            if began and began < options.since:
                return "too old"
        if not example.task.strip():
            return "no task"
        if options.reviewed_by and example.review.status == "rejected":
            return "marked as rejected"
        if self._lacks_outcome(example):
            return "no --outcome given"
        return ""

    def _add(self, example: Example) -> None:
        self._pending.append(RawEpisode(example, digest(example.observed)))
        self._letters += sum(
            len(step.text) + len(str(step.arguments)) for step in example.steps
        )
        if self._letters > _MOST_LETTERS or len(self._pending) >= _MOST_PENDING:
            self._flush()

    def _flush(self) -> None:
        """Redact, score and store the pending episodes."""
        pending = {episode.raw: episode for episode in self._pending}
        known = {row.raw: row for row in self._store.of_raws(pending)}
        self._counts["known"] += len(self._pending) - len(pending) + len(known)
        if not self._options.is_dry_run:
            for raw, episode in pending.items():
                if raw in known:
                    self._update(known[raw], episode.example)
        fresh = [episode for raw, episode in pending.items() if raw not in known]
        self._pending, self._letters = [], 0
        if fresh:
            warm_up()  # before worker processes start
        work = partial(triage.prepare, self._private, self._options.attestation)
        parts = worker_pool.spread(work, fresh, _BATCH)
        self._keep([episode for part in parts for episode in part])

    def _keep(self, episodes: list[PreparedEpisode]) -> None:
        rows: list[ExampleRow] = []
        replaced: list[str] = []
        for episode in episodes:
            example = episode.example
            if reason := triage.skip_reason(example):
                self._skipped[reason] += 1
                if len(self._passed_over) < _MOST_PROBLEMS:
                    self._passed_over.append((replace(example, steps=()), reason))
                continue
            origin = _growing_session(example)
            before = self._store.of_origin(origin) if origin else []
            earlier = [old for old in map(load, before) if _continues(old, example)]
            if any(old.review.status != "pending" for old in earlier):
                self._skipped["an earlier part was already reviewed"] += 1
                continue
            replaced += [old.id for old in earlier]
            is_success = example.outcome.status is not OutcomeStatus.FAILURE
            if is_success or example.review.status == "approved":
                self._kept.append(example)
            else:
                self._failures.append(example)
                self._skipped["failed; kept for comparison"] += 1
            rows.append(triage.example_row(episode, origin))
        if rows and not self._options.is_dry_run:
            self._store.add(rows, replaced)

    def _update(self, row: ExampleRow, fresh: Example) -> None:
        """Add a new verdict or review to a stored example."""
        example = load(row)
        updated = triage.update(example, fresh, self._options.attestation)
        if updated is not example:
            self._store.update([(row.id, row.example, json.dumps(updated.record))])
            is_decided = updated.review.status != example.review.status
            self._counts["approved"] += is_decided


def _growing_session(example: Example) -> str:
    is_growing = example.format in _GROWING and example.session
    return f"{example.format}:{example.session}" if is_growing else ""


def _continues(old: Example, new: Example) -> bool:
    """Whether an episode is a later state of a stored one."""
    is_same = (old.task, old.started) == (new.task, new.started)
    return is_same and new.messages >= old.messages


def _time(text: str) -> datetime | None:
    """A transcript's time; UTC if it has no zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _is_in(project: str, folder: str) -> bool:
    name, parts = project.strip("/").lower(), folder.strip("/").lower()
    return f"/{name}/" in f"/{parts}/" or parts.endswith(f"-{name}")


def _origin(path: Path) -> RecordOrigin:
    # Harbor keeps the trajectory, the result and the verifier's reward apart.
    folders = [path.parent]
    if path.parent.name == "agent":
        folders += [path.parent.parent, path.parent.parent / "verifier"]

    def beside(name: str) -> bytes:
        for file in (folder / name for folder in folders):
            if file.is_file() and file.stat().st_size <= _SMALL:
                return file.read_bytes()
        return b""

    verdict = hashlib.sha256(b"\0".join(map(beside, _VERDICTS))).hexdigest()
    changed = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(path.stat().st_mtime))
    return RecordOrigin(path.name, path.resolve().parts[1:-1], beside, changed, verdict)


def _outcome_needed(name: str) -> RequestError:
    return RequestError(
        f"{name} contains sessions without an outcome; --reviewed-by needs --outcome",
        hint="add --outcome success or --outcome failure; without --reviewed-by, "
        "examples are pending until `skillforge examples approve`",
    )
