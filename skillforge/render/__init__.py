"""Results to output: `data` for scripts, `text` for people.

Workflows return values; only this package decides how they look. It names the types of
results for the type checker alone, so it stays below the stages that make them.
"""

from skillforge.render import data, text

__all__ = ["data", "text"]
