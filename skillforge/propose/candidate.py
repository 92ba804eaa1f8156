"""What the gate checks: a head on a base, and what such a change may touch."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from skillforge.checks import path_policy
from skillforge.checks.scan.waivers import read_waivers
from skillforge.gitrepo import GitRepo, diff, trailers
from skillforge.gitrepo.trees import MalformedTreeError
from skillforge.history import steps
from skillforge.library import Library
from skillforge.model import (
    ARCHIVE,
    EVIDENCE,
    SKILL_FILE,
    WAIVERS_FILE,
    Action,
    Finding,
    Layout,
    Proposal,
    Severity,
    is_of_agent,
)
from skillforge.model.layout import inside

_FILES = ("100644", "100755")
_LINKS = ("120000", "160000")  # symlinks and submodules
_ONE_SKILL = "propose it separately: a draft changes one skill and its evidence"
_REWRITTEN = "skillforge refresh recreates it; or close it, and propose again"
_CURATE = "skillforge curate moves skills to the archive, and restores them"
_path_error = partial(Finding, "path", Severity.ERROR, line=1, hint=_ONE_SKILL)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change from `start` to `head`, checked by the policy of `base`.

    A proposal starts at its base; a branch in CI where it left the base. `message` is
    the expected message of a proposal's own commit, empty if it is unknown.
    """

    start: str
    base: str
    head: str
    skills: tuple[str, ...]
    action: str
    origin: str
    message: str = ""

    @property
    def is_rollback(self) -> bool:
        return self.action == Action.ROLLBACK

    @property
    def is_archiving(self) -> bool:
        return self.action == Action.ARCHIVE

    @property
    def is_waiver(self) -> bool:
        return self.action == Action.WAIVE

    @property
    def moves(self) -> bool:
        """Whether it may move a skill to the archive, or restore it."""
        return self.is_archiving or self.is_rollback

    @classmethod
    def of(cls, proposal: Proposal) -> "Candidate":
        """A proposal is about the skills it was opened for, whatever its branch has."""
        return cls(
            proposal.base,
            proposal.base,
            proposal.head,
            proposal.skills,
            proposal.action,
            proposal.origin,
            proposal.message,
        )

    @classmethod
    def between(cls, library: Library, base: str, head: str) -> "Candidate":
        """What a branch has changed since it left its base, for CI.

        Its commits name their skills; a branch without such a commit may change one.
        """
        repo = library.repository()
        start = repo.merge_base(base, head)
        touched = sorted(_touched(library, start, head))
        commits = repo.log("--reverse", f"{start}..{head}")
        messages = (trailers.read(commit.message) for commit in commits)
        drafted = next((lines for lines in messages if "Skill" in lines), {})
        skills = tuple(drafted.get("Skill", ())) or tuple(touched[:1])
        action, origin = (trailers.first(drafted, key) for key in ("Action", "Origin"))
        base, head = repo.resolve(base), repo.resolve(head)
        return cls(start, base, head, skills, action, origin)


def _touched(library: Library, start: str, head: str) -> set[str]:
    """The skills that a branch changes, or whose evidence or archive it changes."""
    layout, repo = library.layout, library.repository()
    in_use = _in_use(library, start, head)
    touched: set[str] = set()
    for path, mode, _ in diff.changed_files(repo, start, head):
        names = layout.names_around(path)
        if not layout.is_single:
            names = [name for name in names if name in in_use]
        if names:
            touched.add(names[-1])  # that of the innermost skill
        elif steps.is_ours(layout, path, is_link=mode in _LINKS):
            touched.add(_beside(layout, path))
    return touched


def _in_use(library: Library, start: str, head: str) -> set[str]:
    return {*library.skill_trees(start), *library.skill_trees(head)}


def _beside(layout: Layout, path: str) -> str:
    """The skill that a path outside of skills is about, or at least a name for it."""
    top, _, rest = path.partition("/")
    if top == EVIDENCE:
        return layout.evidence_name(rest) or path
    return layout.leading_name(rest) or path


def path_findings(library: Library, candidate: Candidate) -> Iterator[Finding]:
    """A draft stays in its skill, has ordinary files only, and is what was proposed."""
    repo = library.repository()
    try:
        repo.verify(candidate.head, candidate.start)
    except MalformedTreeError as err:
        yield Finding("tree", Severity.ERROR, err.message, err.path or ".", 1, err.hint)
        return  # other readers could see different files
    own = _own(library, candidate)
    if not own:
        return  # a branch that touches no skill
    yield from _commit_findings(library, candidate)
    archived = [
        f"{ARCHIVE}/{name}"
        for name in own
        if candidate.is_archiving or library.archived_tree(candidate.start, name)
    ]
    inner = _inner(library, candidate, own)
    places = _Owned(library.layout, own, inner)
    for path, mode, is_new in diff.changed_files(repo, candidate.start, candidate.head):
        # A skill moves as a whole: _archive_findings checks that.
        is_moved = candidate.moves and inside(path, archived)
        if not is_moved and (why := _refusal(candidate, places, path, mode, is_new)):
            yield _path_error(message=why, path=path)
    yield from _archive_findings(library, candidate, own)
    for name in own:
        folder = library.path_of(name)
        files = repo.files_in(f"{candidate.head}:{folder}")
        ours = [path for path in files if not inside(f"{folder}/{path}", inner)]
        if ours and SKILL_FILE not in files and not library.layout.is_single:
            # Where folders may be categories, the checks would see no skill.
            yield _path_error(
                message=f"it is no skill without a {SKILL_FILE}, and has files",
                path=folder,
                hint="add the file, or remove the whole folder",
            )
        if path := path_policy.clash(files):
            yield _path_error(
                message="it collides with another path of the skill",
                path=f"{folder}/{path}",
                hint="rename one of them",
            )
    yield from _twin_findings(library, candidate, own)


def _twin_findings(
    library: Library, candidate: Candidate, own: tuple[str, ...]
) -> Iterator[Finding]:
    """A new skill's folder differs from other skills' also where case is ignored."""
    repo, path_of = library.repository(), library.path_of
    before = repo.names_of([f"{candidate.start}:{path_of(name)}" for name in own])
    pairs = zip(own, before, strict=True)
    for folder in (path_of(name) for name, tree in pairs if not tree):
        for other in _siblings(repo, candidate.head, folder):
            yield _path_error(
                message=f"its folder is that of {other} where case is ignored",
                path=folder,
                hint="choose another name",
            )


def _siblings(repo: GitRepo, commit: str, folder: str) -> Iterator[str]:
    """Other entries that a folder, or one that it is in, is equal to but for case."""
    parts = folder.split("/")
    for at, part in enumerate(parts):
        for other in repo.tree(f"{commit}:{'/'.join(parts[:at])}"):
            if other != part and path_policy.folded(other) == path_policy.folded(part):
                yield other


def _own(library: Library, candidate: Candidate) -> tuple[str, ...]:
    """The skills that a draft may touch: its own, and those it absorbs or restores."""
    if candidate.is_rollback:
        return candidate.skills
    removed = [
        name
        for name in candidate.skills[1:]
        if candidate.action == Action.CONSOLIDATE
        and not library.skill_tree(candidate.head, name)
    ]
    return (*candidate.skills[:1], *removed)


def _inner(
    library: Library, candidate: Candidate, own: tuple[str, ...]
) -> tuple[str, ...]:
    """The folders of other skills inside a draft's own, which it may not change."""
    if candidate.moves or library.layout.is_single:
        return ()
    others = _in_use(library, candidate.start, candidate.head) - {*own}
    own_folders = [library.path_of(name) for name in own]
    folders = map(library.path_of, sorted(others))
    return tuple(path for path in folders if inside(path, own_folders))


class _Owned(NamedTuple):
    """The skills that a draft may change, and the folders of skills inside them."""

    layout: Layout
    names: tuple[str, ...]
    inner: tuple[str, ...]

    def inside(self, path: str) -> str:
        if inside(path, self.inner):
            return ""
        return inside(path, map(self.layout.path_of, self.names))

    def evidence(self, path: str) -> str:
        """A path's name beside other examples; those of `a/b` are not the skill a's."""
        name = inside(path, (f"{EVIDENCE}/{name}" for name in self.names))
        return name if "/" not in name else ""


def _refusal(
    candidate: Candidate, own: _Owned, path: str, mode: str, is_new: bool
) -> str:
    """Why a changed file is not allowed; empty if it is."""
    if candidate.is_waiver:
        is_file = path == WAIVERS_FILE and mode == _FILES[0]
        return "" if is_file else f"a waiver can't change it, only {WAIVERS_FILE}"
    rest, evidence = own.inside(path), own.evidence(path)
    if not rest and (not evidence or candidate.is_archiving):
        return f"a draft of {' and '.join(own.names)} can't change it"
    if evidence and not is_new:
        return "evidence is added, never changed"
    if not mode or (rest and candidate.is_rollback):
        return ""  # a removed file may have any name; a restored one must be exact
    if mode not in _FILES:
        return "it is a symlink or a submodule, not an ordinary file"
    return path_policy.refusal(rest or evidence)


class _Places(NamedTuple):
    """The trees of a skill in use and in the archive; empty for none."""

    skill: str
    archive: str


def _archive_findings(
    library: Library, candidate: Candidate, own: tuple[str, ...]
) -> Iterator[Finding]:
    repo = library.repository()
    for name in own:
        path = f"{ARCHIVE}/{name}"
        before, after = (
            _Places(
                repo.name_of(f"{at}:{library.path_of(name)}"),
                repo.name_of(f"{at}:{path}")
                if candidate.is_archiving
                else library.archived_tree(at, name),
            )
            for at in (candidate.start, candidate.head)
        )
        if why := _misplaced(candidate, before, after):
            yield Finding("archive", Severity.ERROR, why, path, 1, _CURATE)


def _misplaced(candidate: Candidate, before: _Places, after: _Places) -> str:
    """Why a change of the archive is not allowed: skills move unchanged, as a whole."""
    if candidate.is_archiving and before.archive:
        return "the archive already contains a skill of this name"
    if candidate.is_archiving:
        is_moved = before.skill and after == _Places("", before.skill)
        return "" if is_moved else "the archived skill differs from the one on main"
    is_restored = candidate.is_rollback and after.skill and not after.archive
    if after.archive != before.archive and not is_restored:
        return "archived skills are not changed"
    if after.skill and after.archive and not before.skill:
        return "the archive contains a skill of this name, which can be restored"
    return ""


def _commit_findings(library: Library, candidate: Candidate) -> Iterator[Finding]:
    """The branch starts with the tool's own commit, and is linear."""
    for name in candidate.skills:
        if not (path_policy.is_skill_name(name) and library.layout.has_name(name)):
            yield _path_error(message=f"{name!r} is not a valid skill name", path=".")
    if not candidate.message:
        return
    span = f"{candidate.start}..{candidate.head}"
    commits = list(library.repository().log("--reverse", span))
    rewritten = partial(_path_error, path=".", hint=_REWRITTEN)
    if not commits or commits[0].message.strip() != candidate.message.strip():
        why = "the branch does not start with the commit that was proposed"
        yield rewritten(message=why)
    if any(len(commit.parents) != 1 for commit in commits):
        yield rewritten(message="the branch contains a merge")


def waiver_findings(library: Library, candidate: Candidate) -> Iterator[Finding]:
    """A proposal to waive adds waivers for its own skill, and comes from a person."""
    wrong = partial(Finding, "waiver", Severity.ERROR, path=WAIVERS_FILE, line=1)
    before, after = (
        read_waivers(library.read_file(WAIVERS_FILE, commit))
        for commit in (candidate.start, candidate.head)
    )
    name = candidate.skills[0]
    folder = f"{library.path_of(name)}/"
    hint = f"skillforge waive RULE {name} --why TEXT writes it"
    if is_of_agent(candidate.origin):
        yield wrong("agents can't waive findings", hint="let a person propose it")
    changed = {*before} ^ {*after}
    if others := [w for w in changed if not w.path.startswith(folder)]:
        yield wrong(f"it changes waivers of other skills: {others[0].path}", hint=hint)
    about = {(waiver.rule, waiver.path) for waiver in after}
    if lost := [w for w in before if (w.rule, w.path) not in about]:
        yield wrong(f"it removes a waiver: {lost[0].rule}", hint=hint)


def exact_findings(library: Library, candidate: Candidate) -> Iterator[Finding]:
    """A rollback restores a version that main had before, byte for byte."""
    repo = library.repository()
    all_steps = steps.read_steps(library, candidate.base)
    why, hint = "this version was never promoted", "propose it as an edit"
    if repo.shallow_commits():
        why, hint = f"{why} in this shallow clone", "git fetch --unshallow"
    for name in candidate.skills:
        tree = library.skill_tree(candidate.head, name)
        if not steps.was_version(all_steps, name, tree):
            path = library.path_of(name)
            yield Finding("exact", Severity.ERROR, why, path, hint=hint)
