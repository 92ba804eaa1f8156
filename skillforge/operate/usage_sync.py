"""Uses of many machines, without a server: each writes a log of its own, all read all.

`refs/skillforge/uses/<node>` has one writer. A use has an id, so that whatever way and
however often it arrives, it counts once; logs may come late and in any order.
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
_KEPT_HERE = ("note", "node")  # a note is its writer's own
_KINDS = {"outcome": OutcomeStatus, "source": OutcomeSource, "arm": Arm}
_TEXTS = ("id", "skill", "version", "voice", "rollout", "pitfall")
_TREE = re.compile(r"([0-9a-f]{40}([0-9a-f]{24})?)?")
_MOST_TEXT = 8_000  # bytes
_MOST = 1e15


@dataclass(frozen=True, slots=True)
class ReceivedUses:
    """New uses from the logs of other clones, and what is wrong with some of them."""

    uses: int = 0
    nodes: int = 0
    unread: int = 0  # lines that can't be parsed
    ahead: int = 0  # uses dated in the future, counted as now


def write_log(library: Library, by: Signature) -> int:
    """Put new uses of this clone into its own log; how many there were.

    Killed between the log and the note of it, the same uses are written again under
    the same name.
    """
    repo = library.repository()
    uses = Uses.of(repo.common_dir)
    ref = f"{PREFIX}{node(uses)}"
    # Before the uses: the log of one who is faster, and knows more, is not replaced.
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
        raise ConflictError("another process shares uses just now", hint="try it again")
    uses.set_fact("exported", str(newest))
    return len(fresh)


def node(uses: Uses) -> str:
    """The name of this clone among others; it tells nobody whose it is."""
    return uses.fact("node") or _renamed(uses)


def _renamed(uses: Uses) -> str:
    name = uuid.uuid4().hex[:12]
    uses.set_fact("node", name)
    uses.set_fact("exported", "0")
    return name


def _line(use: Use) -> str:
    said = {k: v for k, v in use._asdict().items() if k not in _KEPT_HERE}
    return json.dumps(said, sort_keys=True, separators=(",", ":")) + "\n"


def send(library: Library, to: Remote, by: Signature) -> int:
    """Write this clone's log and push it; how many uses are new to the other side.

    If somebody else has pushed under our name, this clone was copied with its store: it
    takes another name, and what both know counts once all the same.
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
        _renamed(uses)
        write_log(library, by)
    return 0


def _push(repo: GitRepo, to: Remote, update: RefUpdate) -> int:
    """Push a log; how many of its uses the other side had not."""
    tips = filter(None, (update.old, update.new))
    *before, after = repo.names_of([f"{tip}^{{tree}}" for tip in tips])
    blobs = _fresh_blobs(repo, "".join(before), after)
    count = sum(found.data.count(b"\n") for found in repo.find_all(blobs) if found)
    try:
        remote.push(repo, to, update)
    except SkillforgeError as err:
        err.hint = f"{plural(count, 'use')} not sent, kept in this clone; {err.hint}"
        err.facts |= {"sent": 0, "unsent": count}
        raise
    return count


def _fresh_blobs(repo: GitRepo, before: str, after: str) -> list[str]:
    """The files of a log that an earlier state of it, or none, had not."""
    known = repo.tree(before) if before else {}
    return [
        entry.object
        for path, entry in sorted(repo.tree(after).items())
        if known.get(path) != entry and not entry.is_tree
    ]


def receive(library: Library, source: Remote | None, now: int) -> ReceivedUses:
    """Fetch the logs of others, and take in what is new in them."""
    repo = library.repository()
    uses = Uses.of(repo.common_dir)
    own = node(uses)
    if source is not None:
        specs = (f"+{PREFIX}*:{PREFIX}*", f"^{PREFIX}{own}")
        remote.fetch(repo, source, specs)
    shared = ReceivedUses()
    for ref in repo.refs(PREFIX):
        name = ref.removeprefix(PREFIX)
        if name != own and _NODE.fullmatch(name):
            shared = _take_in(repo, uses, name, now, shared)
    return shared


def _take_in(
    repo: GitRepo, uses: Uses, name: str, now: int, so_far: ReceivedUses
) -> ReceivedUses:
    """Keep what a node's log holds beyond what was taken in before."""
    fact = f"imported {name}"
    tree = repo.name_of(f"{PREFIX}{name}^{{tree}}")
    fresh = _fresh_blobs(repo, uses.fact(fact), tree)
    found, unread, ahead = [], 0, 0
    for read in (read for blob in fresh for read in _read(repo, blob)):
        if read is None:
            unread += 1
            continue
        if read.at > now + DAY:
            ahead += 1
        found.append(read._replace(node=name, at=min(read.at, now)))
    added = uses.add(found) if found else 0
    uses.set_fact(fact, tree)
    return replace(
        so_far,
        uses=so_far.uses + added,
        nodes=so_far.nodes + 1,
        unread=so_far.unread + unread,
        ahead=so_far.ahead + ahead,
    )


def _read(repo: GitRepo, blob: str) -> Iterator[Use | None]:
    """The uses of a log; None for a line that is none."""
    found = repo.find(blob)
    for line in (found.data if found else b"").splitlines():
        try:
            yield _use(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            yield None


def _use(said: dict[str, Any]) -> Use:
    """A use as another machine wrote it; it may say anything."""
    kinds = {name: kind(said[name]) for name, kind in _KINDS.items()}
    use = Use(**said | kinds | dict.fromkeys(_KEPT_HERE, ""))
    if not (use.id and path_policy.is_name(use.skill) and _TREE.fullmatch(use.version)):
        raise TypeError("it is of no skill")
    for text in (getattr(use, name) for name in _TEXTS):
        if len(text.encode()) > _MOST_TEXT:  # of what is no text, that cannot be told
            raise TypeError("a text is too long")
    numbers = (use.at, use.share, use.seconds or 0, use.tokens or 0)
    is_sound = all(_is_number(it) for it in numbers) and use.share < 100
    whole = isinstance(use.at, int) and isinstance(use.tokens, int | None)
    flags = (use.is_loaded, use.is_vote)
    if not is_sound or not whole or not all(isinstance(it, bool) for it in flags):
        raise TypeError("it is damaged")
    is_vote = use.is_vote and use.result.is_verified and bool(use.rollout)
    return use._replace(is_vote=is_vote)


def _is_number(value: object) -> bool:
    """Whether it is one that can be kept and added up; NaN and infinity are not."""
    return type(value) in (int, float) and 0 <= value < _MOST  # type: ignore[operator]
