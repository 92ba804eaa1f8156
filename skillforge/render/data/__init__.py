"""The `data` of `--json`, typed: one function per result. Keys are never renamed."""

from skillforge.render.data import history, proposals, trials

__all__ = ["history", "proposals", "trials"]
