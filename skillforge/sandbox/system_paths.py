"""Which folders of the system a job may read, and what is private among them.

Programs need the system's folders. Yet a home, sources or a repository can be below
them, and so can what an installation of Python shares its folder with.
"""

import os
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SOURCES = "/usr/src"
LOCAL = "/usr/local"
# What programs are made of; another folder of /usr/local is one's own if it has these.
_PARTS = frozenset(
    ("bin", "sbin", "lib", "lib32", "lib64", "libexec", "include", "share", "opt")
)


def private_folders() -> list[str]:
    """Folders below the system's, or Python's, that are not part of it."""
    private = {_SOURCES, _home(), _repository(), *local_data(LOCAL)}
    shown = (*SYSTEM, sys.base_prefix)
    return sorted(path for path in private if _is_below(path, shown) and _is_used(path))


def local_data(folder: str) -> list[str]:
    """What is in /usr/local and no program's: settings, sources, data of servers."""
    try:
        with os.scandir(folder) as entries:
            names = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    others = (f"{folder}/{name}" for name in names if name not in _PARTS)
    return [
        path
        for path in others
        if not any(os.path.isdir(f"{path}/{part}") for part in _PARTS)
        and not _is_below(sys.base_prefix, [path])
    ]


def without(paths: Iterable[str], private: Iterable[str]) -> list[str]:
    """The same paths; where something private is below one, all else that is in it.

    Links are resolved at the top, as /lib is one to /usr/lib. Below they are left out:
    to read what one leads to takes a path to that.
    """
    private = list(private)
    rest: list[str] = []
    for path in map(os.path.realpath, paths):
        if path in private:
            continue
        if any(_is_below(folder, [path]) for folder in private):
            with os.scandir(path) as entries:
                inner = [entry.path for entry in entries if not entry.is_symlink()]
            rest += without(inner, private)
        else:
            rest.append(path)
    return rest


@cache
def python_paths() -> list[str]:
    """What to read for the Python that we run on, if it is not the system's."""
    if sys.base_prefix in SYSTEM or _is_below(sys.base_prefix, SYSTEM):
        return []
    return library_of(sys.base_prefix, _home())


def library_of(prefix: str, home: str) -> list[str]:
    """The folder of a Python, or only its library where it shares that folder.

    `./configure --prefix=$HOME/.local` puts it beside the user's own data.
    """
    shared = {home, f"{home}/.local"}
    if prefix not in shared and not _is_below(home, [prefix]):
        return [prefix]
    names = ("base", "installed_base", "platbase", "installed_platbase")
    paths = sysconfig.get_paths(vars=dict.fromkeys(names, prefix))
    folders = {paths["stdlib"], paths["platstdlib"]}
    parents = {os.path.dirname(folder) for folder in folders}
    libraries = {str(file) for up in parents for file in Path(up).glob("libpython*")}
    programs = {str(file) for file in Path(prefix, "bin").glob("python3*")}
    return sorted(folders | libraries | programs)


def _home() -> str:
    return os.path.realpath(os.path.expanduser("~"))


def _repository() -> str:
    """The repository that we are in; empty if there is none."""
    try:
        here = Path.cwd()
    except OSError:
        return ""
    repositories = (up for up in (here, *here.parents) if (up / ".git").exists())
    return str(next(repositories, ""))


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder.rstrip('/')}/") for folder in folders)


def _is_used(path: str) -> bool:
    """Whether a folder has anything in it, and no program of the system."""
    if os.path.basename(path) in ("bin", "sbin", "games", "lib"):
        return False  # which some users of the system have for a home
    try:
        return bool(os.listdir(path))
    except OSError:
        return False
