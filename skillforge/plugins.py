"""Plugins: objects that other packages register as entry points."""

from functools import cache
from typing import Any

from skillforge.errors import ToolError


@cache
def plugins(group: str) -> dict[str, Any]:
    """The entry points of a group, by name; none is loaded yet."""
    from importlib.metadata import entry_points

    return {point.name: point for point in sorted(entry_points(group=group))}


def load(group: str, name: str) -> Any:
    """The object behind an entry point; a ToolError if it cannot be loaded."""
    point = plugins(group)[name]
    try:
        return point.load()
    except (Exception, SystemExit) as err:
        raise ToolError(
            f"plugin {name!r} ({group}) cannot be loaded: {type(err).__name__}: {err}",
            hint=f"fix or uninstall the package that provides {point.value}",
        ) from err
