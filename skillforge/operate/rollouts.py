"""Rollout records in git: one ref per skill, one commit per event.

`refs/skillforge/rollouts/<skill>` is a separate history that can be pushed and fetched.
Refs move by compare-and-swap, so of two concurrent decisions one wins.
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
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange
from skillforge.gitrepo.refs import read as read_refs
from skillforge.gitrepo.refs import removal
from skillforge.history.lineage import ever_held
from skillforge.library import Library
from skillforge.model import Rollout, RolloutState
from skillforge.model.layout import ref_name, skill_of_ref
from skillforge.operate import fast_record

PREFIX = fast_record.ROLLOUTS
_FILE = "rollout.json"
_FORMAT = "skillforge/rollout/1"
_TREE = re.compile(r"([0-9a-f]{40}([0-9a-f]{24})?)?")
_ATTEMPTS = 20
_MAX_SECONDS = 100_000_000_000  # the calendar module has no year beyond it


def find(repo: GitRepo, skill: str) -> Rollout | None:
    """The last rollout of a skill, in any state."""
    ref = ref_of(skill)
    record = repo.find(f"{ref}:{_FILE}")
    if record is None and (repo.common_dir / ref).is_file():
        raise _damage(repo, ref, "git can't read it")
    return load(skill, record.data) if record else None


class RolloutRecords(NamedTuple):
    """The last rollout of each skill that ever had one, and the damaged records.

    Anyone who may push writes these records: a damaged one must not stop the others.
    """

    valid: dict[str, Rollout]
    damaged: dict[str, ConfigError]


def read_all(repo: GitRepo) -> RolloutRecords:
    refs, broken = read_refs(repo, PREFIX)
    names = list(map(skill_of, refs))
    records_read = repo.find_all([f"{ref}:{_FILE}" for ref in refs])
    damaged = {skill_of(ref): _damage(repo, ref, why) for ref, why in broken.items()}
    records = RolloutRecords({}, damaged)
    for name, record in zip(names, records_read, strict=True):
        try:
            records.valid[name] = load(name, record.data if record else b"")
        except ConfigError as err:
            records.damaged[name] = err
    return records


def ref_of(skill: str) -> str:
    """The ref of a skill's rollout."""
    return f"{PREFIX}{ref_name(skill)}"


def skill_of(ref: str, prefix: str = PREFIX) -> str:
    """The skill that a rollout's ref is of."""
    return skill_of_ref(ref.removeprefix(prefix))


def _damage(repo: GitRepo, ref: str, why: str) -> ConfigError:
    name = skill_of(ref)
    return ConfigError(
        f"the rollout record of {name} is damaged: {why}",
        hint=f"fetch it again with sync-uses, or remove it: {removal(repo, ref)}",
    )


def never_on_main(
    library: Library, versions: Mapping[str, str]
) -> dict[str, ConfigError]:
    """An error for each skill that main never had in the version a rollout names.

    Main's versions were reviewed. A record may be pushed by anyone and name any tree;
    a key only ever gets one that came through main.
    """
    held = ever_held(library, library.tip, versions)
    is_whole = not library.repository().shallow_commits()
    return {
        name: ConfigError(
            f"the rollout of {name} names a version that {library.main} never had: "
            f"{tree[:12]}",
            hint=_removal_hint(name)
            if is_whole
            else "git fetch --unshallow, then try again",
        )
        for name, tree in versions.items()
        if name not in held
    }


def require_on_main(library: Library, skill: str, version: str) -> None:
    """Raise an error if main never had a skill in this version."""
    for error in never_on_main(library, {skill: version}).values():
        raise error


def _removal_hint(skill: str) -> str:
    return (
        f"git log -p {ref_of(skill)} shows its history; to end the rollout, so that "
        f"every key gets main's version: git update-ref -d {ref_of(skill)}"
    )


def is_current(rollout: Rollout | None, tree: str) -> bool:
    """Whether a rollout is about the version on main, which is `tree`."""
    return rollout is not None and bool(tree) and rollout.canary == tree


def current(library: Library, skill: str) -> Rollout | None:
    """The rollout of main's version of a skill, if there is one."""
    repo = library.repository()
    rollout = find(repo, skill)
    tree = library.skill_tree(library.tip, skill)
    return rollout if is_current(rollout, tree) else None


def start(library: Library, rollout: Rollout, by: Signature) -> Rollout:
    """Start a rollout in place of an earlier one; safe to repeat.

    If the earlier one is undecided, its stable version stays the stable one: an edit
    on top of an edit doesn't make the first edit proven.
    """

    def started(before: Rollout | None, tip: str) -> Rollout:
        if before is not None and before.merge == rollout.merge and rollout.merge:
            return before
        source = f"{rollout.skill} {rollout.merge or rollout.canary} {tip}"
        identifier = hashlib.sha256(source.encode()).hexdigest()[:16]
        return replace(rollout, id=identifier, stable=_proven(before, rollout))

    return _write(
        library.repository(), rollout.skill, started, "started", by, rollout.canary
    )


def _proven(before: Rollout | None, rollout: Rollout) -> str:
    """The last version that no undecided rollout is about."""
    is_undecided = (
        before is not None
        and before.state is not RolloutState.FINISHED
        and before.canary == rollout.stable
    )
    return before.stable if before and is_undecided else rollout.stable


def change(
    library: Library,
    skill: str,
    by: Signature,
    event: str,
    edit: Callable[[Rollout], Rollout],
) -> Rollout:
    """Change the rollout of main's version, and record the event."""
    repo = library.repository()
    tree = library.skill_tree(library.tip, skill)

    def changed(before: Rollout | None, _tip: str) -> Rollout:
        if before is None or not is_current(before, tree):
            raise ConflictError(
                f"{skill} has no rollout",
                hint=f"to start one: skillforge canary set {skill} --share 10",
            )
        return edit(before)

    return _write(repo, skill, changed, event, by, tree)


def _write(  # noqa: PLR0913, PLR0917 - the parts of a record
    repo: GitRepo,
    skill: str,
    edit: Callable[[Rollout | None, str], Rollout],
    event: str,
    by: Signature,
    like: str,
) -> Rollout:
    """Commit a record on top of the last one; after a lost race, read it again."""
    require_name(skill)
    ref = ref_of(skill)
    for _ in range(_ATTEMPTS):
        tip = repo.ref(ref)
        before = find(repo, skill) if tip else None
        after = edit(before, tip)
        if after == before:
            return after
        message = f"{event} {skill}\n" + (f"\n{after.why}\n" if after.why else "")
        puts = [TreeChange(_FILE, dump(after))]
        parents = [tip] if tip else []
        with repo.object_writer(like) as commits:
            commit = commits.commit(
                NewCommit(parents, message, by, puts, starts_empty=True)
            )
        if repo.move_refs(RefUpdate(ref, commit, tip)):
            return after
    raise ConflictError(f"the rollout of {skill} keeps changing", hint="try again")


def require_name(skill: str) -> None:
    """Raise an error for an invalid name, before it becomes part of a ref."""
    if not path_policy.is_skill_name(skill):
        raise RequestError(
            f"invalid skill name {skill!r}", hint="skillforge list shows all skills"
        )


def dump(rollout: Rollout) -> bytes:
    record = {"format": _FORMAT, **asdict(rollout)}
    return json.dumps(record, indent=2, sort_keys=True).encode() + b"\n"


def load(skill: str, data: bytes) -> Rollout:
    """Parse a record, which is untrusted input."""
    try:
        fields = json.loads(data)
        if fields.pop("format") != _FORMAT:
            raise ValueError("unknown format: written by another skillforge version")
        return _validated(skill, fields)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as err:
        raise ConfigError(
            f"the rollout of {skill} cannot be read: {err}",
            hint=_removal_hint(skill),
        ) from err


def _validated(skill: str, fields: dict[str, Any]) -> Rollout:
    fields["state"] = RolloutState(fields["state"])
    rollout = Rollout(**fields)
    trees = (rollout.stable, rollout.canary, rollout.merge)
    if not all(isinstance(tree, str) and _TREE.fullmatch(tree) for tree in trees):
        raise ValueError("a version is not a git tree")
    if rollout.skill != skill or not rollout.id.isascii():
        raise ValueError("it belongs to another skill")
    if type(rollout.share) not in (int, float) or not 0 < rollout.share < 100:
        raise ValueError("the share is not between 0 and 100")
    if type(rollout.started) is not int or not 0 <= rollout.started < _MAX_SECONDS:
        raise ValueError("the start is not a valid time")
    proposals = (rollout.proposal, rollout.rollback)
    if not all(isinstance(number, int | None) for number in proposals):
        raise ValueError("a proposal is not a number")
    if not isinstance(rollout.why, str):
        raise ValueError("the reason is not text")
    return rollout
