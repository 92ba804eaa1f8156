"""Capture transcripts into a library's private store."""

import io
from collections.abc import Sequence
from pathlib import Path

from skillforge.learn.capture import Capture, CaptureResult
from skillforge.learn.capture import CaptureOptions as CaptureOptions
from skillforge.library import Library


def capture_files(
    library: Library, targets: Sequence[Path], options: CaptureOptions
) -> CaptureResult:
    """Capture files, and all transcripts below folders."""
    return Capture(library, options).files(targets)


def capture_stream(
    library: Library, stream: io.BufferedReader, options: CaptureOptions
) -> CaptureResult:
    """Capture a transcript from standard input."""
    return Capture(library, options).stream(stream)


def capture_text(
    library: Library, transcript: str, options: CaptureOptions
) -> CaptureResult:
    """Capture the text of a transcript."""
    data = transcript.encode("utf-8", "replace")
    return capture_stream(library, io.BufferedReader(io.BytesIO(data)), options)
