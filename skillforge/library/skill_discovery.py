"""Find every SKILL.md of a repository, and the globs that cover them."""

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from skillforge.gitrepo import GitRepo
from skillforge.model import ARCHIVE, EVIDENCE, SKILL_FILE
from skillforge.model.layout import DEFAULT_GLOBS, matches

_NOT_OURS = {"node_modules", "vendor", "third_party", ".git", ".venv"}
_SAMPLES = {"template", "templates", "fixtures", "testdata", "test-data", "tests"}


@dataclass(frozen=True, slots=True)
class Discovery:
    """The skills of a repository by glob, and the SKILL.md files that are left out."""

    found: dict[str, list[str]]  # folders by glob
    left_out: dict[str, str]  # why, by path

    @property
    def globs(self) -> tuple[str, ...]:
        return tuple(self.found) or DEFAULT_GLOBS

    @property
    def skills(self) -> list[str]:
        return sorted(folder for some in self.found.values() for folder in some)

    @property
    def alike(self) -> dict[str, list[str]]:
        """Folders that share a name, so that their skills need longer names."""
        by_name: dict[str, list[str]] = {}
        for folder in self.skills:
            by_name.setdefault(folder.rpartition("/")[2], []).append(folder)
        return {name: some for name, some in by_name.items() if len(some) > 1}


def discover(root: Path, repo: GitRepo) -> Discovery:
    """The skills in a checkout, apart from files that git ignores."""
    options = ("--cached", "--others", "--exclude-standard", "-z")
    listed = repo.git("ls-files", *options).split(b"\0")
    paths = {os.fsdecode(path) for path in listed if path}
    return of_paths(p for p in paths if os.path.lexists(root / p))


def of_paths(paths: Iterable[str]) -> Discovery:
    """The skills in a list of files."""
    folders, left_out = [], {}
    inner: set[str] = set()
    for path in sorted(paths):
        parents = [str(p) for p in Path(path).parents][:-1]
        inner.update(parents)
        if Path(path).name == SKILL_FILE:
            if why := _why_not(parents):
                left_out[path] = why
            else:
                folders.append(parents[0])
        elif Path(path).name.lower() == SKILL_FILE.lower():
            left_out[path] = f"clients only read {SKILL_FILE}: rename it"
    found: dict[str, list[str]] = {}
    for glob in _globs(folders, inner):
        matching = [f for f in folders if matches(glob, f)]
        new = [f for f in matching if not any(f in some for some in found.values())]
        if new:
            found[glob] = new
    return Discovery(found, left_out)


def _why_not(parents: list[str]) -> str:
    if not parents:
        return "a skill needs a folder of its own, such as skills/NAME: git mv it there"
    parts = parents[0].split("/")
    if parts[0] in (EVIDENCE, ARCHIVE):
        return f"{parts[0]}/ is Skillforge's own"
    if names := _NOT_OURS.intersection(parts):
        return f"{names.pop()}/ has other people's files"
    if names := _SAMPLES.intersection(parts):
        return f"in {names.pop()}/, so probably not a skill that is used"
    return ""


def _globs(folders: list[str], inner: Collection[str]) -> list[str]:
    """Globs for skill folders; those of most skills first, explicit paths last."""
    tops = {folder.rpartition("/")[0] for folder in folders}
    wild = []
    for glob in _merged([f"{top}/*" for top in tops if top]):
        some = {folder for folder in folders if matches(glob, folder)}
        outer = {f for f in inner if matches(glob, f) and not _is_within(f, folders)}
        # In a folder of folders of skills, too, only name the ones that are skills.
        if some and 2 * len(outer - some) <= len(outer):
            wild.append((len(some), glob))
    # The first of several gives short names.
    wild.sort(key=lambda found: (not found[1].startswith("skills/"), -found[0], found))
    chosen = [glob for _count, glob in wild]
    return chosen + [f for f in folders if not any(matches(g, f) for g in chosen)]


def _is_within(folder: str, skills: Collection[str]) -> bool:
    return any(folder.startswith(f"{skill}/") for skill in skills)


def _merged(globs: list[str]) -> set[str]:
    """Globs in which parts that differ are wildcards: `a/*/*` for `a/b/*`, `a/c/*`."""
    known = set(globs)
    while pair := next(_joinable(sorted(known)), None):
        one, two, joined = pair
        known = (known - {one, two}) | {joined}
        known = {g for g in known if g == joined or not matches(joined, g)}
    return known


def _joinable(globs: list[str]) -> Iterator[tuple[str, str, str]]:
    for one, two in combinations(globs, 2):
        parts, others = one.split("/"), two.split("/")
        if len(parts) != len(others):
            continue
        differs = [at for at, part in enumerate(parts) if part != others[at]]
        # The top folder and hidden folders say what the rest is for: they stay.
        if len(differs) == 1 and differs[0] and not _is_hidden(parts, others, differs):
            parts[differs[0]] = "*"
            yield one, two, "/".join(parts)


def _is_hidden(one: list[str], two: list[str], at: list[int]) -> bool:
    return any(part.startswith(".") for part in (one[at[0]], two[at[0]]))
