"""Add and remove list items in a YAML file, line by line.

A round trip through a parser could change the user's comments and layout. So lines are
spliced, and the result is parsed again and compared with the expected content.
"""

import copy
import json
import re
from typing import Any, NamedTuple

from skillforge.learn.hooks import cannot_change

_EMPTY = re.compile(r"(\s*[^#\s][^#]*?:)\s*(?:\{\s*\}|\[\s*\]|null|~)?(\s*(?:#.*)?)")


class ListPath(NamedTuple):
    """A list in a file: `hooks.on_session_end`."""

    file: str
    top: str
    inner: str

    def problem(self, why: str) -> Exception:
        what = f"add an item to {self.top}.{self.inner}, as docs/agents.md shows it"
        return cannot_change(self.file, why, what)


def items(text: str, place: ListPath) -> list[Any]:
    """The items of a list; none if it does not exist."""
    settings = _loaded(text, place)
    top = settings.get(place.top)
    inner = top.get(place.inner) if isinstance(top, dict) else None
    if (top and not isinstance(top, dict)) or (inner and not isinstance(inner, list)):
        raise place.problem(f"has no list {place.top}.{place.inner}")
    return list(inner or [])


def with_item(text: str, place: ListPath, item: Any) -> str:
    """A file with one more item, at the start of its list."""
    existing = items(text, place)
    expected = _loaded(text, place)
    expected[place.top] = dict(expected.get(place.top) or {})
    expected[place.top][place.inner] = [item, *existing]
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    spliced = "".join(_spliced(lines, _with_positions(text, place), place, item))
    return _verified(spliced, expected, place)


def without_item(text: str, place: ListPath, at: int) -> str:
    """A file without an item; a list that becomes empty is removed too."""
    existing = items(text, place)
    expected = copy.deepcopy(_loaded(text, place))
    settings = _with_positions(text, place)
    top = settings[place.top]
    removed = {top[place.inner].lc.item(at)[0]}
    del expected[place.top][place.inner][at]
    if len(existing) == 1:
        del expected[place.top][place.inner]
        removed.add(top.lc.key(place.inner)[0])
        if not expected[place.top]:
            del expected[place.top]
            removed.add(settings.lc.key(place.top)[0])
    lines = text.splitlines(keepends=True)
    rest = "".join(line for number, line in enumerate(lines) if number not in removed)
    return _verified(rest, expected, place)


def _spliced(lines: list[str], settings: Any, place: ListPath, item: Any) -> list[str]:
    entry = f"- {json.dumps(item, ensure_ascii=False)}\n"
    top = settings.get(place.top) if settings else None
    if settings is None or place.top not in settings:
        return [*lines, f"{place.top}:\n", f"  {place.inner}:\n", f"    {entry}"]
    if not top:
        at = settings.lc.key(place.top)[0]
        return _under(lines, at, [f"  {place.inner}:\n", f"    {entry}"], place)
    at, column = top.lc.key(next(iter(top)))
    if place.inner not in top:
        _refuse_flow(top, place)
        pad = " " * column
        return [*lines[:at], f"{pad}{place.inner}:\n", f"{pad}  {entry}", *lines[at:]]
    at, column = top.lc.key(place.inner)
    if not top[place.inner]:
        return _under(lines, at, [f"{' ' * column}  {entry}"], place)
    _refuse_flow(top[place.inner], place)
    at = top[place.inner].lc.item(0)[0]
    dash = lines[at].index("-")
    return [*lines[:at], f"{' ' * dash}{entry}", *lines[at:]]


def _under(lines: list[str], at: int, fresh: list[str], place: ListPath) -> list[str]:
    """Lines added below an empty key, whether it is null, {} or []."""
    match = _EMPTY.fullmatch(lines[at].rstrip("\r\n"))
    if match is None:
        raise place.problem(f"has an unknown layout at line {at + 1}")
    return [*lines[:at], f"{match[1]}{match[2]}\n", *fresh, *lines[at + 1 :]]


def _refuse_flow(value: Any, place: ListPath) -> None:
    if value.fa.flow_style():
        raise place.problem(f"writes {place.top} on one line")


def _verified(text: str, expected: dict[str, Any], place: ListPath) -> str:
    if _loaded(text, place) != expected:
        raise place.problem("has an unknown layout")
    return text


def _loaded(text: str, place: ListPath) -> dict[str, Any]:
    """The content of a file as plain values."""
    import yaml

    try:
        settings = yaml.safe_load(text)
    except yaml.YAMLError as err:
        raise place.problem(f"is not YAML: {' '.join(str(err).split())}") from err
    if settings is not None and not isinstance(settings, dict):
        raise place.problem("is not a mapping")
    return settings or {}


def _with_positions(text: str, place: ListPath) -> Any:
    """The content of a file, with line numbers."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML().load(text)
    except YAMLError as err:
        raise place.problem(f"is not YAML: {' '.join(str(err).split())}") from err
