"""Find the skill folders of a layout: in a commit, and in a checkout."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from skillforge.gitrepo import GitRepo, TreeFile
from skillforge.model import SKILL_FILE, Layout
from skillforge.model.layout import fixed_part, matches

_FILES = ("100644", "100755", "120000")


def trees_at(repo: GitRepo, commit: str, layout: Layout) -> dict[str, str]:
    """The skills of a commit by name, as hashes of their git trees."""
    found: dict[str, str] = {}
    for glob in layout.globs:
        found |= _matching(repo, commit, glob)
    named = ((layout.name_of(path), tree) for path, tree in found.items())
    names = {name: tree for name, tree in named if name}
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
    """The folders of a commit that a glob may name, by path."""
    top, parts = fixed_part(glob)
    found = {top: repo.name_of(f"{commit}:{top}")}
    for at, part in enumerate(parts, 1):
        found = {
            f"{path}/{name}": entry.object
            for path, tree in found.items()
            for name, entry in (repo.tree(tree) if tree else {}).items()
            if entry.is_tree and (at == len(parts) or matches(part, name))
        }
    return found


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
        for path, entry in _entries(root, "", glob.split("/")):
            is_skill = layout.is_single or os.path.lexists(f"{entry.path}/{SKILL_FILE}")
            if is_skill and (name := layout.name_of(path)):
                found[name] = entry
    return dict(sorted(found.items()))


def _entries(
    root: Path, top: str, parts: list[str]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The entries below `top` that the parts of a glob may name."""
    part, *rest = parts
    with os.scandir(root / top) as entries:
        found = [e for e in entries if not e.is_file(follow_symlinks=False)]
    for entry in found:
        path = f"{top}/{entry.name}" if top else entry.name
        if not rest:
            yield path, entry
        elif matches(part, entry.name) and entry.is_dir(follow_symlinks=False):
            yield from _entries(root, path, rest)
