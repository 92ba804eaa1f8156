"""`skillforge release`: a tag on main, with notes on every skill."""

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.errors import ConflictError

if TYPE_CHECKING:
    from skillforge.library import Library
    from skillforge.propose.workspace import Workspace
    from skillforge.share.release_notes import ReleaseChange
    from skillforge.share.releases import Release
    from skillforge.share.semver import SemVer


@click.command()
@click.argument("version", required=False)
@click.option("--yes", is_flag=True, help="Make the version that is suggested.")
@click.option("--dry-run", is_flag=True, help="Print the notes, and make no tag.")
@common_options
@click.pass_obj
def release(
    settings: GlobalOptions, version: str | None, yes: bool, dry_run: bool
) -> CommandResult:
    """Tag main as a release, with notes on every skill; or say which version is next.

    The tag is annotated, and signed if git is set up to (tag.gpgSign). It is made only
    if the audit finds nothing, every skill is valid, the scan finds no attack and no
    leak, every skill passes its own cases, and none failed in its last health run or as
    a canary. Nothing is pushed.

    \b
    skillforge release                what changed, and the version that fits
    skillforge release 1.4.0          make it
    skillforge release --yes          make the one that is suggested
    skillforge release --dry-run      read the notes first

    A skill less raises the major version, a new one the minor, anything else the patch.
    Exits 0 if it is released, also if it was before; 1 if something is red; 4 if the
    version is another commit's.
    """
    from skillforge.propose.workspace import Workspace
    from skillforge.share import releases, semver

    wanted = semver.read(version) if version else None
    desk = Workspace.at_work(settings.start, None)
    library = desk.settled()
    plan = _plan(library)
    if wanted is None and not (yes or dry_run):
        return _suggestion(plan)
    wanted = wanted or plan.suggested
    done = releases.made_before(library.repository(), wanted, plan.tip)
    if done is None and not plan.changes and version is None:
        done = plan.before
    if done is not None:
        return _released(done, plan, created=False)
    if dry_run:
        return CommandResult(plan.data | {"version": str(wanted)}, plan.notes.rstrip())
    by = str(desk.by)  # known before anything is checked, which may take long
    if objections := _objections(settings, desk, plan.tip):
        return _refusal(wanted, plan, objections)
    done = _make(library, wanted, plan)
    answer = _released(done, plan, created=True)
    return answer._replace(data=answer.data | {"by": by})


class _ReleasePlan(NamedTuple):
    """Main as it is, and what it brings over the release before."""

    tip: str
    before: "Release | None"
    changes: "list[ReleaseChange]"
    suggested: "SemVer"
    notes: str

    @property
    def data(self) -> dict[str, Any]:
        return {
            "suggested": str(self.suggested),
            "previous": self.before.tag.name if self.before else None,
            "commit": self.tip,
            "tag": None,
            "created": False,
            "changes": [
                {
                    "skill": change.skill,
                    "kind": change.kind,
                    "before": change.before,
                    "after": change.after,
                }
                for change in self.changes
            ],
            "notes": self.notes,
            "objections": [],
        }


def _plan(library: "Library") -> _ReleasePlan:
    from skillforge.cli.lineage import Span, told
    from skillforge.gitrepo.notes import NOTES
    from skillforge.model import SKILLS
    from skillforge.share import release_notes, releases

    repo, tip = library.repository(), library.tip
    trees = {n: e.object for n, e in repo.tree(f"{tip}:{SKILLS}").items() if e.is_tree}
    before = releases.newest(repo, until=tip)
    was = before.tag.commit if before else ""
    old = repo.tree(f"{was}:{SKILLS}") if was else {}
    if not trees and not old:
        raise ConflictError(
            "there is no skill to release", hint="skillforge new NAME, and propose it"
        )
    then = {name: entry.object for name, entry in old.items() if entry.is_tree}
    since = set(repo.line(tip, was))
    span = Span({*then.values(), *trees.values()}, since)
    lineage = told(library, tip, repo.ref(NOTES), only=span).lineage
    found = release_notes.changes(lineage, then, trees, since)
    suggested = release_notes.following(before.version if before else None, found)
    return _ReleasePlan(tip, before, found, suggested, release_notes.notes(found))


def _suggestion(plan: _ReleasePlan) -> CommandResult:
    from skillforge.share import release_notes

    since = f" since {plan.before.tag.name}" if plan.before else ""
    if plan.before and not plan.changes:
        words = f"no skill has changed{since}"
    else:
        words = f"{release_notes.summary(plan.changes)}{since}\n"
        words += f"next: skillforge release {plan.suggested}"
    return CommandResult(plan.data, words)


def _make(library: "Library", version: "SemVer", plan: _ReleasePlan) -> "Release":
    from skillforge.forge.github_address import find
    from skillforge.gitrepo import remote
    from skillforge.share import releases

    repo = library.repository()
    place = find(remote.origin(repo)[1])
    message = releases.message(repo, version, plan.notes, str(place or ""))
    return releases.make(repo, version, plan.tip, message)


def _released(done: "Release", plan: _ReleasePlan, *, created: bool) -> CommandResult:
    from skillforge.share import release_notes

    name, commit = done.tag.name, done.tag.commit
    data = plan.data | {
        "tag": name,
        "version": str(done.version),
        "commit": commit,
        "created": created,
        "repository": done.repository,
    }
    if not created:
        return CommandResult(data, f"{name} is released already, at {commit[:12]}")
    words = f"{name} is commit {commit[:12]}, {release_notes.summary(plan.changes)}\n"
    push = f"git push origin {name}; or " if done.repository else ""
    return CommandResult(data, f"{words}next: {push}skillforge publish --to WHERE")


class _Objection(NamedTuple):
    """A check that is red, and what it says."""

    check: str
    problems: list[str]


def _objections(
    settings: GlobalOptions, desk: "Workspace", tip: str
) -> list[_Objection]:
    """What stands against a release, from every check of the loop."""
    found = [check(settings, desk, tip) for check in _CHECKS]
    return [objection for objection in found if objection.problems]


def _of_audit(_settings: GlobalOptions, desk: "Workspace", _tip: str) -> _Objection:
    from skillforge.propose import audit
    from skillforge.render.text.history import audit_exception

    forge = desk.forge if desk.forge.is_here else None
    done = audit.audit(desk.library, forge)
    return _Objection("audit", [*map(audit_exception, done.exceptions)])


def _of_rules(settings: GlobalOptions, _desk: "Workspace", tip: str) -> _Objection:
    from skillforge.checks.skill_selection import Selection, validate
    from skillforge.model import Severity
    from skillforge.report import finding_text

    report = validate(settings.start, Selection((), None, tip), None)
    wrong = [it for it in report.findings if it.severity is Severity.ERROR]
    return _Objection("validate", [*map(finding_text, wrong)])


def _of_scan(_settings: GlobalOptions, desk: "Workspace", tip: str) -> _Objection:
    from skillforge.report import finding_text
    from skillforge.share.release_scan import scan_commit

    skills = list(desk.library.read_at(tip))
    scanned = scan_commit(desk.library, tip, date.today(), skills)
    return _Objection("scan", [*map(finding_text, scanned.blocking)])


def _of_cases(settings: GlobalOptions, _desk: "Workspace", tip: str) -> _Objection:
    from skillforge.checks.cases import case_run, words
    from skillforge.checks.skill_selection import Selection

    selection = Selection((), None, tip)
    progress, options = case_run.Progress(), case_run.TestOptions()
    tested = case_run.run_tests(settings.start, selection, options, progress)
    said = words.text(tested.trials, tested.findings) if not tested.ok else ""
    return _Objection("test", said.splitlines())


def _of_health(_settings: GlobalOptions, desk: "Workspace", tip: str) -> _Objection:
    """What was observed of the skills of main, on this machine and in use."""
    from skillforge.model import SKILLS, RolloutState
    from skillforge.operate import dashboard_data, rollouts
    from skillforge.store import Uses

    repo = desk.library.repository()
    entries = repo.tree(f"{tip}:{SKILLS}").items()
    trees = {name: entry.object for name, entry in entries}
    checked = dashboard_data.health(Uses.of(repo.common_dir).checked(), trees, {})
    found = [
        f"{row['skill']} failed its cases on {row['at']}: skillforge health "
        f"{row['skill']} tries again"
        for row in checked
        if row["status"] == "failed"
    ]
    known = rollouts.every(repo)
    found += [it.message for name, it in known.doubts.items() if name in trees]
    for name, rollout in sorted(known.sound.items()):
        is_closed = rollout.state is RolloutState.CLOSED
        if is_closed and rollouts.is_current(rollout, trees.get(name, "")):
            found.append(f"the canary of {name} was closed: {rollout.why}")
    return _Objection("health", found)


# Each asks for itself.
_CHECKS: tuple[Callable[[GlobalOptions, "Workspace", str], _Objection], ...] = (
    _of_audit,
    _of_rules,
    _of_scan,
    _of_cases,
    _of_health,
)


def _refusal(
    version: "SemVer", plan: _ReleasePlan, objections: list[_Objection]
) -> CommandResult:
    lines = [line for it in objections for line in (f"{it.check}:", *it.problems)]
    names = ", ".join(objection.check for objection in objections)
    data = plan.data | {"objections": [objection._asdict() for objection in objections]}
    verb = "is" if len(objections) == 1 else "are"
    words = "\n".join([*lines, f"{version.tag} is not released: {names} {verb} red"])
    return CommandResult(data, words, ok=False)
