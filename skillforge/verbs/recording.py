"""Record uses, and judge the rollouts that they speak for or against."""

import time
from collections.abc import Callable, Iterable

from skillforge.library import Library
from skillforge.operate.canary import Judgement
from skillforge.operate.recording import Recorded, Recorder, Report
from skillforge.propose.desk import Desk
from skillforge.verbs.canary import heard


def record(
    library: Library, reports: Iterable[Report], desk: Callable[[], Desk]
) -> tuple[Recorded, list[tuple[Judgement, str]]]:
    """Keep reports; a use that decides a rollout closes or finishes it at once.

    The desk is asked for only then: a use without a rollout waits for no forge.
    """
    done = Recorder(library, int(time.time())).record(reports)
    voted = sorted({use.skill for use in done.uses if use.is_vote})
    return done, heard(desk(), voted) if voted else []
