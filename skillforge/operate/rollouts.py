"""Rollouts in plain git: one ref a skill, one commit for each thing that happens.

`refs/skillforge/rollouts/<skill>` is a history of its own that anybody can read, push
and fetch. Refs move by compare-and-swap, so two who decide at once cannot both win.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from skillforge.checks import path_policy
from skillforge.errors import ConfigError, ConflictError, RequestError
from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.lineage import ever_held
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange
from skillforge.gitrepo.refs import read as read_refs
from skillforge.gitrepo.refs import removal
from skillforge.library import Library
from skillforge.model import SKILLS, Rollout, RolloutState
from skillforge.operate import fast_record

PREFIX = fast_record.ROLLOUTS
_FILE = "rollout.json"
_FORMAT = "skillforge/rollout/1"
_TREE = re.compile(r"([0-9a-f]{40}([0-9a-f]{24})?)?")
_TRIES = 20
_LATEST = 100_000_000_000  # second that a calendar has a year for


def find(repo: GitRepo, skill: str) -> Rollout | None:
    """The last rollout of a skill, whether it is over or not."""
    ref = f"{PREFIX}{skill}"
    found = repo.find(f"{ref}:{_FILE}")
    if found is None and (repo.common_dir / ref).is_file():
        raise _damage(repo, ref, "git can't read it")
    return load(skill, found.data) if found else None


class Every(NamedTuple):
    """The last rollout of each skill that ever had one; and what is wrong with others.

    Whoever may push writes these records: one that says nonsense is no reason to stop
    at all the others.
    """

    sound: dict[str, Rollout]
    doubts: dict[str, ConfigError]


def every(repo: GitRepo) -> Every:
    """Read all records that there are."""
    refs, broken = read_refs(repo, PREFIX)
    names = [ref.removeprefix(PREFIX) for ref in refs]
    found = repo.find_all([f"{PREFIX}{name}:{_FILE}" for name in names])
    damaged = {ref: _damage(repo, ref, why) for ref, why in broken.items()}
    read = Every({}, {r.removeprefix(PREFIX): err for r, err in damaged.items()})
    for name, record in zip(names, found, strict=True):
        try:
            read.sound[name] = load(name, record.data if record else b"")
        except ConfigError as err:
            read.doubts[name] = err
    return read


def _damage(repo: GitRepo, ref: str, why: str) -> ConfigError:
    name = ref.removeprefix(PREFIX)
    return ConfigError(
        f"the record of the rollout of {name} is damaged: {why}",
        hint=f"fetch it again with sync-uses, or remove it: {removal(repo, ref)}",
    )


def unheld(library: Library, versions: Mapping[str, str]) -> dict[str, ConfigError]:
    """The skills that main never had in these versions, though a rollout says so.

    What main held was judged. A record can be pushed by anybody, with any tree in it:
    nobody is handed one that did not come through main.
    """
    held = ever_held(library.repository(), library.tip, versions)
    is_whole = not library.repository().shallow_commits()
    return {
        name: ConfigError(
            f"the rollout of {name} names a version that {library.main} never had: "
            f"{tree[:12]}",
            hint=_without(name)
            if is_whole
            else "git fetch --unshallow; then try again",
        )
        for name, tree in versions.items()
        if name not in held
    }


def _without(skill: str) -> str:
    return (
        f"git log -p {PREFIX}{skill} shows its history; without it, everybody "
        f"gets what was promoted: git update-ref -d {PREFIX}{skill}"
    )


def is_current(rollout: Rollout | None, tree: str) -> bool:
    """Whether a rollout is about what main holds; else main has moved on."""
    return rollout is not None and bool(tree) and rollout.canary == tree


def current(library: Library, skill: str) -> Rollout | None:
    """The rollout of what main holds of a skill, if there is one."""
    repo = library.repository()
    rollout = find(repo, skill)
    tree = repo.name_of(f"{library.tip}:{SKILLS}/{skill}")
    return rollout if is_current(rollout, tree) else None


def begun(library: Library, wanted: Rollout, by: Signature) -> Rollout:
    """Start a rollout, in the place of whatever there was; safe to repeat.

    What a rollout that is not decided yet had for its stable version stays stable: an
    edit on top of an edit does not make the first one proven.
    """

    def start(before: Rollout | None, tip: str) -> Rollout:
        if before is not None and before.merge == wanted.merge and wanted.merge:
            return before
        said = f"{wanted.skill} {wanted.merge or wanted.canary} {tip}"
        number = hashlib.sha256(said.encode()).hexdigest()[:16]
        return replace(wanted, id=number, stable=_proven(before, wanted))

    return _write(
        library.repository(), wanted.skill, start, "started", by, wanted.canary
    )


def _proven(before: Rollout | None, wanted: Rollout) -> str:
    """The version that stays stable while another is tried."""
    is_undecided = (
        before is not None
        and before.state is not RolloutState.FINISHED
        and before.canary == wanted.stable
    )
    return before.stable if before and is_undecided else wanted.stable


def change(
    library: Library,
    skill: str,
    by: Signature,
    event: str,
    how: Callable[[Rollout], Rollout],
) -> Rollout:
    """Change the rollout of what main holds, and write down what happened."""
    repo = library.repository()
    tree = repo.name_of(f"{library.tip}:{SKILLS}/{skill}")

    def changed(before: Rollout | None, _tip: str) -> Rollout:
        if before is None or not is_current(before, tree):
            raise ConflictError(
                f"{skill} has no rollout",
                hint=f"skillforge canary set {skill} --share 10 starts one",
            )
        return how(before)

    return _write(repo, skill, changed, event, by, tree)


def _write(  # noqa: PLR0913, PLR0917 - the parts of a record
    repo: GitRepo,
    skill: str,
    how: Callable[[Rollout | None, str], Rollout],
    event: str,
    by: Signature,
    like: str,
) -> Rollout:
    """Put a record on top of the last one; whoever was faster is seen first."""
    refuse_name(skill)
    ref = f"{PREFIX}{skill}"
    for _ in range(_TRIES):
        tip = repo.ref(ref)
        before = find(repo, skill) if tip else None
        after = how(before, tip)
        if after == before:
            return after
        message = f"{event} {skill}\n" + (f"\n{after.why}\n" if after.why else "")
        puts = [TreeChange(_FILE, dump(after))]
        parents = [tip] if tip else []
        with repo.making(like) as commits:
            commit = commits.commit(
                NewCommit(parents, message, by, puts, starts_empty=True)
            )
        if repo.move_refs(RefUpdate(ref, commit, tip)):
            return after
    raise ConflictError(
        f"others keep changing the rollout of {skill}", hint="try it again"
    )


def refuse_name(skill: str) -> None:
    """Stop at what cannot be a skill's name, before it is part of a ref."""
    if not path_policy.is_name(skill):
        raise RequestError(
            f"{skill!r} cannot be a skill's name", hint="skillforge list shows skills"
        )


def dump(rollout: Rollout) -> bytes:
    said = {"format": _FORMAT, **asdict(rollout)}
    return json.dumps(said, indent=2, sort_keys=True).encode() + b"\n"


def load(skill: str, data: bytes) -> Rollout:
    """The rollout that a record describes; it may come from anywhere."""
    try:
        said = json.loads(data)
        if said.pop("format") != _FORMAT:
            raise ValueError("made by another version of skillforge")
        return _checked(skill, said)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as err:
        raise ConfigError(
            f"the rollout of {skill} cannot be read: {err}",
            hint=_without(skill),
        ) from err


def _checked(skill: str, said: dict[str, Any]) -> Rollout:
    said["state"] = RolloutState(said["state"])
    rollout = Rollout(**said)
    trees = (rollout.stable, rollout.canary, rollout.merge)
    if not all(isinstance(tree, str) and _TREE.fullmatch(tree) for tree in trees):
        raise ValueError("it names no versions")
    if rollout.skill != skill or not rollout.id.isascii():
        raise ValueError("it is about another skill")
    if type(rollout.share) not in (int, float) or not 0 < rollout.share < 100:
        raise ValueError("its share is not between 0 and 100")
    if type(rollout.started) is not int or not 0 <= rollout.started < _LATEST:
        raise ValueError("it does not tell when it started")
    numbers = (rollout.proposal, rollout.rollback)
    is_said = isinstance(rollout.why, str)
    if not is_said or not all(isinstance(it, int | None) for it in numbers):
        raise ValueError("it does not tell why, or by which proposal")
    return rollout
