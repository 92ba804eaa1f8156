"""Where things are kept that can be made again, for all libraries of a user."""

import os
from pathlib import Path

from skillforge.errors import ToolError


def cache_folder() -> Path:
    """The user's cache: `$SKILLFORGE_CACHE`, else where such things go here."""
    if named := os.environ.get("SKILLFORGE_CACHE"):
        return Path(named).absolute()
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base).absolute() / "skillforge"
    try:
        return Path.home() / ".cache" / "skillforge"
    except RuntimeError as err:
        raise ToolError(
            "this user has no home", hint="SKILLFORGE_CACHE=FOLDER names a cache"
        ) from err
