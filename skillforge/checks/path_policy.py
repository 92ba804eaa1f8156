"""The paths that a draft may contain: those that all systems treat alike.

A policy cannot switch this off.
"""

import os
import re
import unicodedata
from collections.abc import Callable, Iterable

from skillforge.checks.rules.file_layout import WINDOWS, parents
from skillforge.model import SKILL_FILE

_GIT = re.compile(r"\.git.*|git~\d+", re.IGNORECASE)
_HARMLESS_FILES = {".gitignore", ".gitkeep"}  # often found in skills
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")
_LONGEST = 255
# Some file systems ignore these characters in names.
_IGNORED = re.compile(r"[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


def refusal(path: str) -> str:
    """Why a path inside a skill is refused; empty if it is allowed."""
    return next((why for why, is_so in _REFUSALS.items() if is_so(path)), "")


def unsafe(path: str) -> str:
    """Why a file of a skill from elsewhere is refused; it may contain other skills."""
    why = refusal(path)
    return "" if why and _REFUSALS[why] is _is_second_skill else why


def danger(path: str) -> str:
    """Why a path of main is not written to disk; empty if it is safe."""
    return next((why for why, is_so in _DANGERS.items() if is_so(path)), "")


def _is_not_relative(path: str) -> bool:
    return not path or path.startswith("/") or bool(re.match(r"[A-Za-z]:", path))


def _has_odd_parts(path: str) -> bool:
    return not {"", ".", ".."}.isdisjoint(path.split("/"))


def _is_respelled(path: str) -> bool:
    return unicodedata.normalize("NFC", path) != path


def _is_not_for_windows(path: str) -> bool:
    return bool(WINDOWS.search(path))


def _is_of_git(path: str) -> bool:
    parts = set(path.split("/")) - _HARMLESS_FILES
    return any(_GIT.fullmatch(part.rstrip(". ")) for part in parts)


def _has_long_part(path: str) -> bool:
    return any(len(os.fsencode(part)) > _LONGEST for part in path.split("/"))


def _is_second_skill(path: str) -> bool:
    parts = path.lower().split("/")
    return SKILL_FILE.lower() in parts and path != SKILL_FILE


_REFUSALS: dict[str, Callable[[str], bool]] = {
    "it has to be relative to the skill's folder": _is_not_relative,
    "it may not contain `.`, `..` or an empty part": _has_odd_parts,
    "it contains an invisible character": lambda path: not path.isprintable(),
    "macOS would normalize its Unicode": _is_respelled,
    "Windows cannot store it": _is_not_for_windows,
    "git reserves the name": _is_of_git,
    "a part of it is too long": _has_long_part,
    "a skill has one SKILL.md, at its top": _is_second_skill,
}
# Not portable, but harmless on a machine that already has such a path.
_HARMLESS = (_is_respelled, _is_not_for_windows, _is_second_skill)
_DANGERS = {why: is_so for why, is_so in _REFUSALS.items() if is_so not in _HARMLESS}


def clash(paths: Iterable[str]) -> str:
    """A path that collides with another one on some file system; empty if none."""
    known = list(paths)
    files = set(known)
    spellings: dict[str, str] = {}
    for path in known:
        for name in (*parents(path), path):
            if spellings.setdefault(folded(name), name) != name:
                return path
            if name != path and name in files:
                return path
    return ""


def folded(path: str) -> str:
    """A path as compared by file systems that ignore case and normalize Unicode."""
    if path.isascii():
        return path.lower()
    plain = unicodedata.normalize("NFD", _IGNORED.sub("", path)).casefold()
    return unicodedata.normalize("NFC", plain)


def is_name(name: str) -> bool:
    """Whether a name can be a folder and part of a branch."""
    is_ref = not name.endswith(".lock") and len(name) <= _LONGEST
    return bool(_NAME.fullmatch(name)) and is_ref and not WINDOWS.search(name)


def is_skill_name(name: str) -> bool:
    """Whether a name can be a skill's: a folder, or the part of a path that tells."""
    parts = name.split("/")
    return all(is_name(p.removeprefix(".") if p != parts[-1] else p) for p in parts)
