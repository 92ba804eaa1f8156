"""Private state of one clone: SQLite files and a lock inside the git directory.

The only package that imports sqlite3. What it holds cannot be committed. It also knows
where the cache is that all clones of a user share.
"""

from typing import TYPE_CHECKING

from skillforge.lazy_import import lazily

if TYPE_CHECKING:
    from skillforge.store.cache import Cache, CachedResult
    from skillforge.store.cache_paths import cache_folder
    from skillforge.store.examples import Examples, Row
    from skillforge.store.lock import Alone, alone, held, holder
    from skillforge.store.state import condition
    from skillforge.store.uses import Checked, Pitfall, Tally, Uses, Votes

_PARTS = {
    "cache": ("Cache", "CachedResult"),
    "examples": ("Examples", "Row"),
    "cache_paths": ("cache_folder",),
    "lock": ("Alone", "alone", "held", "holder"),
    "state": ("condition",),
    "uses": ("Checked", "Pitfall", "Tally", "Uses", "Votes"),
}

__getattr__ = lazily(__name__, _PARTS)
__all__ = [
    "Alone",
    "Cache",
    "CachedResult",
    "Checked",
    "Examples",
    "Pitfall",
    "Row",
    "Tally",
    "Uses",
    "Votes",
    "alone",
    "cache_folder",
    "condition",
    "held",
    "holder",
]
