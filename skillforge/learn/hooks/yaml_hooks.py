"""Items in lists of a YAML file, put in and taken out line by line.

A round trip through a parser would lose what the user has written between the lines.
So lines are spliced, and what comes of it is read again: it has to say what was meant.
"""

import copy
import json
import re
from typing import Any, NamedTuple

from skillforge.learn.hooks import by_hand

_EMPTY = re.compile(r"(\s*[^#\s][^#]*?:)\s*(?:\{\s*\}|\[\s*\]|null|~)?(\s*(?:#.*)?)")


class ListPath(NamedTuple):
    """A list in a file: `hooks.on_session_end`."""

    file: str
    top: str
    inner: str

    def wrong(self, why: str) -> Exception:
        what = f"add an item to {self.top}.{self.inner}, as docs/agents.md shows it"
        return by_hand(self.file, why, what)


def items(text: str, place: ListPath) -> list[Any]:
    """What a list holds; nothing, where there is none."""
    settings = _loaded(text, place)
    top = settings.get(place.top)
    found = top.get(place.inner) if isinstance(top, dict) else None
    if (top and not isinstance(top, dict)) or (found and not isinstance(found, list)):
        raise place.wrong(f"has no list {place.top}.{place.inner}")
    return list(found or [])


def with_item(text: str, place: ListPath, item: Any) -> str:
    """A file with one more item, the first of its list."""
    held = items(text, place)
    meant = _loaded(text, place)
    meant[place.top] = dict(meant.get(place.top) or {})
    meant[place.top][place.inner] = [item, *held]
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    spliced = "".join(_spliced(lines, _marked(text, place), place, item))
    return _proven(spliced, meant, place)


def without_item(text: str, place: ListPath, at: int) -> str:
    """The same file without an item that is ours; lists that held no other go."""
    held = items(text, place)
    meant = copy.deepcopy(_loaded(text, place))
    settings = _marked(text, place)
    top = settings[place.top]
    gone = {top[place.inner].lc.item(at)[0]}
    del meant[place.top][place.inner][at]
    if len(held) == 1:
        del meant[place.top][place.inner]
        gone.add(top.lc.key(place.inner)[0])
        if not meant[place.top]:
            del meant[place.top]
            gone.add(settings.lc.key(place.top)[0])
    lines = text.splitlines(keepends=True)
    kept = "".join(line for number, line in enumerate(lines) if number not in gone)
    return _proven(kept, meant, place)


def _spliced(lines: list[str], settings: Any, place: ListPath, item: Any) -> list[str]:
    said = f"- {json.dumps(item, ensure_ascii=False)}\n"
    top = settings.get(place.top) if settings else None
    if settings is None or place.top not in settings:
        return [*lines, f"{place.top}:\n", f"  {place.inner}:\n", f"    {said}"]
    if not top:
        at = settings.lc.key(place.top)[0]
        return _under(lines, at, [f"  {place.inner}:\n", f"    {said}"], place)
    at, column = top.lc.key(next(iter(top)))
    if place.inner not in top:
        _refuse_flow(top, place)
        pad = " " * column
        return [*lines[:at], f"{pad}{place.inner}:\n", f"{pad}  {said}", *lines[at:]]
    at, column = top.lc.key(place.inner)
    if not top[place.inner]:
        return _under(lines, at, [f"{' ' * column}  {said}"], place)
    _refuse_flow(top[place.inner], place)
    at = top[place.inner].lc.item(0)[0]
    dash = lines[at].index("-")
    return [*lines[:at], f"{' ' * dash}{said}", *lines[at:]]


def _under(lines: list[str], at: int, fresh: list[str], place: ListPath) -> list[str]:
    """Lines below a key that holds nothing yet, however that is written."""
    match = _EMPTY.fullmatch(lines[at].rstrip("\r\n"))
    if match is None:
        raise place.wrong(f"has something at line {at + 1} that is not understood")
    return [*lines[:at], f"{match[1]}{match[2]}\n", *fresh, *lines[at + 1 :]]


def _refuse_flow(value: Any, place: ListPath) -> None:
    if value.fa.flow_style():
        raise place.wrong(f"writes {place.top} on one line")


def _proven(text: str, meant: dict[str, Any], place: ListPath) -> str:
    if _loaded(text, place) != meant:
        raise place.wrong("is written in a way that is not understood")
    return text


def _loaded(text: str, place: ListPath) -> dict[str, Any]:
    """What a file says, in plain values."""
    import yaml

    try:
        settings = yaml.safe_load(text)
    except yaml.YAMLError as err:
        raise place.wrong(f"is not YAML: {' '.join(str(err).split())}") from err
    if settings is not None and not isinstance(settings, dict):
        raise place.wrong("is not a mapping")
    return settings or {}


def _marked(text: str, place: ListPath) -> Any:
    """What a file says, with the lines that it stands on."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML().load(text)
    except YAMLError as err:
        raise place.wrong(f"is not YAML: {' '.join(str(err).split())}") from err
