"""Release main: plan the version and its notes, check every skill, tag the commit."""

from dataclasses import dataclass
from datetime import date

from skillforge.checks.cases import case_run
from skillforge.checks.skill_selection import Selection, validate
from skillforge.errors import ConflictError
from skillforge.forge import github_address
from skillforge.gitrepo import remote
from skillforge.gitrepo.notes import NOTES
from skillforge.history import audit
from skillforge.library import Library
from skillforge.model import RolloutState, Severity
from skillforge.operate import dashboard_data, rollouts
from skillforge.propose.workspace import Workspace
from skillforge.render.text import trials
from skillforge.render.text.history import audit_exception
from skillforge.report import finding_text
from skillforge.share import release_notes, releases, semver
from skillforge.share.published_versions import Span, history_facts
from skillforge.share.release_notes import ReleaseChange
from skillforge.share.release_scan import scan_commit
from skillforge.share.releases import Release
from skillforge.share.semver import SemVer
from skillforge.store import Uses
from skillforge.worker_pool import Progress


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """The changes on main since the previous release, and the version that fits."""

    commit: str
    previous: Release | None
    changes: tuple[ReleaseChange, ...]
    suggested: SemVer
    notes: str

    @property
    def counts(self) -> dict[str, int]:
        """How many skills changed, by kind."""
        return release_notes.counts(self.changes)


@dataclass(frozen=True, slots=True)
class Objection:
    """A check that failed, and its problems, one line each."""

    check: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReleaseResult:
    """A plan and what became of it: suggested, tagged, or refused.

    `version` is None for a suggestion. `release` is None unless the tag exists.
    """

    plan: ReleasePlan
    version: SemVer | None = None
    release: Release | None = None
    created: bool = False
    by: str = ""
    objections: tuple[Objection, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.objections


def suggest(workspace: Workspace) -> ReleaseResult:
    """The changes since the previous release and the next version; makes no tag."""
    return ReleaseResult(_plan(workspace.library))


def release(
    workspace: Workspace,
    version: str = "",
    progress: Progress | None = None,
    *,
    dry_run: bool = False,
) -> ReleaseResult:
    """Tag main as a version, or as the suggested one.

    A tag is made only if every check passes. A commit that is already released so is
    left alone; a version that another commit has raises `ConflictError`.
    """
    chosen = semver.read(version) if version else None
    library = workspace.library
    plan = _plan(library)
    chosen = chosen or plan.suggested
    done = releases.existing(library.repository(), chosen, plan.commit)
    if done is None and not plan.changes and not version:
        done = plan.previous
    if done is not None:
        return ReleaseResult(plan, done.version, done)
    if dry_run:
        return ReleaseResult(plan, chosen)
    by = str(workspace.by)  # fails before the checks, which can take long
    if objections := _objections(workspace, plan.commit, progress or Progress()):
        return ReleaseResult(plan, chosen, objections=objections)
    done = _tag(library, chosen, plan)
    return ReleaseResult(plan, done.version, done, created=True, by=by)


def _plan(library: Library) -> ReleasePlan:
    repo, tip = library.repository(), library.tip
    previous = releases.newest(repo, until=tip)
    start = previous.tag.commit if previous else ""
    before = library.skill_trees(start) if start else {}
    after = library.skill_trees(tip)
    if not before and not after:
        raise ConflictError(
            "main has no skills to release",
            hint="create one with skillforge new NAME, then propose it",
        )
    commits = set(repo.line(tip, start))
    span = Span({*before.values(), *after.values()}, commits)
    lineage = history_facts(library, tip, repo.ref(NOTES), only=span).lineage
    changes = release_notes.changes(lineage, before, after, commits)
    suggested = release_notes.next_version(
        previous.version if previous else None, changes
    )
    notes = release_notes.notes(changes)
    return ReleasePlan(tip, previous, tuple(changes), suggested, notes)


def _tag(library: Library, version: SemVer, plan: ReleasePlan) -> Release:
    repo = library.repository()
    address = github_address.find(remote.origin(repo)[1])
    message = releases.message(repo, version, plan.notes, str(address or ""))
    return releases.create(repo, version, plan.commit, message)


def _objections(
    workspace: Workspace, commit: str, progress: Progress
) -> tuple[Objection, ...]:
    """What speaks against a release: main's history, and checks of its policy."""
    library = workspace.library
    required = library.policy(commit).checks
    problems = {"audit": _audit_problems(workspace)}
    problems |= {
        name: check(library, commit, progress)
        for name, check in _CHECKS.items()
        if name in required
    }
    problems["health"] = _health_problems(library, commit, "test" in required)
    return tuple(
        Objection(check, tuple(lines)) for check, lines in problems.items() if lines
    )


def _audit_problems(workspace: Workspace) -> list[str]:
    forge = workspace.forge if workspace.forge.is_local else None
    exceptions = audit.audit(workspace.library, forge).exceptions
    return [audit_exception(exception) for exception in exceptions]


def _rule_problems(library: Library, commit: str, _progress: Progress) -> list[str]:
    report = validate(library.root, Selection((), None, commit), None)
    errors = (f for f in report.findings if f.severity is Severity.ERROR)
    return [finding_text(finding) for finding in errors]


def _scan_problems(library: Library, commit: str, progress: Progress) -> list[str]:
    skills = list(library.read_at(commit))
    scanned = scan_commit(library, commit, date.today(), skills, progress)
    return [finding_text(finding) for finding in scanned.blocking]


def _case_problems(library: Library, commit: str, progress: Progress) -> list[str]:
    selection = Selection((), None, commit)
    options = case_run.TestOptions()
    tested = case_run.run_tests(library.root, selection, options, progress)
    if tested.ok:
        return []
    return trials.text(tested.trials, tested.findings).splitlines()


_CHECKS = {"validate": _rule_problems, "scan": _scan_problems, "test": _case_problems}


def _health_problems(library: Library, commit: str, with_cases: bool) -> list[str]:
    """Closed canaries of the versions that main has, and failed runs of their cases."""
    repo = library.repository()
    trees = library.skill_trees(commit)
    records = Uses.of(repo.common_dir).case_records() if with_cases else []
    checked = dashboard_data.health(records, trees, {})
    problems = [
        f"{row['skill']} failed its cases on {row['at']}; run skillforge health "
        f"{row['skill']} to try again"
        for row in checked
        if row["status"] == "failed"
    ]
    known = rollouts.read_all(repo)
    problems += [err.message for name, err in known.damaged.items() if name in trees]
    for name, rollout in sorted(known.valid.items()):
        is_closed = rollout.state is RolloutState.CLOSED
        if is_closed and rollouts.is_current(rollout, trees.get(name, "")):
            problems.append(f"the canary of {name} was closed: {rollout.why}")
    return problems
