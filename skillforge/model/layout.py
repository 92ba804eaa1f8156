"""Where a library's skills are: the policy's globs, and the names that they give.

A skill's name is what the wildcards of its glob match: `skills/*` makes `skills/csv`
the skill `csv`, and `plugins/*/skills/*` makes `plugins/a/skills/csv` the skill
`a/csv`. Of the globs with equally many wildcards, only the first shortens names like
this; skills of the others are named by their whole path. So any two paths have
different names, and no commit has to be read to tell them apart.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

DEFAULT_GLOBS = ("skills/*",)
V = TypeVar("V")


@dataclass(frozen=True)
class Layout:
    """The globs of the folders that are skills, relative to the library."""

    globs: tuple[str, ...] = DEFAULT_GLOBS

    @cached_property
    def is_default(self) -> bool:
        return self.globs == DEFAULT_GLOBS

    @property
    def is_single(self) -> bool:
        """Whether every folder that matches is a skill, also without a SKILL.md.

        With several globs, a folder may match that only groups or belongs to skills.
        """
        return len(self.globs) == 1

    @property
    def roots(self) -> list[str]:
        """The folders that all skills are in."""
        tops = {fixed_part(glob)[0] for glob in self.globs}
        return sorted(t for t in tops if not any(_is_in(t, top) for top in tops))

    def path_of(self, name: str) -> str:
        """The folder of a skill."""
        if self.is_default:
            return name if "/" in name else f"skills/{name}"
        if any(matches(glob, name) for glob in self.globs):
            return name
        words = name.split("/")
        glob = self._shortened.get(len(words))
        if glob is None:
            return name
        fill = iter(words)
        return "/".join(next(fill) if "*" in p else p for p in glob.split("/"))

    def name_of(self, folder: str) -> str:
        """The skill that a folder is; empty if it matches no glob."""
        if self.is_default:
            top, _, name = folder.partition("/")
            return name if top == "skills" and name and "/" not in name else ""
        glob = next((glob for glob in self.globs if matches(glob, folder)), None)
        if glob is None:
            return ""
        if self._shortened.get(_arity(glob)) != glob:
            return folder
        pairs = zip(folder.split("/"), glob.split("/"), strict=True)
        short = "/".join(word for word, part in pairs if "*" in part)
        return folder if any(matches(other, short) for other in self.globs) else short

    def has_name(self, name: str) -> bool:
        """Whether a skill can have a name."""
        return self.name_of(self.path_of(name)) == name

    def names_around(self, path: str) -> list[str]:
        """The skills whose folders may contain a path, the outermost first."""
        if self.is_default:
            top, _, rest = path.partition("/")
            name, _, inside = rest.partition("/")
            return [name] if top == "skills" and inside else []
        parts = path.split("/")
        folders = ("/".join(parts[:end]) for end in range(1, len(parts)))
        return [name for folder in folders if (name := self.name_of(folder))]

    def example(self, last: str) -> str:
        """A name that a new skill could have, which ends with a word."""
        return self.placed(last, "category")

    def nested(self, folder: str, files: Iterable[str]) -> frozenset[str]:
        """The SKILL.md files inside a skill's folder that are other skills' own."""
        if self.is_default:
            return frozenset()
        inner = (path for path in files if path.endswith("/SKILL.md"))
        return frozenset(p for p in inner if self.name_of(f"{folder}/{p[:-9]}"))

    def own_files(self, name: str, files: Mapping[str, V]) -> dict[str, V]:
        """The files of a skill, without those of skills inside it."""
        nested = self.nested(self.path_of(name), files)
        folders = tuple(path.removesuffix("SKILL.md") for path in nested)
        return {p: file for p, file in files.items() if not p.startswith(folders)}

    def placed(self, name: str, category: str = "learned") -> str:
        """A new skill's name, in a category where names need one."""
        arity = min(self._shortened, default=1)
        in_category = "/".join([category] * (arity - 1) + [name])
        return name if self.has_name(name) else in_category

    def leading_name(self, path: str) -> str:
        """The skill that a path inside `archive/` begins with."""
        parts = path.split("/")
        starts = ("/".join(parts[:end]) for end in range(1, len(parts) + 1))
        names = (start for start in starts if self.has_name(start))
        return next(names, parts[0])

    def evidence_name(self, path: str) -> str:
        """The skill that a path inside `evidence/` is an example of."""
        name = path.rpartition("/")[0]
        return name if self.has_name(name) else self.leading_name(path)

    def covers(self, path: str, *, is_link: bool = False) -> bool:
        """Whether a path could be or contain a skill on some file system.

        Clients may also load skills from hidden folders, and through a link in place of
        a folder that skills are in.
        """
        if self.is_default:
            return path.partition("/")[0].casefold() == "skills"
        parts = path.casefold().split("/")
        return any(_covers(g.casefold().split("/"), parts, is_link) for g in self.globs)

    @cached_property
    def _shortened(self) -> dict[int, str]:
        """The glob that gives short names, by the number of its wildcards."""
        first: dict[int, str] = {}
        for glob in self.globs:
            first.setdefault(_arity(glob), glob)
        first.pop(0, None)  # a path without wildcards has no other name
        return first


def ref_name(skill: str) -> str:
    """A skill's name as one part of a ref: `+` is never part of a name."""
    name = skill.replace("/", "+")
    return f"+{name}" if name.startswith(".") else name


def folder_names(skills: Iterable[str]) -> dict[str, str]:
    """A folder for each skill where all are side by side: short if that is unique."""
    folders = {name: name.rpartition("/")[2] for name in skills}
    # The long name of one may be the short name of another, or its long name.
    for longer in (_flat, _flat, _marked):
        uses = Counter(folder.casefold() for folder in folders.values())
        folders = {
            name: folder if uses[folder.casefold()] == 1 else longer(name)
            for name, folder in folders.items()
        }
    return folders


def _flat(skill: str) -> str:
    return skill.replace("/.", "/").lstrip(".").replace("/", "-")


def _marked(skill: str) -> str:
    from hashlib import sha256

    return f"{_flat(skill)}-{sha256(skill.encode()).hexdigest()[:8]}"


def skill_of_ref(part: str) -> str:
    return part.removeprefix("+").replace("+", "/")


def _covers(glob: list[str], parts: list[str], is_link: bool) -> bool:
    """Whether parts are a folder that matches, or inside one; a link: or around it."""
    if len(parts) < len(glob) and not is_link:
        return False
    pairs = list(zip(glob, parts, strict=False))
    # Only the last part may be a file, such as a category's README.md.
    is_file = len(parts) == len(glob) and not is_link
    file = pairs.pop() if is_file else ("", "")
    is_inside = all(_part(g, is_strict=False).fullmatch(p) for g, p in pairs)
    return is_inside and bool(_part(file[0]).fullmatch(file[1]))


def matches(glob: str, folder: str) -> bool:
    """Whether a glob names a folder."""
    parts, words = glob.split("/"), folder.split("/")
    if len(parts) != len(words):
        return False
    return all(_part(p).fullmatch(w) for p, w in zip(parts, words, strict=True))


@lru_cache(maxsize=256)
def _part(part: str, *, is_strict: bool = True) -> re.Pattern[str]:
    """One part of a glob; a wildcard matches no hidden folder, and no page or data."""
    hidden = "" if part.startswith(".") else r"(?!\.)"
    strict = rf"{hidden}(?!(?i:.*\.(?:md|txt|json|ya?ml)$))" if is_strict else ""
    return re.compile(strict + re.escape(part).replace(r"\*", "[^/]*"))


def _arity(glob: str) -> int:
    return sum("*" in part for part in glob.split("/"))


def fixed_part(glob: str) -> tuple[str, list[str]]:
    """The folder before the first wildcard, and the other parts of a glob."""
    parts = glob.split("/")
    count = next((at for at, part in enumerate(parts) if "*" in part), len(parts))
    return "/".join(parts[:count]), parts[count:]


def inside(path: str, folders: Iterable[str]) -> str:
    """The path inside one of some folders; empty if it is outside of all."""
    for folder in folders:
        rest = path.removeprefix(f"{folder}/")
        if rest != path and posixpath.normpath(rest) == rest:
            return rest
    return ""


def _is_in(path: str, folder: str) -> bool:
    return path != folder and (not folder or path.startswith(f"{folder}/"))
