"""Find the skill folders of a layout: in a commit, and in a checkout."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from skillforge.gitrepo import GitRepo, TreeFile
from skillforge.model import SKILL_FILE, Layout

_FILES = ("100644", "100755", "120000")


def trees_at(repo: GitRepo, commit: str, layout: Layout) -> dict[str, str]:
    """The skills of a commit by name, as hashes of their git trees."""
    found: dict[str, str] = {}
    for glob in layout.globs:
        found |= _matching(repo, commit, glob)
    names = {layout.name_of(path): tree for path, tree in found.items()}
    if not layout.is_single:
        are_skills = with_skill_file(repo, names.values())
        names = {name: tree for name, tree in names.items() if tree in are_skills}
    return dict(sorted(names.items()))


def with_skill_file(repo: GitRepo, trees: Iterable[str]) -> set[str]:
    """The trees that contain a SKILL.md."""
    chosen = list(dict.fromkeys(tree for tree in trees if tree))
    objects = repo.names_of([f"{tree}:{SKILL_FILE}" for tree in chosen])
    return {tree for tree, name in zip(chosen, objects, strict=True) if name}


def _matching(repo: GitRepo, commit: str, glob: str) -> dict[str, str]:
    """The folders of a commit that match a glob, by path."""
    fixed = glob.split("*", 1)[0].rpartition("/")[0] if "*" in glob else glob
    rest = glob[len(fixed) :].strip("/").split("/") if glob != fixed else []
    top = f"{commit}:{fixed}" if fixed else f"{commit}^{{tree}}"
    found = {fixed: repo.name_of(top)}
    for part in rest:
        step = Layout((part,))
        found = {
            f"{path}/{name}" if path else name: entry.object
            for path, tree in found.items()
            for name, entry in (repo.tree(tree) if tree else {}).items()
            if entry.is_tree and step.name_of(name)
        }
    return {path: tree for path, tree in found.items() if tree}


def group(
    files: Iterable[TreeFile], layout: Layout, chosen: set[str] | None
) -> dict[str, list[TreeFile]]:
    """The files of skills by name; a file of a nested skill is in both."""
    grouped: dict[str, list[TreeFile]] = {}
    for file in files:
        for name in _names_for(file, layout):
            if chosen is None or name in chosen:
                grouped.setdefault(name, []).append(file)
    if layout.is_single:
        return grouped
    return {
        name: some for name, some in grouped.items() if _has_file(name, some, layout)
    }


def _names_for(file: TreeFile, layout: Layout) -> Iterator[str]:
    """The skills around a file; a link or submodule may be in place of a skill."""
    yield from layout.names_around(file.path)
    if file.mode in ("120000", "160000") and (name := layout.name_of(file.path)):
        yield name


def _has_file(name: str, files: list[TreeFile], layout: Layout) -> bool:
    skill_md = f"{layout.path_of(name)}/{SKILL_FILE}"
    return any(file.path == skill_md and file.mode in _FILES for file in files)


def folders_in(root: Path, layout: Layout) -> dict[str, os.DirEntry[str]]:
    """The skill folders of a checkout by name; links are not followed on the way."""
    found: dict[str, os.DirEntry[str]] = {}
    for glob in layout.globs:
        found |= {
            layout.name_of(path): entry for path, entry in _entries(root, "", glob)
        }
    if not layout.is_single:
        found = {
            n: e for n, e in found.items() if os.path.lexists(f"{e.path}/{SKILL_FILE}")
        }
    return dict(sorted(found.items()))


def _entries(root: Path, top: str, glob: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The entries that match a glob, which is relative to the folder `top`."""
    first, _, rest = glob.partition("/")
    step = Layout((first,))
    with os.scandir(root / top) as entries:
        matching = [e for e in entries if e.name == first or step.name_of(e.name)]
    for entry in matching:
        path = f"{top}/{entry.name}" if top else entry.name
        if not rest:
            if not entry.is_file(follow_symlinks=False):
                yield path, entry
        elif entry.is_dir(follow_symlinks=False):
            yield from _entries(root, path, rest)
