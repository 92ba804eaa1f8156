"""The folder of caches that all libraries of a user share."""

import os
from pathlib import Path

from skillforge.errors import ToolError


def cache_folder() -> Path:
    """`$SKILLFORGE_CACHE`, else `skillforge` in the user's cache folder."""
    if named := os.environ.get("SKILLFORGE_CACHE"):
        return Path(named).absolute()
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base).absolute() / "skillforge"
    try:
        return Path.home() / ".cache" / "skillforge"
    except RuntimeError as err:
        raise ToolError(
            "this user has no home folder", hint="set SKILLFORGE_CACHE=FOLDER"
        ) from err
