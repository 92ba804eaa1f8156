"""When a session is worth a look: ten calls of tools since the last one."""

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import RequestError
from skillforge.learn import formats, transcript_reader
from skillforge.learn.capture import Capture, CaptureOptions, CaptureResult
from skillforge.learn.formats import RecordOrigin
from skillforge.library import Library
from skillforge.model import Example
from skillforge.store import Uses

CALLS = 10


class TriggerResult(NamedTuple):
    """What became of a session that ended."""

    calls: int
    since: int  # calls since the last look
    done: CaptureResult | None = None  # None where it was not due


def review(library: Library, session: str, transcript: Path) -> TriggerResult:
    """Capture a transcript if enough has happened since it was captured last."""
    store = Uses.of(library.repository().common_dir)
    fact = f"hook:{session}"
    calls = sum(1 for example in episodes(transcript) for _ in example.calls)
    before = int(store.fact(fact) or 0)
    since = calls - before if calls >= before else calls  # else it was cut short
    if since < CALLS:
        return TriggerResult(calls, since)
    done = Capture(library, CaptureOptions()).files([transcript])
    store.set_fact(fact, str(calls))
    return TriggerResult(calls, since, done)


def episodes(transcript: Path) -> Iterator[Example]:
    """The episodes of a transcript as they are: nothing in them is redacted."""
    with transcript_reader.opened(transcript) as file:
        records = iter(transcript_reader.Records(file))
        first = list(islice(records, 50))
        form = formats.recognise([record.value for record in first])
        if form is None:
            raise RequestError(
                f"{transcript} is no transcript that is known",
                hint=f"known are {', '.join(formats.formats())}",
            )
        for found in form.read(chain(first, records), RecordOrigin(transcript.name)):
            if isinstance(found, Example):
                yield found
