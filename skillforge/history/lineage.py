"""What history tells of skills by their names: who made them, what took their place."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from skillforge.errors import RequestError
from skillforge.gitrepo import GitRepo, trailers
from skillforge.gitrepo.commit_log import Commit
from skillforge.gitrepo.git_command import AS_IT_IS
from skillforge.library import Library, no_such_skill
from skillforge.model import ARCHIVE, SKILLS, Action

_RAW = ("--raw", "-t", "--root", "--no-abbrev", "--topo-order", *AS_IT_IS)
_INTO = "Absorbed-Into"
_AT_ONCE = 100  # commits that are looked at before it is asked whether more need be


class Life(NamedTuple):
    """How a skill that is in use came to be, and when something last happened to it.

    `origin` is what the commit that created it says; empty where it says nothing. A
    rollback creates nothing: it brings back what somebody made before.
    """

    origin: str = ""
    changed: int = 0  # seconds since 1970
    is_back: bool = False  # it was gone, and a rollback brought it back


def successors(repo: GitRepo, tip: str) -> dict[str, str]:
    """Names that are out of use, and the skill in use that took the place of each.

    By the `Absorbed-Into` trailers of commits that took the old skill away themselves:
    nothing else can give a name to another skill. Chains are followed to their end.
    """
    in_use = repo.tree(f"{tip}:{SKILLS}")
    into = absorptions(repo, tip)
    found: dict[str, str] = {}
    for name in into.keys() - in_use.keys():
        seen, end = {name}, into[name]
        while end not in in_use and end in into and end not in seen:
            seen.add(end)
            end = into[end]
        if end in in_use:
            found[name] = end
    return dict(sorted(found.items()))


def require_skill(library: Library, commit: str, name: str) -> None:
    """Raise an error if a commit has no skill of this name."""
    if name not in library.skill_trees(commit):
        raise unknown_skill(library, commit, name)


def unknown_skill(library: Library, commit: str, name: str) -> RequestError:
    """The error for a skill that a commit doesn't have; its hint says what happened."""
    repo, hint = library.repository(), ""
    if into := successors(repo, commit).get(name):
        hint = f"it was absorbed into {into}"
    elif name in repo.tree(f"{commit}:{ARCHIVE}"):
        hint = f"it is archived: skillforge curate --restore {name} --propose"
    known = () if hint else library.skill_trees(commit)
    return no_such_skill(name, known, library.main, hint)


def absorptions(repo: GitRepo, tip: str) -> dict[str, str]:
    """Skills that were absorbed at some time, and by which at last."""
    found: dict[str, str] = {}
    for commit in repo.log(*_RAW, f"--grep=^{_INTO}: ", tip):  # the newest first
        said = trailers.of_draft(commit.message)
        into = trailers.first(said, _INTO)
        for name in said.get("Skill", ()) if into else ():
            change = commit.changes.get(f"{SKILLS}/{name}")
            if change is not None and not change.after and name != into:
                found.setdefault(name, into)
    return found


def ever_held(repo: GitRepo, tip: str, versions: Mapping[str, str]) -> set[str]:
    """The skills of which a branch's own line had these versions (trees) at some time.

    What only a branch that was merged had is not among them. Versions are looked for
    from the newest commit on; one that was found is not looked for again.
    """
    found = {name for name, tree in versions.items() if (tip, name, tree) in repo.held}
    line = repo.line(tip) if len(found) < len(versions) else []
    for start in range(0, len(line), _AT_ONCE):
        left = sorted(versions.keys() - found)
        some = [(name, it) for it in line[start : start + _AT_ONCE] for name in left]
        trees = repo.names_of([f"{commit}:{SKILLS}/{name}" for name, commit in some])
        both = zip(some, trees, strict=True)
        found |= {name for (name, _), tree in both if tree == versions[name]}
        if len(found) == len(versions):
            break
    repo.held |= {(tip, name, versions[name]) for name in found}
    return found


def lives(repo: GitRepo, tip: str, names: Iterable[str]) -> dict[str, Life]:
    """The lives of some skills that are in use, from one pass over all of history."""
    wanted = set(names)
    found: dict[str, Life] = {}
    options = (*_RAW, "--full-history", "--diff-merges=first-parent")
    for commit in repo.log(*options, tip, "--", SKILLS) if wanted else ():
        draft = None  # its trailers, read once for all skills of the commit
        for path, change in commit.changes.items():
            top, _, name = path.partition("/")
            if top != SKILLS or name not in wanted:
                continue
            found[name] = life = _lived(found.get(name, Life()), commit)
            if change.before or len(commit.parents) > 1:
                continue  # what a merge brings is told by the commit that it brings
            if draft is None:
                draft = trailers.of_draft(commit.message)
            if trailers.first(draft, "Action") == Action.ROLLBACK:
                found[name] = life._replace(is_back=True)
            else:
                found[name] = life._replace(origin=trailers.first(draft, "Origin"))
                wanted.remove(name)
    return found


def _lived(life: Life, commit: Commit) -> Life:
    return life._replace(changed=max(life.changed, commit.seconds))
