"""The `data` of `--json`, typed: one function per result. Keys are never renamed."""

from skillforge.render.data import history, proposals

__all__ = ["history", "proposals"]
