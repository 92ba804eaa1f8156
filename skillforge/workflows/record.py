"""Record uses, and decide the rollouts that they are votes on."""

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from skillforge.operate import fast_record
from skillforge.operate.use_reports import RecordResult, UnreadableLine
from skillforge.operate.use_reports import UseReport as UseReport
from skillforge.operate.use_reports import parse_report as parse_report
from skillforge.operate.use_reports import read_lines as read_lines

if TYPE_CHECKING:
    from skillforge.library import Library
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows.canary import CanaryCheck


class Recording(NamedTuple):
    """What was recorded, and the rollouts that were checked after it."""

    result: RecordResult
    rollouts: "tuple[CanaryCheck, ...]" = ()

    @property
    def ok(self) -> bool:
        return not self.result.unread


def record_at(
    folder: str,
    lines: Iterable[UseReport | UnreadableLine],
    workspace: "Callable[[], Workspace]",
    *choice: str,
) -> Recording:
    """Record reports for the library at a folder; `choice` is its forge and host.

    Agents wait for this after every use: the usual report, a single one without notes,
    is recorded without starting a process.
    """
    read = list(lines)
    reports = [line for line in read if isinstance(line, UseReport)]
    is_usual = len(read) == len(reports) == 1 and not any(choice)
    if is_usual and (result := fast_record.record(folder, reports[0])):
        return Recording(result)
    from pathlib import Path

    from skillforge.workflows.lookup import library_at

    done = record(library_at(Path(folder), *choice), reports, workspace)
    unread = [line for line in read if isinstance(line, UnreadableLine)]
    unreadable = tuple(sorted([*unread, *done.result.unread]))
    return done._replace(result=done.result._replace(unread=unreadable))


def record(
    library: "Library",
    reports: Iterable[UseReport],
    workspace: "Callable[[], Workspace]",
) -> Recording:
    """Record reports; a use that decides a rollout closes or finishes it at once.

    `workspace` is called only then: other uses don't wait for a forge.
    """
    from skillforge.operate.use_recorder import Recorder

    result = Recorder(library, int(time.time())).record(reports)
    voted = sorted({use.skill for use in result.uses if use.is_vote})
    if not voted:
        return Recording(result)
    from skillforge.workflows.canary import check_all

    return Recording(result, check_all(workspace(), voted))
