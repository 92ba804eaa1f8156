"""`Library`: one method for each command."""

from pathlib import Path
from typing import TYPE_CHECKING

from skillforge import workflows
from skillforge.api.check_methods import CheckMethods
from skillforge.errors import RequestError

if TYPE_CHECKING:
    from skillforge.forge import HostedForge
    from skillforge.history.audit import Audit
    from skillforge.history.skill_history import HistoryVersion, SkillHistory
    from skillforge.model import Proposal, RolloutState, Skill, Verdict
    from skillforge.operate.use_reports import RecordResult
    from skillforge.propose.review import ReviewBrief
    from skillforge.propose.submit import Submission
    from skillforge.propose.workspace import Workspace
    from skillforge.share.install import InstallResult
    from skillforge.share.search import Hit
    from skillforge.share.skill_view import SkillView
    from skillforge.share.update import Verification
    from skillforge.workflows.build import BuildResult
    from skillforge.workflows.canary import CanaryCheck, CanaryStatus
    from skillforge.workflows.catalog import FittedCatalog
    from skillforge.workflows.curate import Curation, Restoration
    from skillforge.workflows.diagnosis import Diagnosis
    from skillforge.workflows.gate_report import PostedReport
    from skillforge.workflows.health import HealthReport
    from skillforge.workflows.import_pending import PendingImport
    from skillforge.workflows.install import UpdateResult
    from skillforge.workflows.promote import Promotion, Rollback
    from skillforge.workflows.promoted import RecordedMerges
    from skillforge.workflows.protect import Protection
    from skillforge.workflows.publish import PublishResult
    from skillforge.workflows.refine import RefineReport
    from skillforge.workflows.release import ReleaseResult
    from skillforge.workflows.scaffold import NewSkill
    from skillforge.workflows.stats import StatsReport
    from skillforge.workflows.sync import FolderSync
    from skillforge.workflows.sync_uses import UseSync
    from skillforge.workflows.use import AssignedSkill


class Library(CheckMethods):
    """A skill library at work, as one person or agent sees it.

    Every call reads git again, as a command does, so any number of programs can work on
    one library. Proposals are where the commands have them: on GitHub if the remote is
    there, else in the repository itself.
    """

    @classmethod
    def open(cls, path: str | Path = ".", *, user: str | None = None) -> "Library":
        """The library at or above a folder; `user` acts, else git's user does."""
        return cls(workflows.workspaces.open_library(Path(path)).root, user)

    @classmethod
    def init(
        cls, path: str | Path = ".", *, github: bool = False, user: str | None = None
    ) -> "Library":
        """Create a library in a folder; existing files are kept.

        `github` also writes workflows and issue forms.
        """
        return cls(workflows.scaffold.init(Path(path), github=github).root, user)

    def _hosted(self) -> "tuple[Workspace, HostedForge]":
        return workflows.workspaces.open_hosted(self.root)

    def doctor(self, *, fix: bool = False) -> "Diagnosis":
        """Check this machine's setup and the repository; `fix` repairs what is safe."""
        return workflows.diagnosis.diagnose(self.root, fix=fix)

    def skills(self) -> "list[Skill]":
        """The skills of main, read from git's objects."""
        library = self._workspace().library
        return list(library.read_at(library.tip))

    def search(self, query: str, limit: int = 10) -> "list[Hit]":
        """The skills of main that match a query, the best first, and why."""
        library = self._workspace().library
        return list(workflows.skills.search(library, query, limit).hits)

    def show(self, name: str, rev: str | None = None) -> "SkillView":
        """A skill of main or another revision, with its files."""
        return workflows.skills.show(self._workspace().library, name, rev)

    def read_file(self, name: str, path: str, rev: str | None = None) -> bytes:
        """The bytes of a skill's file."""
        library = self._workspace().library
        return workflows.skills.read_file(library, name, path, rev).content

    def catalog(self, budget: int = 3000, *, task: str = "") -> "FittedCatalog":
        """All skills within a token budget, as text."""
        request = workflows.catalog.CatalogRequest(budget, task)
        return workflows.catalog.catalog(self._workspace().library, request)

    def new(self, name: str, description: str = "") -> "NewSkill":
        """Create a skill from a template."""
        library = workflows.workspaces.open_library(self.root)
        return workflows.scaffold.new_skill(library, name, description)

    # Proposals

    def propose(
        self,
        target: str,
        why: str,
        *,
        origin: str = "",
        examples: tuple[str, ...] = (),
        supersede: bool = False,
    ) -> "Submission":
        """Propose a skill of the checkout, or a folder, for review.

        Without a proposal in the result, its report says what is wrong with the draft.
        """
        workspace = self._workspace()
        options = workflows.submit.ProposalOptions(
            why=why, origin=origin, examples=examples, supersede=supersede
        )
        drafts = workflows.submit.folder_drafts(workspace, (target,))
        return workflows.submit.submit_drafts(workspace, drafts, options).submissions[0]

    def propose_removal(self, name: str, why: str) -> "Submission":
        """Propose to remove a skill."""
        options = workflows.submit.ProposalOptions(why=why)
        workspace = self._workspace()
        drafts = workflows.submit.removals(workspace.library, [name])
        batch = workflows.submit.submit_drafts(workspace, drafts, options)
        return batch.submissions[0]

    def import_pending(
        self, folder: Path | None = None, *, clear: bool = False
    ) -> "PendingImport":
        """Propose the changes that Hermes holds back for approval."""
        workflow = workflows.import_pending
        workspace = self._workspace(self.user or workflow.USER)
        return workflow.import_pending(workspace, folder, clear=clear)

    def proposals(self, *, only_open: bool = True) -> "list[Proposal]":
        return self._workspace().forge.proposals(only_open=only_open)

    def gate(self, number: int) -> "Verdict":
        """Run the required checks on a proposal, by the policy of its base."""
        return workflows.review.check_proposal(self._workspace(), number)

    def gate_branch(self, base: str, head: str) -> "Verdict":
        """Run the required checks on a branch."""
        return workflows.review.check_branch(self._workspace(), base, head)

    def review(self, number: int) -> "ReviewBrief":
        """What a reviewer needs to decide."""
        return workflows.review.brief(self._workspace(), number)

    def comment(self, number: int, text: str, *, by: str | None = None) -> None:
        workflows.review.comment(self._workspace(by), number, text)

    def approve(self, number: int, *, by: str | None = None) -> "Proposal":
        """Approve exactly what is proposed now; nobody can approve their own."""
        return workflows.review.approve(self._workspace(by), number).proposal

    def reject(self, number: int, why: str, *, by: str | None = None) -> "Proposal":
        """Reject a proposal, which closes it."""
        return workflows.review.reject(self._workspace(by), number, why)

    def refresh(self, number: int) -> "Proposal":
        """Rebase a proposal onto today's main; this voids its approvals."""
        return workflows.review.refresh(self._workspace(), number)

    def close(self, number: int, why: str = "") -> "Proposal":
        """Close a proposal without merging it."""
        return workflows.review.close(self._workspace(), number, why)

    def promote(self, number: int) -> "Promotion":
        """Merge what was checked and approved; without a merge, the gate refused it."""
        return workflows.promote.promote(self._workspace(), number)

    # History

    def rollback(
        self, name: str, why: str, *, to: str = "", now: bool = False
    ) -> "Rollback":
        """Propose an earlier version again; `now` merges it where the policy allows."""
        request = workflows.promote.RollbackRequest(name, to, why, at_once=now)
        return workflows.promote.roll_back(self._workspace(), request)

    def log(self, name: str) -> "list[HistoryVersion]":
        """The versions of a skill on main, newest first."""
        return workflows.history.log(self._workspace(), name)

    def why(self, name: str) -> "SkillHistory":
        """The reasons behind each version of a skill."""
        return workflows.history.why(self._workspace(), name)

    def audit(
        self, span: str = "", since: str = "", *, remote: bool = False
    ) -> "Audit":
        """Prove from git alone that every skill change on main was approved.

        `remote` also checks with the shared forge.
        """
        return workflows.history.audit(self._workspace(), span, since, remote=remote)

    # Share

    def release(
        self,
        version: str = "",
        *,
        dry_run: bool = False,
        include_canaries: bool = False,
    ) -> "ReleaseResult":
        """Tag main as a version, the suggested one by default, if every check passes.

        Without a release in the result, its objections name the checks that failed.
        `dry_run` makes no tag: the result has the plan and its notes.
        `include_canaries` publishes the new versions of unfinished rollouts.
        """
        return workflows.release.release(
            self._workspace(),
            version,
            dry_run=dry_run,
            with_canaries=include_canaries,
        )

    def build(self, out: str | Path, tag: str = "") -> "BuildResult":
        """Build the Skills Hub of a release, the newest by default, in a folder."""
        return workflows.build.build(self._workspace().library, Path(out), tag)

    def publish(self, where: str, tag: str = "") -> "PublishResult":
        """Publish a release, the newest by default, to a target or a folder."""
        options = workflows.publish.PublishOptions(tag)
        return workflows.publish.publish(self._workspace(), where, options)

    def install(
        self, source: str = "", *, to: str | Path = "", accept_caution: bool = False
    ) -> "InstallResult":
        """Install skills of `SOURCE[#TAG][@SKILL]` to a folder, and lock them.

        The folder is .agents/skills in the current one by default. If one skill is
        refused, none is installed. Without a source, exactly the locked skills are
        installed.
        """
        workflow = workflows.install
        target = workflow.target([str(to)] if to else ())
        if source:
            return workflow.install(source, target, accept_caution=accept_caution)
        return workflow.install_locked(target, accept_caution=accept_caution)

    def verify(self, *, to: str | Path = "") -> "Verification":
        """Compare installed skills with the lock."""
        target = workflows.install.target([str(to)] if to else ())
        return workflows.install.verify(target)

    def update(
        self, *names: str, to: str | Path = "", apply: bool = False
    ) -> "UpdateResult":
        """Find updates of installed skills; `apply` installs them."""
        target = workflows.install.target([str(to)] if to else ())
        return workflows.install.update(target, names, apply=apply)

    # Operate

    def use(self, name: str, key: str) -> "AssignedSkill":
        """The folder of the version of a skill that a key gets."""
        return workflows.use.get(self._workspace().library, name, key)

    def sync(self, folder: str | Path, key: str, *, dry: bool = False) -> "FolderSync":
        """Copy all skills to an agent's folder, in the versions that a key gets."""
        library = self._workspace().library
        return workflows.sync.sync(library, key, Path(folder), dry=dry)

    def sync_uses(self, remote: str = "") -> "UseSync":
        """Exchange uses and rollouts with other clones, through a git remote."""
        return workflows.sync_uses.sync_uses(self._workspace(), remote)

    def record(
        self, name: str, key: str, outcome: str, *, verified_by: str = "none"
    ) -> "RecordResult":
        """Report the outcome of a use; that may decide a rollout."""
        fields = {
            "skill": name,
            "key": key,
            "outcome": outcome,
            "verified_by": verified_by,
        }
        try:
            report = workflows.record.parse_report(fields)
        except ValueError as err:
            raise RequestError(str(err), hint="skillforge record --help") from err
        library = self._workspace().library
        return workflows.record.record(library, [report], self._workspace).result

    def stats(self, name: str = "") -> "StatsReport":
        """Uses and success rates of one skill, or of all that have recorded uses."""
        return workflows.stats.stats(self._workspace(), name)

    def write_dashboard(self, path: str | Path, name: str = "") -> "StatsReport":
        """Write the statistics as an HTML page."""
        return workflows.stats.write_dashboard(self._workspace(), Path(path), name)

    def canary(self, name: str = "") -> "CanaryStatus":
        """Check the rollout of a skill, or all rollouts, and act on the verdicts."""
        return workflows.canary.status(self._workspace(), name)

    def set_canary(self, name: str, share: float) -> "CanaryCheck":
        """Change the share (percent) of a rollout, resume it, or start one."""
        return workflows.canary.set_share(self._workspace(), name, share)

    def decide_canary(
        self, name: str, state: "RolloutState", why: str = ""
    ) -> "CanaryCheck":
        """Pause, finish or close a rollout; closing one proposes a rollback."""
        return workflows.canary.decide(self._workspace(), name, state, why)

    def refine(
        self,
        *names: str,
        propose: bool = False,
        agent: str = "",
        retire: bool = False,
    ) -> "RefineReport":
        """The edits that reported uses suggest; `propose` opens proposals for them."""
        options = workflows.refine.RefineOptions(propose, agent, retire)
        return workflows.refine.refine_skills(self._workspace(), names, options)

    def health(
        self, *names: str, seconds: float = 0, propose: bool = False
    ) -> "HealthReport":
        """Run the cases of main's skills again, within the policy's time limit."""
        options = workflows.health.HealthOptions(names, seconds=seconds)
        return workflows.health.check_health(
            self._workspace(), options, propose=propose
        )

    def curate(self, *names: str, propose: bool = False) -> "Curation":
        """Find stale, superseded, duplicate and broken skills."""
        return workflows.curate.curate_skills(self._workspace(), names, propose=propose)

    def restore(
        self, name: str, why: str = "", *, propose: bool = False
    ) -> "Restoration":
        """Restore a skill from the archive."""
        return workflows.curate.restore(self._workspace(), name, why, propose=propose)

    def pin(self, name: str, why: str = "") -> "Submission | None":
        """Propose to pin a skill; None if it is pinned."""
        return self._pin(name, why, is_pinned=True)

    def unpin(self, name: str, why: str = "") -> "Submission | None":
        """Propose to unpin a skill; None if it is not pinned."""
        return self._pin(name, why, is_pinned=False)

    def _pin(self, name: str, why: str, *, is_pinned: bool) -> "Submission | None":
        request = workflows.curate.PinRequest(name, is_pinned, why)
        batch = workflows.curate.pin(self._workspace(), request)
        return batch.submissions[0] if batch else None

    # GitHub

    def protect(self, *owners: str, dry_run: bool = False) -> "Protection":
        """Change the settings on GitHub so that only approved proposals reach main."""
        return workflows.protect.protect(*self._hosted(), owners, dry_run=dry_run)

    def post_report(self, file: str | Path, head: str, run: str = "") -> "PostedReport":
        """Post a gate.json on the pull requests at a commit."""
        return workflows.gate_report.post(*self._hosted(), Path(file), head, run)

    def record_merges(self, span: str = "") -> "RecordedMerges":
        """Record the approvals of merges that were made on GitHub."""
        return workflows.promoted.record_merges(*self._hosted(), span)
