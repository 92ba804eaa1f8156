"""Record the approvals of merges that were made on a shared forge's pages."""

from dataclasses import dataclass

from skillforge.forge import HostedForge
from skillforge.history import audit, steps
from skillforge.history.audit import AuditException
from skillforge.operate import rollout_sync
from skillforge.propose import backfill_notes
from skillforge.propose.backfill_notes import NotedMerge
from skillforge.propose.workspace import Workspace
from skillforge.workflows.rollout_start import MergedChange, start_rollout


@dataclass(frozen=True, slots=True)
class RecordedMerges:
    """Merges that were recorded, rollouts that were started, and what is wrong."""

    merges: tuple[NotedMerge, ...]
    rollouts: tuple[str, ...]
    exceptions: tuple[AuditException, ...]

    @property
    def ok(self) -> bool:
        return not self.exceptions


def record_merges(
    workspace: Workspace, forge: HostedForge, span: str = ""
) -> RecordedMerges:
    """Record the merges of all of main, or those in a range.

    With a range, the rollouts that the policy asks for after an edit are started.
    """
    forge.fetch_main()
    library = workspace.library
    commits = audit.commits_of(library, span) if span else None
    merges = backfill_notes.record(workspace, commits)
    started = _start_rollouts(workspace, forge, commits) if commits else []
    exceptions = audit.audit(library, None, span).exceptions
    return RecordedMerges(tuple(merges), tuple(started), tuple(exceptions))


def _start_rollouts(
    workspace: Workspace, forge: HostedForge, commits: set[str]
) -> list[str]:
    """Start the rollouts that the policy asks for, and share them."""
    library, remote = workspace.library, forge.remote
    rollout_sync.exchange(library, remote, workspace.by)
    started = []
    for step in steps.read_steps(library, library.tip):
        if step.name in commits and step.is_promotion:
            # A skill around the proposal's own changes, too, but is not compared.
            named = step.draft_trailers.get("Skill") or step.skills
            for name in step.skills.keys() & {*named}:
                change = MergedChange(name, str(step.action), step.name, step.number)
                rollout, _ = start_rollout(workspace, change)
                started += [name] if rollout and rollout.is_running else []
    if started:
        rollout_sync.exchange(library, remote, workspace.by)
    return started
