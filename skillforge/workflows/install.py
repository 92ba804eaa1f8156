"""Install, update and verify skills of others; import them as proposals."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from skillforge.propose.proposal_request import ProposalRequest
from skillforge.propose.workspace import Workspace
from skillforge.share import install as installs
from skillforge.share import install_source, install_target
from skillforge.share import update as updates
from skillforge.share.install import InstallResult
from skillforge.share.install_target import InstallTarget
from skillforge.share.update import Update, Verification
from skillforge.worker_pool import Progress
from skillforge.workflows.submit import SubmissionBatch, submit


@dataclass(frozen=True, slots=True)
class UpdateResult:
    """What the sources of installed skills have, and what was installed of it."""

    updates: tuple[Update, ...]
    installed: InstallResult | None = None

    @property
    def new(self) -> list[Update]:
        return [update for update in self.updates if update.state == "new"]

    @property
    def edited(self) -> list[Update]:
        """Skills with an update that were changed here, so it can't be installed."""
        return [update for update in self.updates if update.state == "edited"]

    @property
    def is_blocked(self) -> bool:
        """Whether local changes prevent every update."""
        return bool(self.edited) and not self.new

    @property
    def ok(self) -> bool:
        return self.installed is None or self.installed.ok


def target(
    to: Sequence[str] = (), agent: str = "", user: bool = False, lock: str = ""
) -> InstallTarget:
    """The folder and the lock to install to; by default .agents/skills here."""
    return install_target.resolve(to, agent, user, lock)


def install(
    source: str,
    target: InstallTarget,
    progress: Progress | None = None,
    *,
    accept_caution: bool = False,
) -> InstallResult:
    """Install the skills of `SOURCE[#TAG][@SKILL]`, except those that are refused."""
    parsed = install_source.parse(source)
    return installs.install(
        parsed, target, progress or Progress(), accept_caution=accept_caution
    )


def install_locked(
    target: InstallTarget, *, accept_caution: bool = False
) -> InstallResult:
    """Install exactly what the lock names, or fail."""
    return installs.install_locked(target, accept_caution=accept_caution)


def update(
    target: InstallTarget,
    names: Collection[str] = (),
    *,
    apply: bool = False,
    accept_caution: bool = False,
) -> UpdateResult:
    """Find updates of installed skills; `apply` installs them."""
    result = UpdateResult(updates.find_updates(target, names))
    if not apply or not result.new:
        return result
    done = updates.apply(target, result.updates, accept_caution=accept_caution)
    return UpdateResult(result.updates, done)


def verify(target: InstallTarget) -> Verification:
    """Compare the skills on disk with the lock."""
    return updates.verify(target)


def propose(
    workspace: Workspace, source: str, why: str, *, accept_caution: bool = False
) -> SubmissionBatch:
    """Propose the skills of a source for the library, with their origin."""
    parsed = install_source.parse(source)
    drafts = installs.import_drafts(parsed, why, accept_caution=accept_caution)
    requests = [ProposalRequest(draft, workspace.base) for draft in drafts]
    return submit(workspace, requests)
