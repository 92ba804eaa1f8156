"""Results as text for a terminal: one function per result."""

from skillforge.render.text import history, proposals

__all__ = ["history", "proposals"]
