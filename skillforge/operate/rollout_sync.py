"""Rollouts of many machines: all come to the same, and the careful one prevails."""

from dataclasses import replace
from typing import NamedTuple

from skillforge.errors import ConfigError, ConflictError, RequestError
from skillforge.gitrepo import GitRepo, remote
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange
from skillforge.gitrepo.remote import Remote
from skillforge.library import Library
from skillforge.model import SKILLS, Rollout, RolloutState
from skillforge.operate import rollouts
from skillforge.operate.rollouts import PREFIX

_THEIRS = "refs/skillforge/fetched/rollouts/"
# Where two decided at once, the one that keeps a doubtful version from more keys.
_CARE = (
    RolloutState.RUNNING,
    RolloutState.FINISHED,
    RolloutState.PAUSED,
    RolloutState.CLOSED,
)


class Exchanged(NamedTuple):
    """The skills whose rollouts changed here, and those that were not taken: why."""

    changed: list[str]
    refused: dict[str, str]


def agree(library: Library, other: Remote, by: Signature) -> Exchanged:
    """Exchange rollouts with another repository.

    Whoever may push there may write nonsense: it is left where it is, and stops nobody
    from hearing of the others.
    """
    repo = library.repository()
    remote.fetch(repo, other, [f"+{PREFIX}*:{_THEIRS}*"])
    mine, theirs = _tips(repo, PREFIX), _tips(repo, _THEIRS)
    changed, refused = [], {}
    for skill in sorted(mine.keys() | theirs.keys()):
        ours, fetched = mine.get(skill, ""), theirs.get(skill, "")
        try:
            agreed = _agreed(library, skill, ours, fetched, by)
        except (ConfigError, RequestError) as err:
            refused[skill] = err.message
            continue
        if agreed != ours:
            if not repo.move_refs(RefUpdate(f"{PREFIX}{skill}", agreed, ours)):
                continue  # changed here meanwhile; the next exchange sees it
            changed.append(skill)
        if agreed != fetched:
            _push(repo, other, RefUpdate(f"{PREFIX}{skill}", agreed, fetched))
    return Exchanged(changed, refused)


def _tips(repo: GitRepo, prefix: str) -> dict[str, str]:
    return {r.removeprefix(prefix): tip for r, (tip, _) in repo.refs(prefix).items()}


def _push(repo: GitRepo, other: Remote, update: RefUpdate) -> None:
    """Push a rollout; where others were faster, the next exchange comes to terms."""
    try:
        remote.push(repo, other, update)
    except ConflictError:
        return


def _agreed(library: Library, skill: str, ours: str, theirs: str, by: Signature) -> str:
    """The record that both sides go on from."""
    repo = library.repository()
    rollouts.refuse_name(skill)
    if not theirs or (ours and repo.is_ancestor(theirs, ours)):
        return ours
    tree = repo.name_of(f"{library.tip}:{SKILLS}/{skill}")
    told = rollouts.load(skill, _data(repo, theirs))  # nothing that cannot be read
    if rollouts.is_current(told, tree) and told.stable:
        for doubt in rollouts.unheld(library, {skill: told.stable}).values():
            raise doubt
    if not ours or repo.is_ancestor(ours, theirs):
        return theirs
    chosen = careful(rollouts.load(skill, _data(repo, ours)), told, tree)
    puts = [TreeChange("rollout.json", rollouts.dump(chosen))]
    new = NewCommit([theirs, ours], f"agreed {skill}\n", by, puts, starts_empty=True)
    with repo.making(theirs) as commits:
        return commits.commit(new)


def _data(repo: GitRepo, tip: str) -> bytes:
    found = repo.find(f"{tip}:rollout.json")
    return found.data if found else b""


def careful(one: Rollout, other: Rollout, tree: str) -> Rollout:
    """Of two that contradict each other, the one to go by; the same for both sides."""
    of_main = [it for it in (one, other) if rollouts.is_current(it, tree)]
    if len(of_main) == 1:
        return of_main[0]
    if one.id != other.id:
        return max(one, other, key=lambda it: (it.started, it.id))
    first, second = sorted((one, other), key=lambda it: _CARE.index(it.state))
    lowest = min(one.share, other.share)
    return replace(second, share=lowest, rollback=second.rollback or first.rollback)
