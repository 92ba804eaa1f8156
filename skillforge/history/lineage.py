"""The lives of skills by name: their origin, and the skills that replaced them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from skillforge.errors import RequestError
from skillforge.gitrepo import trailers
from skillforge.gitrepo.git_command import AS_IT_IS
from skillforge.library import Library, no_such_skill
from skillforge.model import Action

_RAW = ("--raw", "-t", "--root", "--no-abbrev", "--topo-order", *AS_IT_IS)
_INTO = "Absorbed-Into"
_BATCH = 100  # commits that are searched before checking whether more are needed


class Life(NamedTuple):
    """The origin of a skill in use, and when it last changed.

    `origin` is from the commit that created the skill, empty if that names none. A
    rollback doesn't create a skill; it restores one.
    """

    origin: str = ""
    changed: int = 0  # seconds since 1970
    is_back: bool = False  # it was removed, and restored by a rollback


def successors(library: Library, tip: str) -> dict[str, str]:
    """Names that are no longer in use, and the skill that replaced each.

    Only the `Absorbed-Into` trailer of a commit that removes a skill counts, so nothing
    else can redirect its name. Chains are followed to their end.
    """
    in_use = library.skill_trees(tip)
    into = absorptions(library, tip)
    successor: dict[str, str] = {}
    for name in into.keys() - in_use.keys():
        visited, end = {name}, into[name]
        while end not in in_use and end in into and end not in visited:
            visited.add(end)
            end = into[end]
        if end in in_use:
            successor[name] = end
    return dict(sorted(successor.items()))


def require_skill(library: Library, commit: str, name: str) -> None:
    """Raise an error if a commit has no skill of this name."""
    if name not in library.skill_trees(commit):
        raise unknown_skill(library, commit, name)


def unknown_skill(library: Library, commit: str, name: str) -> RequestError:
    """The error for a skill that a commit doesn't have; its hint says what happened."""
    hint = ""
    if into := successors(library, commit).get(name):
        hint = f"it was absorbed into {into}"
    elif library.archived_tree(commit, name):
        hint = f"it is archived: skillforge curate --restore {name} --propose"
    known = () if hint else library.skill_trees(commit)
    return no_such_skill(name, known, library.main, hint)


def absorptions(library: Library, tip: str) -> dict[str, str]:
    """Skills that were ever absorbed, and which skill absorbed each last."""
    absorbed: dict[str, str] = {}
    log = library.repository().log
    for commit in log(*_RAW, f"--grep=^{_INTO}: ", tip):  # the newest first
        lines = trailers.of_draft(commit.message)
        into = trailers.first(lines, _INTO)
        for name in lines.get("Skill", ()) if into else ():
            change = commit.changes.get(library.path_of(name))
            if change is not None and not change.after and name != into:
                absorbed.setdefault(name, into)
    return absorbed


def ever_held(library: Library, tip: str, versions: Mapping[str, str]) -> set[str]:
    """The skills that had these versions (trees) on a branch's first-parent line.

    A version that only a merged branch had doesn't count. The search starts at the
    newest commit, and ends for each skill at its first match.
    """
    repo, path_of = library.repository(), library.path_of
    held = {name for name, tree in versions.items() if (tip, name, tree) in repo.held}
    line = repo.line(tip) if len(held) < len(versions) else []
    for start in range(0, len(line), _BATCH):
        names, commits = sorted(versions.keys() - held), line[start : start + _BATCH]
        places = [(name, commit) for commit in commits for name in names]
        trees = repo.names_of([f"{commit}:{path_of(name)}" for name, commit in places])
        pairs = zip(places, trees, strict=True)
        held |= {name for (name, _), tree in pairs if tree == versions[name]}
        if len(held) == len(versions):
            break
    repo.held |= {(tip, name, versions[name]) for name in held}
    return held


def lives(library: Library, tip: str, names: Iterable[str]) -> dict[str, Life]:
    """The lives of some skills in use, from one pass over the history."""
    pending = set(names)
    known: dict[str, Life] = {}
    options = (*_RAW, "--full-history", "--diff-merges=first-parent")
    repo, layout = library.repository(), library.layout
    for commit in repo.log(*options, tip, "--", *layout.roots) if pending else ():
        lines = None  # the commit's trailers, read once for all of its skills
        for path, change in commit.changes.items():
            name = layout.name_of(path)
            if name not in pending:
                continue
            life = known.get(name, Life())
            life = life._replace(changed=max(life.changed, commit.seconds))
            # A merge doesn't create a skill; a commit that it merges does.
            if not change.before and len(commit.parents) <= 1:
                if lines is None:
                    lines = trailers.of_draft(commit.message)
                if trailers.first(lines, "Action") == Action.ROLLBACK:
                    life = life._replace(is_back=True)
                else:
                    life = life._replace(origin=trailers.first(lines, "Origin"))
                    pending.remove(name)
            known[name] = life
    return known
