"""Record uses, and judge the rollouts that they speak for or against."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from skillforge.operate import fast_record
from skillforge.operate.use_reports import RecordResult, UseReport

if TYPE_CHECKING:
    from skillforge.library import Library
    from skillforge.operate.canary import Judgement
    from skillforge.propose.workspace import Workspace

Looked: TypeAlias = "list[tuple[Judgement, str]]"


def record_at(
    folder: str,
    reports: Sequence[UseReport],
    desk: "Callable[[], Workspace]",
    *choice: str,
) -> tuple[RecordResult, Looked]:
    """Keep reports for the library at a folder, whose forge may be chosen.

    Agents wait for this after every use: a single one that asks for no more than to be
    kept starts no process.
    """
    is_usual = len(reports) == 1 and not any(choice)
    if is_usual and (done := fast_record.record(folder, reports[0])):
        return done, []
    from pathlib import Path

    from skillforge.workflows.lookup import library_at

    return record(library_at(Path(folder), *choice), reports, desk)


def record(
    library: "Library", reports: Sequence[UseReport], desk: "Callable[[], Workspace]"
) -> tuple[RecordResult, Looked]:
    """Keep reports; a use that decides a rollout closes or finishes it at once.

    The desk is asked for only then: a use without a rollout waits for no forge.
    """
    from skillforge.operate.use_recorder import Recorder

    done = Recorder(library, int(time.time())).record(reports)
    voted = sorted({use.skill for use in done.uses if use.is_vote})
    if not voted:
        return done, []
    from skillforge.workflows.canary import heard

    return done, heard(desk(), voted)
