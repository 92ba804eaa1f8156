"""Exchange rollouts with other clones; of two decisions, the more cautious one wins."""

from dataclasses import replace
from typing import NamedTuple

from skillforge.errors import ConfigError, ConflictError, RequestError
from skillforge.gitrepo import GitRepo, remote
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange
from skillforge.gitrepo.remote import Remote
from skillforge.library import Library
from skillforge.model import Rollout, RolloutState
from skillforge.operate import rollouts
from skillforge.operate.rollouts import PREFIX

_THEIRS = "refs/skillforge/fetched/rollouts/"
# Of two concurrent decisions, the later one here keeps the canary from more keys.
_BY_CAUTION = (
    RolloutState.RUNNING,
    RolloutState.FINISHED,
    RolloutState.PAUSED,
    RolloutState.CLOSED,
)


class RolloutExchange(NamedTuple):
    """Skills whose rollouts changed here, and why others were not taken."""

    changed: list[str]
    refused: dict[str, str]


def exchange(library: Library, other: Remote, by: Signature) -> RolloutExchange:
    """Exchange rollouts with another repository.

    Records there are untrusted: an invalid one is not taken, and doesn't stop the
    others.
    """
    repo = library.repository()
    remote.fetch(repo, other, [f"+{PREFIX}*:{_THEIRS}*"])
    mine, theirs = _tips(repo, PREFIX), _tips(repo, _THEIRS)
    changed, refused = [], {}
    for skill in sorted(mine.keys() | theirs.keys()):
        ref = rollouts.ref_of(skill)
        ours, fetched = mine.get(skill, ""), theirs.get(skill, "")
        try:
            merged = _merged(library, skill, ours, fetched, by)
        except (ConfigError, RequestError) as err:
            refused[skill] = err.message
            continue
        if merged != ours:
            if not repo.move_refs(RefUpdate(ref, merged, ours)):
                continue  # changed here meanwhile; the next exchange sees it
            changed.append(skill)
        if merged != fetched:
            _push(repo, other, RefUpdate(ref, merged, fetched))
    return RolloutExchange(changed, refused)


def _tips(repo: GitRepo, prefix: str) -> dict[str, str]:
    refs = repo.refs(prefix).items()
    return {rollouts.skill_of(ref, prefix): tip for ref, (tip, _) in refs}


def _push(repo: GitRepo, other: Remote, update: RefUpdate) -> None:
    """Push a rollout; after a lost race, the next exchange merges both."""
    try:
        remote.push(repo, other, update)
    except ConflictError:
        return


def _merged(library: Library, skill: str, ours: str, theirs: str, by: Signature) -> str:
    """The commit that both sides continue from."""
    repo = library.repository()
    rollouts.require_name(skill)
    if not theirs or (ours and repo.is_ancestor(theirs, ours)):
        return ours
    tree = library.skill_tree(library.tip, skill)
    fetched = rollouts.load(skill, _data(repo, theirs))
    if rollouts.is_current(fetched, tree) and fetched.stable:
        rollouts.require_on_main(library, skill, fetched.stable)
    if not ours or repo.is_ancestor(ours, theirs):
        return theirs
    chosen = more_cautious(rollouts.load(skill, _data(repo, ours)), fetched, tree)
    puts = [TreeChange("rollout.json", rollouts.dump(chosen))]
    new = NewCommit([theirs, ours], f"merged {skill}\n", by, puts, starts_empty=True)
    with repo.object_writer(theirs) as commits:
        return commits.commit(new)


def _data(repo: GitRepo, tip: str) -> bytes:
    record = repo.find(f"{tip}:rollout.json")
    return record.data if record else b""


def more_cautious(ours: Rollout, theirs: Rollout, tree: str) -> Rollout:
    """Of two rollouts of a skill, the one that counts; both sides choose the same."""
    both = (ours, theirs)
    of_main = [rollout for rollout in both if rollouts.is_current(rollout, tree)]
    if len(of_main) == 1:
        return of_main[0]
    if ours.id != theirs.id:
        return max(both, key=lambda rollout: (rollout.started, rollout.id))
    first, second = sorted(both, key=lambda rollout: _BY_CAUTION.index(rollout.state))
    lowest = min(ours.share, theirs.share)
    return replace(second, share=lowest, rollback=second.rollback or first.rollback)
