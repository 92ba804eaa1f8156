"""Replace the output that a page shows by the output of a real run."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.docs.alignment import Move, align
from tests.docs.comparing import ELISION, HASH, VARIABLE, Ids, difference, plain
from tests.docs.reading import Scene
from tests.docs.run import run_scene
from tests.docs.world import World

_VALUE = re.compile("|".join(f"({p.pattern})" for p in (*VARIABLE, HASH)))
_HASH_KIND = len(VARIABLE) + 1


class Edit(NamedTuple):
    """New lines for the output of the command at `line` of a page."""

    line: int
    command: str
    start: int
    old: list[str]
    new: list[str]


def edits(scene: Scene, world: World) -> Iterator[Edit]:
    """Run a scene; yield an edit for each command whose output is shown otherwise."""
    for step, came in run_scene(scene, world):
        if step.shows is None:
            continue
        new = rewritten(step.shows, came.said, world.ids)
        if new != step.shows:
            start = step.line + step.command.count("\n") + 1
            yield Edit(step.line, step.command, start, step.shows, new)


def apply(page: Path, changes: list[Edit]) -> None:
    lines = page.read_text(encoding="utf-8").split("\n")
    for edit in sorted(changes, key=lambda edit: edit.start, reverse=True):
        at = slice(edit.start - 1, edit.start - 1 + len(edit.old))
        assert lines[at] == edit.old, f"{page.name}:{edit.start} has changed meanwhile"
        lines[at] = edit.new
    page.write_text("\n".join(lines), encoding="utf-8")


def rewritten(shown: list[str], output: str, ids: Ids) -> list[str]:
    """The lines to show for an output: those shown already, if they still fit it.

    Elisions stay where they still hide something. A hash, date or duration that only
    has another value stays as the page shows it.
    """
    if not difference(shown, output, ids):
        return shown
    real = [line.rstrip() for line in output.rstrip().split("\n")] if output else []
    new: list[str] = []
    for move, i, j in align([*map(_outline, shown)], [*map(_outline, real)]):
        if move is Move.PAIR:
            line = _as_shown(real[j], shown[i], ids)
            new.append(shown[i] if line == shown[i].rstrip() else line)
        elif move is Move.ADD:
            new.append(_as_shown(real[j], "", ids))
        elif move is Move.OMIT and (not new or new[-1].strip() != ELISION):
            new.append(shown[i])
    wrong = difference(new, output, ids)
    assert not wrong, f"cannot be rewritten:\n{wrong}"
    return new


def _outline(line: str) -> str:
    """A line without the values that differ in each run."""
    return HASH.sub("#", plain(line)).rstrip()


def _as_shown(real: str, shown: str, ids: Ids) -> str:
    """A line of output with the values that the page shows for its values.

    Values are paired by kind and position, where both lines have as many of a kind.
    """
    shown_values, real_values = _by_kind(shown), _by_kind(real)
    values = {
        kind: iter(shown_values[kind])
        for kind, found in real_values.items()
        if len(shown_values[kind]) == len(found)
    }

    def value(match: re.Match[str]) -> str:
        assert match.lastindex
        shown_value = next(values.get(match.lastindex, iter((match[0],))))
        if match.lastindex != _HASH_KIND:
            return shown_value
        return ids.shown_for(match[0], shown_value)

    return _VALUE.sub(value, real)


def _by_kind(line: str) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for match in _VALUE.finditer(line):
        found[match.lastindex or 0].append(match[0])
    return found
