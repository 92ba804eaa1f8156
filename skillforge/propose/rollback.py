"""Restore an earlier version of a skill, byte for byte."""

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
    """Which skill, to which version (else the previous one), why, and by whom.

    A rollback `at_once` is for emergencies, in which two people may do the same.
    """

    name: str
    to: str = ""
    why: str = ""
    origin: Origin = Origin.HUMAN
    at_once: bool = False


class _Layer(NamedTuple):
    """A version on the stack of a skill's versions, and the step that brought it."""

    tree: str
    step: HistoryStep | None


def draft_of(library: Library, request: RollbackRequest) -> Draft:
    """The draft that restores an earlier version, and what was changed with it."""
    name, tip = request.name, library.tip
    all_steps = steps.read_steps(library, tip)
    steps.refuse_shallow(library, all_steps)  # earlier versions may be missing
    own = steps.of_skill(all_steps, name)
    if not own:
        raise unknown(library, all_steps, name)
    if request.at_once and not request.to and own[-1].reverts:
        raise ConflictError(
            f"{name} was already rolled back, in {own[-1].name[:12]} by "
            f"{own[-1].author}",
            hint=f"skillforge log {name} shows it; --to VERSION goes further back",
        )
    layers = _layers(own, name)
    tree = _chosen(library, own, request) if request.to else _previous(layers, name)
    reverted = _reverted(layers, tree) or own[-1:]
    restores = {name: tree} | _related(library, tip, reverted, name)
    return Draft(
        name,
        restores=restores,
        target=_target(library, restores, name),
        reverts=tuple(step.name for step in reverted),
        origin=request.origin,
        why=request.why,
    )


def _target(library: Library, restores: dict[str, str], name: str) -> str:
    """What a rollback restores, for its title."""
    tree = restores[name]
    version = readable(library, tree) or tree[:10]
    others = ", ".join(other for other in restores if other != name)
    target = f"to {version}" if tree else "by removing it"
    return f"{target}, with {others}" if others else target


def _layers(own: list[HistoryStep], name: str) -> list[_Layer]:
    """A skill's versions as a stack: a revert removes the versions that it reverts."""
    stack = [_Layer(own[0].skills[name].before, None)]
    for step in own:
        tree = step.skills[name].after
        at = _last(stack, tree)
        if step.reverts and at is not None:
            del stack[at + 1 :]
        else:
            stack.append(_Layer(tree, step))
    return stack


def _last(stack: list[_Layer], tree: str) -> int | None:
    """The highest position of a tree on the stack."""
    positions = (at for at in reversed(range(len(stack))) if stack[at].tree == tree)
    return next(positions, None)


def _previous(layers: list[_Layer], name: str) -> str:
    """The version before the current one."""
    top = layers[-1].step
    if len(layers) > 2 or (top and (top.is_promotion or layers[-2].tree)):
        return layers[-2].tree
    if top:
        raise ConflictError(
            f"{name} has not changed since the library was adopted: there is no "
            "earlier version",
            hint=f"to remove it: skillforge propose {name} --delete --why TEXT",
        )
    raise ConflictError(
        f"{name} is at its first version, and that was already rolled back",
        hint=f"skillforge log {name} lists the versions; choose one with --to",
    )


def _reverted(layers: list[_Layer], tree: str) -> list[HistoryStep]:
    """The steps to revert, the newest first."""
    last = _last(layers, tree)
    if last is None:
        return []
    return [layer.step for layer in reversed(layers[last + 1 :]) if layer.step]


def _chosen(library: Library, own: list[HistoryStep], request: RollbackRequest) -> str:
    """The tree that `--to` names: by version, tree, commit or proposal."""
    name, to = request.name, request.to
    trees = [tree for step in reversed(own) if (tree := step.skills[name].after)]
    named = {
        step.skills[name].after for step in own if to in (f"#{step.number}", step.name)
    }
    named |= {tree for tree in trees if _is_named(library, tree, to)}
    if re.fullmatch(r"[^\s:]+", to):
        named.add(library.skill_tree(to, name))
    matches = [tree for tree in dict.fromkeys(trees) if tree in named]
    if len(matches) == 1:
        return matches[0]
    shown = ", ".join(tree[:10] for tree in matches)
    raise RequestError(
        f"{to!r} is ambiguous: {len(matches)} versions of {name} match: {shown}"
        if matches
        else f"{name} has no version {to!r}",
        hint=f"skillforge log {name} lists the versions",
    )


def _is_named(library: Library, tree: str, text: str) -> bool:
    """Whether a text is the start of a version's hash, or its readable version."""
    if re.fullmatch(r"[0-9a-f]{4,64}", text) and tree.startswith(text):
        return True
    return readable(library, tree) == text.removeprefix("v")


def _related(
    library: Library, tip: str, reverted: list[HistoryStep], name: str
) -> dict[str, str]:
    """Other skills that the same steps changed, and that have not changed since.

    So a consolidation is rolled back as a whole, with the skills that it absorbed.
    Skills that merely came in the same commit are unrelated.
    """
    related: dict[str, str] = {}
    for step in reverted:
        if step.action not in (Action.CONSOLIDATE, Action.ROLLBACK):
            continue
        for other, change in step.skills.items():
            now = related.get(other, library.skill_tree(tip, other))
            if other != name and now == change.after:
                related[other] = change.before
    return related
