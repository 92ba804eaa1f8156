"""Results to output: `data` for scripts, `text` for people, `html` for browsers.

Workflows return values; only this package decides how they look. It names the types of
results for the type checker alone, so it stays below the stages that make them.
Submodules are imported when they are first used: a command pays for its own only.
"""

from typing import TYPE_CHECKING

from skillforge.lazy_import import submodules

if TYPE_CHECKING:
    from skillforge.render import data as data
    from skillforge.render import text as text
else:
    __getattr__ = submodules(__name__)
