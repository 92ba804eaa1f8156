"""Run the cases of main's skills again, and mark what broke as deprecated."""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from skillforge.model import Trial
from skillforge.operate import deprecation
from skillforge.operate.health import HealthOptions as HealthOptions
from skillforge.operate.health import check_up
from skillforge.operate.health_record import Checkup, Condition
from skillforge.propose.workspace import Workspace
from skillforge.worker_pool import Progress
from skillforge.workflows.offers import OfferBatch, offer_drafts


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The result of each skill, and the proposals that follow."""

    checkups: tuple[Checkup, ...]
    offers: OfferBatch | None = None

    @property
    def ok(self) -> bool:
        """Whether no skill fails."""
        return all(c.condition is not Condition.FAILED for c in self.checkups)

    @property
    def counts(self) -> dict[Condition, int]:
        """How many skills are in each condition."""
        counts = Counter(checkup.condition for checkup in self.checkups)
        return {condition: counts[condition] for condition in Condition}

    @property
    def paths(self) -> dict[str, str]:
        """The folder of each skill, by name."""
        return {checkup.name: checkup.skill.path for checkup in self.checkups}

    @property
    def trials(self) -> list[Trial]:
        return [trial for checkup in self.checkups for trial in checkup.trials]


def _no_progress() -> AbstractContextManager[Progress]:
    return nullcontext(Progress())


def check_health(
    workspace: Workspace,
    options: HealthOptions,
    progress: Callable[[], AbstractContextManager[Progress]] = _no_progress,
    *,
    propose: bool = False,
) -> HealthReport:
    """Run the cases of these skills, or of all; with `propose`, mark what broke."""
    library = workspace.library
    tip = workspace.base if propose else library.tip
    seconds = options.seconds or library.policy(tip).health_seconds
    with progress() as bar:
        checkups = tuple(check_up(library, tip, replace(options, seconds=seconds), bar))
    if not propose:
        return HealthReport(checkups)
    drafts = deprecation.drafts(library, tip, checkups)
    offers = offer_drafts(workspace, drafts, again=bool(options.names))
    return HealthReport(checkups, offers)
