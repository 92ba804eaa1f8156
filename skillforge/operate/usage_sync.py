"""Share uses between clones without a server: each writes its own log and reads all.

`refs/skillforge/uses/<node>` has one writer. A use has an id and counts once, however
often it arrives; logs may come late and in any order.
"""

import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from skillforge.checks import path_policy
from skillforge.errors import ConflictError, SkillforgeError
from skillforge.gitrepo import GitRepo, remote
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange
from skillforge.gitrepo.remote import Remote
from skillforge.library import Library
from skillforge.model import Arm, OutcomeSource, OutcomeStatus, Use
from skillforge.model.time_units import DAY
from skillforge.report import plural
from skillforge.store import Uses

PREFIX = "refs/skillforge/uses/"
_NODE = re.compile(r"[0-9a-f]{12}")
_PRIVATE = ("note", "node")  # notes stay in the clone that recorded them
_KINDS = {"outcome": OutcomeStatus, "source": OutcomeSource, "arm": Arm}
_TEXTS = ("id", "skill", "version", "voice", "rollout", "pitfall")
_TREE = re.compile(r"([0-9a-f]{40}([0-9a-f]{24})?)?")
_MAX_TEXT = 8_000  # bytes
_MAX_NUMBER = 1e15


@dataclass(frozen=True, slots=True)
class ReceivedUses:
    """New uses from the logs of other clones, and what is wrong with some of them."""

    uses: int = 0
    nodes: int = 0
    unread: int = 0  # lines that can't be parsed
    ahead: int = 0  # uses dated in the future, counted as now


def write_log(library: Library, by: Signature) -> int:
    """Append the new uses of this clone to its log; returns their number.

    If a process is killed after it moved the log, the next one writes the same uses to
    the same file again.
    """
    repo = library.repository()
    uses = Uses.of(repo.common_dir)
    ref = f"{PREFIX}{node(uses)}"
    # Read before the uses, so that a faster process's log is not replaced.
    tip = repo.ref(ref)
    last = int(uses.fact("exported") or 0)
    fresh = uses.after(last)
    if not fresh:
        return 0
    first, newest = fresh[0][0], fresh[-1][0]
    lines = "".join(_line(use) for _, use in fresh).encode()
    put = TreeChange(f"{first:012d}.jsonl", lines)
    message = f"{len(fresh)} uses\n"
    with repo.object_writer(library.tip) as commits:
        new = NewCommit([tip] if tip else [], message, by, [put])
        commit = commits.commit(new)
    if not repo.move_refs(RefUpdate(ref, commit, tip)):
        raise ConflictError("another process is syncing uses", hint="try again")
    uses.set_fact("exported", str(newest))
    return len(fresh)


def node(uses: Uses) -> str:
    """The anonymous name of this clone."""
    return uses.fact("node") or _rename(uses)


def _rename(uses: Uses) -> str:
    name = uuid.uuid4().hex[:12]
    uses.set_fact("node", name)
    uses.set_fact("exported", "0")
    return name


def _line(use: Use) -> str:
    fields = {k: v for k, v in use._asdict().items() if k not in _PRIVATE}
    return json.dumps(fields, sort_keys=True, separators=(",", ":")) + "\n"


def send(library: Library, to: Remote, by: Signature) -> int:
    """Write this clone's log and push it; returns how many uses the remote didn't have.

    If another clone has pushed under our name, one is a copy of the other, store
    included. This one takes a new name; uses of both still count once.
    """
    repo = library.repository()
    uses = Uses.of(repo.common_dir)
    write_log(library, by)
    for _ in range(2):
        ref = f"{PREFIX}{node(uses)}"
        mine, theirs = repo.ref(ref), remote.heads(repo, to, ref).get(ref, "")
        if mine == theirs:
            return 0
        is_ours = not theirs or (
            repo.name_of(theirs) and repo.is_ancestor(theirs, mine)
        )
        if is_ours:
            return _push(repo, to, RefUpdate(ref, mine, theirs))
        _rename(uses)
        write_log(library, by)
    return 0


def _push(repo: GitRepo, to: Remote, update: RefUpdate) -> int:
    """Push a log; returns how many of its uses are new."""
    tips = filter(None, (update.old, update.new))
    *before, after = repo.names_of([f"{tip}^{{tree}}" for tip in tips])
    blobs = _fresh_blobs(repo, "".join(before), after)
    count = sum(blob.data.count(b"\n") for blob in repo.find_all(blobs) if blob)
    try:
        remote.push(repo, to, update)
    except SkillforgeError as err:
        err.hint = f"{plural(count, 'use')} not sent, kept in this clone; {err.hint}"
        err.facts |= {"sent": 0, "unsent": count}
        raise
    return count


def _fresh_blobs(repo: GitRepo, before: str, after: str) -> list[str]:
    """The files of a log that are not in an earlier tree of it, if there is one."""
    known = repo.tree(before) if before else {}
    return [
        entry.object
        for path, entry in sorted(repo.tree(after).items())
        if known.get(path) != entry and not entry.is_tree
    ]


def receive(library: Library, source: Remote | None, now: int) -> ReceivedUses:
    """Fetch the logs of other clones, and import their new uses."""
    repo = library.repository()
    uses = Uses.of(repo.common_dir)
    own = node(uses)
    if source is not None:
        specs = (f"+{PREFIX}*:{PREFIX}*", f"^{PREFIX}{own}")
        remote.fetch(repo, source, specs)
    received = ReceivedUses()
    for ref in repo.refs(PREFIX):
        name = ref.removeprefix(PREFIX)
        if name != own and _NODE.fullmatch(name):
            received = _import(repo, uses, name, now, received)
    return received


def _import(
    repo: GitRepo, uses: Uses, name: str, now: int, so_far: ReceivedUses
) -> ReceivedUses:
    """Import the uses of a node's log that are new since the last import."""
    fact = f"imported {name}"
    tree = repo.name_of(f"{PREFIX}{name}^{{tree}}")
    fresh = _fresh_blobs(repo, uses.fact(fact), tree)
    lines = [use for blob in fresh for use in _read(repo, blob)]
    valid = [use for use in lines if use is not None]
    imported = [use._replace(node=name, at=min(use.at, now)) for use in valid]
    added = uses.add(imported) if imported else 0
    uses.set_fact(fact, tree)
    return replace(
        so_far,
        uses=so_far.uses + added,
        nodes=so_far.nodes + 1,
        unread=so_far.unread + len(lines) - len(valid),
        ahead=so_far.ahead + sum(use.at > now + DAY for use in valid),
    )


def _read(repo: GitRepo, blob: str) -> Iterator[Use | None]:
    """The uses of a log; None for an invalid line."""
    file = repo.find(blob)
    for line in (file.data if file else b"").splitlines():
        try:
            yield _use(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            yield None


def _use(fields: dict[str, Any]) -> Use:
    """A validated use from another machine, which is untrusted."""
    kinds = {name: kind(fields[name]) for name, kind in _KINDS.items()}
    use = Use(**fields | kinds | dict.fromkeys(_PRIVATE, ""))
    is_named = use.id and path_policy.is_skill_name(use.skill)
    if not (is_named and _TREE.fullmatch(use.version)):
        raise TypeError("not a use of a skill")
    for text in (getattr(use, name) for name in _TEXTS):
        if len(text.encode()) > _MAX_TEXT:  # raises if it is not text
            raise TypeError("a text is too long")
    numbers = (use.at, use.share, use.seconds or 0, use.tokens or 0)
    is_valid = all(map(_is_number, numbers)) and use.share < 100
    is_whole = isinstance(use.at, int) and isinstance(use.tokens, int | None)
    has_flags = isinstance(use.is_loaded, bool) and isinstance(use.is_vote, bool)
    if not (is_valid and is_whole and has_flags):
        raise TypeError("a field has an invalid value")
    is_vote = use.is_vote and use.result.is_verified and bool(use.rollout)
    return use._replace(is_vote=is_vote)


def _is_number(value: object) -> bool:
    """Whether a value is a finite number that can be stored and added up."""
    return type(value) in (int, float) and 0 <= value < _MAX_NUMBER  # type: ignore[operator]
