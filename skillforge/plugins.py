"""Plugins: objects that other packages register as entry points."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from skillforge.errors import SkillforgeError, ToolError


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


@contextmanager
def failures(group: str, name: str) -> Iterator[None]:
    """Raise a ToolError for any error of a plugin that is not one of ours.

    Also if the plugin exits: its exit code must not become that of the command.
    """
    try:
        yield
    except SkillforgeError:
        raise
    except (Exception, SystemExit) as err:
        raise ToolError(
            f"plugin {name!r} ({group}) failed: {type(err).__name__}: {err}",
            hint="fix or uninstall the package that provides it",
        ) from err


def unsuitable(group: str, name: str, problem: str) -> ToolError:
    """The error for a plugin that is not what its group requires."""
    return ToolError(
        f"plugin {name!r} ({group}) {problem}",
        hint="fix or uninstall the package that provides it",
    )
