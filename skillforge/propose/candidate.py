"""What the gate judges: a head on a base, and where such a change has to stay."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from skillforge.checks import path_policy
from skillforge.gitrepo import diff, trailers
from skillforge.gitrepo.trees import MalformedTreeError
from skillforge.history import steps
from skillforge.library import Library
from skillforge.model import (
    ARCHIVE,
    EVIDENCE,
    OURS,
    SKILLS,
    Action,
    Finding,
    Proposal,
    Severity,
)

_FILES = ("100644", "100755")
_ONE_SKILL = "propose it separately: a draft changes one skill and its evidence"
_REWRITTEN = "skillforge refresh writes it anew; or close it, and propose again"


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is to be judged: what changed from `start` to `head`, by the base's policy.

    A proposal starts at its base; a branch in CI where it left the base. `message` is
    what a proposal's own commit has to say, empty where it is not known.
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
    def moves(self) -> bool:
        """Whether it may move a skill to the archive, or bring it back."""
        return self.is_archiving or self.is_rollback

    @classmethod
    def of(cls, proposal: Proposal) -> "Candidate":
        """A proposal is about what it was opened for, whatever its branch holds now."""
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
        """What a branch changed since it left its base, as CI sees it.

        Its commits say which skills they are about; one that says nothing may be about
        one skill.
        """
        repo = library.repository()
        start = repo.merge_base(base, head)
        touched = sorted(
            {
                path.split("/")[1] if "/" in path else path
                for path in diff.changed_paths(repo, start, head, ".")
                if any(steps.is_of(path, top) for top in OURS)
            }
        )
        said: dict[str, list[str]] = {}
        for commit in repo.log("--reverse", f"{start}..{head}"):
            written = trailers.read(commit.message)
            said = said or (written if "Skill" in written else {})
        named = tuple(said.get("Skill", ())) or tuple(touched[:1])
        action, origin = trailers.first(said, "Action"), trailers.first(said, "Origin")
        return cls(start, repo.resolve(base), repo.resolve(head), named, action, origin)


def path_findings(library: Library, candidate: Candidate) -> Iterator[Finding]:
    """A draft stays in its skill, holds ordinary files, and is what was proposed."""
    try:
        library.repository().verify(candidate.head, candidate.start)
    except MalformedTreeError as err:
        yield Finding("tree", Severity.ERROR, err.message, err.path or ".", 1, err.hint)
        return  # whatever else is read of it could be something else to others
    own = _own(library, candidate)
    if not own:
        return  # a branch that touches no skill is not the gate's business
    yield from _commit_findings(library, candidate)
    for path, mode, is_new in diff.changed_files(
        library.repository(), candidate.start, candidate.head
    ):
        # A skill moves as a whole, and is judged so.
        is_moved = candidate.moves and path_policy.inside(path, own, ARCHIVE)
        if not is_moved and (why := _refusal(candidate, own, path, mode, is_new)):
            yield Finding("path", Severity.ERROR, why, path, 1, _ONE_SKILL)
    yield from _archive_findings(library, candidate, own)
    for name in own:
        if path := path_policy.clash(
            library.repository().files_in(f"{candidate.head}:{SKILLS}/{name}")
        ):
            where = f"{SKILLS}/{name}/{path}"
            why = "it collides with another path of the skill"
            yield Finding("path", Severity.ERROR, why, where, 1, "rename one of them")
    yield from _twin_findings(library, candidate, own)


def _twin_findings(
    library: Library, candidate: Candidate, own: tuple[str, ...]
) -> Iterator[Finding]:
    """A new skill's folder is not another skill's where case is ignored."""
    repo = library.repository()
    before = repo.names_of([f"{candidate.start}:{SKILLS}/{name}" for name in own])
    both = zip(own, before, strict=True)
    new = {path_policy.folded(name): name for name, tree in both if not tree}
    for other in repo.tree(f"{candidate.head}:{SKILLS}") if new else ():
        name = new.get(path_policy.folded(other), other)
        if name != other:
            why = f"its folder is that of {other} where case is ignored"
            where = f"{SKILLS}/{name}"
            yield Finding("path", Severity.ERROR, why, where, 1, "choose another name")


def _own(library: Library, candidate: Candidate) -> tuple[str, ...]:
    """The skills that a draft may touch: one, what it absorbs, what it restores."""
    if candidate.is_rollback:
        return candidate.skills
    gone = [
        name
        for name in candidate.skills[1:]
        if candidate.action == Action.CONSOLIDATE
        and not library.skill_tree(candidate.head, name)
    ]
    return (*candidate.skills[:1], *gone)


def _refusal(
    candidate: Candidate, own: tuple[str, ...], path: str, mode: str, is_new: bool
) -> str:
    """Why a changed file is not let through; empty if it is."""
    inside = path_policy.inside(path, own, SKILLS)
    evidence = path_policy.inside(path, own, EVIDENCE)
    if not inside and (not evidence or candidate.is_archiving):
        return f"a draft about {' and '.join(own)} may not touch it"
    if evidence and not is_new:
        return "evidence is a record: it is added to, never changed"
    if not mode or (inside and candidate.is_rollback):
        return ""  # what goes may have any name; what comes back has to be exact
    if mode not in _FILES:
        return "it is a link or a repository, not an ordinary file"
    return path_policy.refusal(inside or evidence)


class _Places(NamedTuple):
    """The trees of a skill where it is used and in the archive; empty for none."""

    skill: str
    archive: str


def _archive_findings(
    library: Library, candidate: Candidate, own: tuple[str, ...]
) -> Iterator[Finding]:
    repo = library.repository()
    hint = "skillforge curate moves skills to the archive, and brings them back"
    for name in own:
        before, after = (
            _Places(*repo.names_of([f"{at}:{top}/{name}" for top in (SKILLS, ARCHIVE)]))
            for at in (candidate.start, candidate.head)
        )
        if why := _misplaced(candidate, before, after):
            path = f"{ARCHIVE}/{name}"
            yield Finding("archive", Severity.ERROR, why, path, 1, hint)


def _misplaced(candidate: Candidate, before: _Places, after: _Places) -> str:
    """A skill goes to the archive to the byte, and leaves it when it is back."""
    if candidate.is_archiving and before.archive:
        return "the archive holds a skill of this name already"
    if candidate.is_archiving:
        is_moved = before.skill and after == _Places("", before.skill)
        return "" if is_moved else "what is archived is not exactly the skill that went"
    is_back = candidate.is_rollback and after.skill and not after.archive
    if after.archive != before.archive and not is_back:
        return "what is in the archive stays as it is"
    if after.skill and after.archive and not before.skill:
        return "the archive holds a skill of this name: that one can come back"
    return ""


def _commit_findings(library: Library, candidate: Candidate) -> Iterator[Finding]:
    """The commits are the tool's own, with what was put on top of them in a row."""
    for name in candidate.skills:
        if not path_policy.is_name(name):
            why = f"{name!r} cannot be a skill's name"
            yield Finding("path", Severity.ERROR, why, SKILLS, 1, _ONE_SKILL)
    if not candidate.message:
        return
    span = f"{candidate.start}..{candidate.head}"
    commits = list(library.repository().log("--reverse", span))
    if not commits or commits[0].message.strip() != candidate.message.strip():
        why = "the branch does not start with the commit that was proposed"
        yield Finding("path", Severity.ERROR, why, SKILLS, 1, _REWRITTEN)
    if any(len(commit.parents) != 1 for commit in commits):
        why = "the branch contains a merge"
        yield Finding("path", Severity.ERROR, why, SKILLS, 1, _REWRITTEN)


def exact_findings(library: Library, candidate: Candidate) -> Iterator[Finding]:
    """A rollback brings back what main held before, to the byte."""
    repo = library.repository()
    all_steps = steps.read_steps(library, candidate.base)
    is_cut = bool(repo.shallow_commits())
    for name in candidate.skills:
        tree = library.skill_tree(candidate.head, name)
        if not steps.was_version(all_steps, name, tree):
            yield Finding(
                "exact",
                Severity.ERROR,
                "this is no version that was ever promoted"
                + (", as far as this shallow clone goes" if is_cut else ""),
                f"{SKILLS}/{name}",
                hint="git fetch --unshallow" if is_cut else "propose it as an edit",
            )
