"""Take a skill back to what it was, byte for byte."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.history import steps
from skillforge.history.skill_history import readable, unknown
from skillforge.history.steps import HistoryStep
from skillforge.library import Library
from skillforge.model import Action, Draft, Origin


@dataclass(frozen=True, slots=True)
class RollbackRequest:
    """Which skill, to which version (else the one before), why, and by whom.

    One that is to be merged `at_once` is for an emergency, in which two people may do
    the same.
    """

    name: str
    to: str = ""
    why: str = ""
    origin: Origin = Origin.HUMAN
    at_once: bool = False


class _Layer(NamedTuple):
    """A version that is in force until another is put on top of it."""

    tree: str
    step: HistoryStep | None


def draft_of(library: Library, wish: RollbackRequest) -> Draft:
    """The draft that restores an earlier version, and what went with it."""
    tip = library.tip
    all_steps = steps.read_steps(library, tip)
    steps.refuse_shallow(library, all_steps)  # what came before may not be here
    own = steps.of_skill(all_steps, wish.name)
    if not own:
        raise unknown(library, all_steps, wish.name)
    if wish.at_once and not wish.to and own[-1].reverts:
        raise ConflictError(
            f"{wish.name} was taken back already, in {own[-1].name[:12]} by "
            f"{own[-1].author}",
            hint=f"skillforge log {wish.name} shows it; --to VERSION goes further back",
        )
    layers = _layers(own, wish.name)
    tree = _chosen(library, own, wish) if wish.to else _before(layers, wish.name)
    above = _above(layers, tree) or own[-1:]
    restores = {wish.name: tree} | _with_it(library, tip, above, wish.name)
    return Draft(
        wish.name,
        restores=restores,
        target=_target(library, restores, wish.name),
        reverts=tuple(step.name for step in above),
        origin=wish.origin,
        why=wish.why,
    )


def _target(library: Library, restores: dict[str, str], name: str) -> str:
    """What a rollback leads to, so that nobody is surprised."""
    tree = restores[name]
    version = readable(library, tree)
    others = ", ".join(other for other in restores if other != name)
    where = f"to {version or tree[:10]}" if tree else "to nothing: it goes"
    return f"{where}, with {others}" if others else where


def _layers(own: list[HistoryStep], name: str) -> list[_Layer]:
    """A skill's versions as a pile: a step back takes off what it takes back."""
    pile = [_Layer(own[0].skills[name].before, None)]
    for step in own:
        tree = step.skills[name].after
        at = _last(pile, tree)
        if step.reverts and at is not None:
            del pile[at + 1 :]
        else:
            pile.append(_Layer(tree, step))
    return pile


def _last(pile: list[_Layer], tree: str) -> int | None:
    """Where a tree is nearest to the top."""
    found = (at for at in reversed(range(len(pile))) if pile[at].tree == tree)
    return next(found, None)


def _before(layers: list[_Layer], name: str) -> str:
    top = layers[-1].step
    if len(layers) > 2 or (top and (top.is_promotion or layers[-2].tree)):
        return layers[-2].tree
    if top:
        raise ConflictError(
            f"{name} is as it was when the library was adopted: nothing came before",
            hint=f"to remove it: skillforge propose {name} --delete --why TEXT",
        )
    raise ConflictError(
        f"{name} is at its first version, and that was taken back already",
        hint=f"skillforge log {name} lists the versions; choose one with --to",
    )


def _above(layers: list[_Layer], tree: str) -> list[HistoryStep]:
    """The steps to be taken back, the newest first."""
    last = _last(layers, tree)
    if last is None:
        return []
    return [layer.step for layer in reversed(layers[last + 1 :]) if layer.step]


def _chosen(library: Library, own: list[HistoryStep], wish: RollbackRequest) -> str:
    """The tree that a user means: a readable version, a tree, a commit, a proposal."""
    trees = [tree for step in reversed(own) if (tree := step.skills[wish.name].after)]
    wanted = {
        step.skills[wish.name].after
        for step in own
        if wish.to in (f"#{step.number}", step.name)
    }
    wanted |= {tree for tree in trees if _is_called(library, tree, wish.to)}
    if re.fullmatch(r"[^\s:]+", wish.to):
        wanted.add(library.skill_tree(wish.to, wish.name))
    found = [tree for tree in dict.fromkeys(trees) if tree in wanted]
    if len(found) == 1:
        return found[0]
    shown = ", ".join(tree[:10] for tree in found)
    raise RequestError(
        f"{wish.to!r} names {len(found)} versions of {wish.name}: {shown}"
        if found
        else f"{wish.name} has no version {wish.to!r}",
        hint=f"choose a tree; skillforge log {wish.name} lists them",
    )


def _is_called(library: Library, tree: str, words: str) -> bool:
    """Whether a version is called so: by its number, or by the start of its hash."""
    if re.fullmatch(r"[0-9a-f]{4,64}", words) and tree.startswith(words):
        return True
    return readable(library, tree) == words.removeprefix("v")


def _with_it(
    library: Library, tip: str, above: list[HistoryStep], name: str
) -> dict[str, str]:
    """Other skills that the same steps changed, and that are still as those left them.

    So a consolidation goes back as a whole, with the skills that it absorbed. Skills
    that came in together for another reason have nothing to do with each other.
    """
    found: dict[str, str] = {}
    for step in above:
        if step.action not in (Action.CONSOLIDATE, Action.ROLLBACK):
            continue
        for other, change in step.skills.items():
            now = found.get(other, library.skill_tree(tip, other))
            if other != name and now == change.after:
                found[other] = change.before
    return found
