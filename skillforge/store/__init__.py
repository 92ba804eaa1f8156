"""Private state of one clone: SQLite files and a lock inside the git directory.

The only package that imports sqlite3. Nothing in it can be committed.
"""

from typing import TYPE_CHECKING

from skillforge.lazy_import import lazily

if TYPE_CHECKING:
    from skillforge.store.cache import Cache, CachedResult
    from skillforge.store.cache_paths import cache_folder
    from skillforge.store.examples import ExampleRow, Examples
    from skillforge.store.lock import ExclusiveLock, exclusive, holder, locked
    from skillforge.store.state import count_rows
    from skillforge.store.uses import CaseRecord, Pitfall, Tally, Uses, Votes

_PARTS = {
    "cache": ("Cache", "CachedResult"),
    "examples": ("Examples", "ExampleRow"),
    "cache_paths": ("cache_folder",),
    "lock": ("ExclusiveLock", "exclusive", "holder", "locked"),
    "state": ("count_rows",),
    "uses": ("CaseRecord", "Pitfall", "Tally", "Uses", "Votes"),
}

__getattr__ = lazily(__name__, _PARTS)
__all__ = [
    "Cache",
    "CachedResult",
    "CaseRecord",
    "ExampleRow",
    "Examples",
    "ExclusiveLock",
    "Pitfall",
    "Tally",
    "Uses",
    "Votes",
    "cache_folder",
    "count_rows",
    "exclusive",
    "holder",
    "locked",
]
