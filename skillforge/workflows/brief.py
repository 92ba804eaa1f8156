"""Brief an agent on a transcript or a pattern before it learns from it."""

import os
from pathlib import Path

from skillforge.learn import brief as briefs
from skillforge.learn.brief import SessionBrief
from skillforge.library import Library


def brief(library: Library, subject: str) -> SessionBrief:
    """The brief of a transcript, if the subject looks like a path, or of a pattern."""
    path = Path(subject)
    is_file = os.path.isfile(path)  # noqa: PTH113 - a long name is no error here
    if is_file or "/" in subject or "." in subject:
        return briefs.of_transcript(library, path)
    return briefs.of_pattern(library, subject)
