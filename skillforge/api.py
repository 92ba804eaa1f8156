"""Skillforge for programs: what the commands do, with values in and values out.

`from skillforge import Library` is this module's. A problem with a skill is a value
(`report.ok`); what stops a command is a `SkillforgeError` with a hint, as there.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from skillforge import library as libraries
from skillforge.propose.workspace import Workspace

if TYPE_CHECKING:
    from skillforge.checks.cases.case_run import TestResults
    from skillforge.checks.scan.scan_run import ScanResults
    from skillforge.history.audit import Audit
    from skillforge.history.skill_history import HistoryVersion
    from skillforge.model import Proposal, Report, RolloutState, Skill, Verdict
    from skillforge.operate.use_reports import RecordResult
    from skillforge.propose.submit import Submission
    from skillforge.share.install import InstallResult
    from skillforge.share.search import Hit
    from skillforge.workflows.build import BuildResult
    from skillforge.workflows.canary import CanaryCheck, CanaryStatus
    from skillforge.workflows.promote import Promotion, Rollback
    from skillforge.workflows.publish import PublishResult
    from skillforge.workflows.release import ReleaseResult
    from skillforge.workflows.stats import StatsReport
    from skillforge.workflows.use import HandedSkill


class Library:
    """A skill library at work, as one person or agent sees it.

    Every call looks at git anew, as a command does, so any number of programs may work
    on one library. Proposals live where the commands would look for them: on GitHub if
    the remote is there, else in the repository itself.
    """

    def __init__(self, root: Path, user: str | None = None) -> None:
        self.root = root
        self.user = user

    @classmethod
    def open(cls, path: str | Path = ".", *, user: str | None = None) -> "Library":
        """The library at or above a folder; `user` acts, else git's user does."""
        return cls(libraries.Library.open(Path(path)).root, user)

    def _workspace(self, user: str | None = None) -> Workspace:
        return Workspace.at(self.root, user or self.user)

    def skills(self) -> "list[Skill]":
        """The skills of main, read from git's objects."""
        library = self._workspace().library
        return list(library.read_at(library.tip))

    def search(self, query: str, limit: int = 10) -> "list[Hit]":
        """The skills of main that a task calls for, the best first, and why."""
        from skillforge.share import search

        library = self._workspace().library
        return search.search(library, library.tip, query, limit)

    def validate(self, *targets: str) -> "Report":
        """Check skills of the checkout, or folders; all skills if none is named."""
        from skillforge.checks.skill_selection import Selection, validate

        return validate(self.root, Selection(targets), None)

    def scan(self, *targets: str) -> "ScanResults":
        """Look for attacks, leaks and hidden text in skills or folders."""
        from skillforge.checks.scan.scan_run import run_scan
        from skillforge.checks.skill_selection import Selection

        return run_scan(self.root, Selection(targets))

    def test(self, *targets: str) -> "TestResults":
        """Run the cases of skills in a sandbox."""
        from skillforge.checks.cases import case_run
        from skillforge.checks.skill_selection import Selection

        options, quiet = case_run.TestOptions(), case_run.Progress()
        return case_run.run_tests(self.root, Selection(targets), options, quiet)

    def propose(
        self, target: str, why: str, *, origin: str = "", examples: tuple[str, ...] = ()
    ) -> "Submission":
        """Propose a skill of the checkout, or a folder, for review.

        Without a proposal in the result, its report says what is wrong with the draft.
        """
        from skillforge.propose.proposal_request import ProposalOptions
        from skillforge.workflows.submit import folder_drafts, submit_drafts

        workspace = self._workspace()
        options = ProposalOptions(why=why, origin=origin, examples=examples)
        drafts = folder_drafts(workspace, (target,))
        return submit_drafts(workspace, drafts, options).submissions[0]

    def proposals(self, *, only_open: bool = True) -> "list[Proposal]":
        return self._workspace().forge.proposals(only_open=only_open)

    def gate(self, number: int) -> "Verdict":
        """Run the required checks on a proposal, by the policy of its base."""
        from skillforge.workflows import review

        return review.check_proposal(self._workspace(), number)

    def approve(self, number: int, *, by: str | None = None) -> "Proposal":
        """Approve exactly what is proposed now; nobody can approve their own."""
        from skillforge.workflows import review

        return review.approve(self._workspace(by), number).proposal

    def reject(self, number: int, why: str, *, by: str | None = None) -> "Proposal":
        """Reject a proposal, which closes it."""
        from skillforge.workflows import review

        return review.reject(self._workspace(by), number, why)

    def promote(self, number: int) -> "Promotion":
        """Merge what was checked and approved; without a merge, the gate refused it."""
        from skillforge.workflows import promote

        return promote.promote(self._workspace(), number)

    def rollback(
        self, name: str, why: str, *, to: str = "", now: bool = False
    ) -> "Rollback":
        """Propose an earlier version again; `now` merges it where the policy allows."""
        from skillforge.propose.rollback import RollbackRequest
        from skillforge.workflows import promote

        return promote.roll_back(
            self._workspace(), RollbackRequest(name, to, why, at_once=now)
        )

    def log(self, name: str) -> "list[HistoryVersion]":
        """The versions of a skill on main, newest first."""
        from skillforge.workflows import history

        return history.log(self._workspace(), name)

    def audit(self) -> "Audit":
        """Prove from git alone that every skill change on main was approved."""
        from skillforge.workflows import history

        return history.audit(self._workspace())

    def release(self, version: str = "", *, dry_run: bool = False) -> "ReleaseResult":
        """Tag main as a version, the suggested one by default, if every check passes.

        Without a release in the result, its objections name the checks that failed.
        `dry_run` makes no tag: the result has the plan and its notes.
        """
        from skillforge.workflows import release

        return release.release(self._workspace(), version, dry_run=dry_run)

    def build(self, out: str | Path, tag: str = "") -> "BuildResult":
        """Build the Skills Hub of a release, the newest by default, in a folder."""
        from skillforge.workflows import build

        return build.build(self._workspace().library, Path(out), tag)

    def publish(self, where: str, tag: str = "") -> "PublishResult":
        """Publish a release, the newest by default, to a target or a folder."""
        from skillforge.workflows import publish

        options = publish.PublishOptions(tag)
        return publish.publish(self._workspace(), where, options)

    def install(
        self, source: str, *, to: str | Path = "", accept_caution: bool = False
    ) -> "InstallResult":
        """Install skills of `SOURCE[#TAG][@SKILL]` to a folder, and lock them.

        The folder is .agents/skills in the current one by default. If one skill is
        refused, none is installed.
        """
        from skillforge.share import install_target
        from skillforge.workflows import install

        target = install_target.resolve([str(to)] if to else ())
        return install.install(source, target, accept_caution=accept_caution)

    def use(self, name: str, key: str) -> "HandedSkill":
        """The folder of the version of a skill that a key gets."""
        from skillforge.workflows.use import hand

        return hand(self._workspace().library, name, key)

    def record(
        self, name: str, key: str, outcome: str, *, verified_by: str = "none"
    ) -> "RecordResult":
        """Report how a use of a skill ended; that may decide its rollout."""
        from skillforge.model import OutcomeSource, OutcomeStatus
        from skillforge.operate.use_reports import UseReport
        from skillforge.workflows.record import record

        use = UseReport(name, key, OutcomeStatus(outcome), OutcomeSource(verified_by))
        return record(self._workspace().library, [use], self._workspace).result

    def stats(self, name: str = "") -> "StatsReport":
        """Uses and success rates of one skill, or of all that have recorded uses."""
        from skillforge.workflows import stats

        return stats.stats(self._workspace(), name)

    def canary(self, name: str = "") -> "CanaryStatus":
        """Check the rollout of a skill, or all rollouts, and act on the verdicts."""
        from skillforge.workflows import canary

        return canary.status(self._workspace(), name)

    def set_canary(self, name: str, share: float) -> "CanaryCheck":
        """Change the share (percent) of a rollout, resume it, or start one."""
        from skillforge.workflows import canary

        return canary.set_share(self._workspace(), name, share)

    def decide_canary(
        self, name: str, state: "RolloutState", why: str = ""
    ) -> "CanaryCheck":
        """Pause, finish or close a rollout; closing one proposes a rollback."""
        from skillforge.workflows import canary

        return canary.decide(self._workspace(), name, state, why)
