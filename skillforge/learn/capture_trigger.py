"""Capture a session when it ends, at most once every ten tool calls."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from skillforge.learn import transcript_reader
from skillforge.learn.capture import Capture, CaptureOptions, CaptureResult
from skillforge.learn.formats import RecordOrigin
from skillforge.library import Library
from skillforge.model import Example
from skillforge.store import Uses

CALLS = 10


class TriggerResult(NamedTuple):
    """What happened to a session that ended; `done` is None if it was not due."""

    calls: int
    since: int  # calls since the last capture
    done: CaptureResult | None = None


def review(library: Library, session: str, transcript: Path) -> TriggerResult:
    """Capture a transcript if it has enough calls since its last capture."""
    store = Uses.of(library.repository().common_dir)
    fact = f"hook:{session}"
    calls = sum(1 for example in episodes(transcript) for _ in example.calls)
    before = int(store.fact(fact) or 0)
    since = calls - before if calls >= before else calls  # fewer: it was truncated
    if since < CALLS:
        return TriggerResult(calls, since)
    result = Capture(library, CaptureOptions()).files([transcript])
    store.set_fact(fact, str(calls))
    return TriggerResult(calls, since, result)


def episodes(transcript: Path) -> Iterator[Example]:
    """The episodes of a transcript; they are not redacted."""
    with transcript_reader.open_transcript(transcript) as file:
        records = transcript_reader.Records(file)
        form, objects = transcript_reader.recognise(records)
        if form is None:
            raise transcript_reader.unknown_format(str(transcript), records)
        for episode in form.read(objects, RecordOrigin(transcript.name)):
            if isinstance(episode, Example):
                yield episode
