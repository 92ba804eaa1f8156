"""Packages that import a part of theirs when it is asked for: starts stay quick."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, parts: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: names by the module of it that holds them.

    Type checkers do not see these; the package imports them for those as well.
    """
    homes = {name: part for part, names in parts.items() for name in names}

    def look_up(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, found)  # so that the next one is quick
        return found

    return look_up


def submodules(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package: a submodule is imported when it is first used."""

    def import_submodule(name: str) -> Any:
        try:
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError as err:
            if err.name != f"{package}.{name}":
                raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return import_submodule
