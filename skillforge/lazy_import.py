"""Packages whose modules are imported on first use, for a fast start."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, parts: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """A `__getattr__` for a package that imports names from its modules on first use.

    `parts` are the names by module. The package also imports them under TYPE_CHECKING.
    """
    homes = {name: part for part, names in parts.items() for name in names}

    def look_up(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)  # later lookups don't come here
        return value

    return look_up


def submodules(package: str) -> Callable[[str], Any]:
    """A `__getattr__` for a package that imports its submodules on first use."""

    def import_submodule(name: str) -> Any:
        try:
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError as err:
            if err.name != f"{package}.{name}":
                raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return import_submodule
