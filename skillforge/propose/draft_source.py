"""Gather a draft from a folder, and the examples that it rests on."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from skillforge.checks import path_policy, skill_selection
from skillforge.errors import ConflictError, RequestError
from skillforge.library import read_folder
from skillforge.model import (
    EVIDENCE,
    SKILLS,
    Draft,
    DraftFile,
    FileKind,
    Layout,
    Skill,
)
from skillforge.propose.workspace import Workspace

MAX_EXAMPLE = 1 << 20
# Programs leave these files behind; they are not part of a skill.
_ARTIFACTS = re.compile(
    r"(?:.*/)?(?:__pycache__|\.pytest_cache|node_modules|\.venv)/.*|.*\.pyc|"
    r"(?:.*/)?\.DS_Store"
)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def drafts(workspace: Workspace, targets: tuple[str, ...]) -> list[Draft]:
    """The drafts of skills and folders, without duplicates."""
    library = workspace.library
    folders = [f for t in targets for f in skill_selection.folders_of(library, t)]
    return [_draft(workspace, folder) for folder in dict.fromkeys(folders)]


def _draft(workspace: Workspace, folder: Path) -> Draft:
    """The draft of a folder, without files of the library that git ignores."""
    draft = from_folder(folder, workspace.library.layout)
    root = workspace.library.root.resolve()
    if not folder.resolve().is_relative_to(root):
        return draft
    _refuse_outdated(workspace, draft.skill)
    top = folder.resolve().relative_to(root).as_posix()
    ignored = workspace.repo.ignored(f"{top}/{path}" for path in draft.files)
    files = {p: f for p, f in draft.files.items() if f"{top}/{p}" not in ignored}
    if not files:
        raise RequestError(
            f"git ignores every file in {folder}",
            hint="git check-ignore -v shows the pattern",
        )
    left_out = tuple(path for path in draft.files if path not in files)
    return replace(draft, files=files, left_out=left_out)


def _refuse_outdated(workspace: Workspace, name: str) -> None:
    """Raise if a draft would undo a change of the same skill on main."""
    library, repo = workspace.library, workspace.repo
    if not library.is_elsewhere:
        return
    start = repo.merge_base("HEAD", workspace.base)
    before, now = library.versions((start, workspace.base), name)
    if before != now:
        raise ConflictError(
            f"{name} has changed on {library.main} since this checkout",
            hint="git pull, compare both versions, and propose again",
        )


def from_folder(folder: Path, layout: Layout) -> Draft:
    """The draft in a folder, and its evidence if that is next to `skills/`."""
    skill = read_folder(str(folder), folder.name, str(folder), alone=True)
    name = _name_of(folder, skill)
    files = {
        path: _file(skill, path)
        for path in sorted(skill.files)
        if not _ARTIFACTS.fullmatch(path)
    }
    if not files:
        raise RequestError(
            f"{folder} contains no files",
            hint="`skillforge new NAME` creates a skill; to remove one: "
            f"skillforge propose {name} --delete",
        )
    if skill_selection.home_of(folder)[0]:  # others are proposed on their own
        files = layout.own_files(name, files)
    refuse_paths(layout, name, files)
    evidence = _folder_evidence(folder, name)
    return Draft(name, files, evidence, tuple(evidence))


def _name_of(folder: Path, skill: Skill) -> str:
    """The folder's name in a library; elsewhere the name in the SKILL.md, if valid."""
    home, _path, own = skill_selection.home_of(folder)
    if home is not None:
        return own
    name = skill.document.words("name") if skill.document else ""
    is_usual = folder.parent.name == SKILLS
    return folder.name if is_usual or not path_policy.is_name(name) else name


def _file(skill: Skill, path: str) -> DraftFile:
    kind = skill.files[path].kind
    if kind not in (FileKind.FILE, FileKind.EXECUTABLE):
        raise RequestError(
            f"{path} is not an ordinary file ({kind})",
            hint="replace it with a copy of the file",
        )
    try:
        return DraftFile(skill.read(path), kind is FileKind.EXECUTABLE)
    except OSError as err:
        raise RequestError(
            f"{path} cannot be read: {err.strerror}", hint="nothing was proposed"
        ) from err


def refuse_name(layout: Layout, skill: str) -> None:
    """Raise at a name that no skill of a library can have."""
    if not path_policy.is_skill_name(skill):
        raise RequestError(
            f"{skill!r} is not a valid skill name",
            hint="use a-z, 0-9 and single hyphens, such as csv-tables",
        )
    if not layout.has_name(skill):
        raise RequestError(
            f"no skill can be named {skill!r} here: it would be outside of "
            f"{', '.join(layout.globs)}",
            hint="use a name such as " + layout.example("csv-tables"),
        )


def refuse_paths(layout: Layout, skill: str, files: Mapping[str, object]) -> None:
    """Raise at a name or path that some git or system would read differently."""
    refuse_name(layout, skill)
    for path in files:
        if why := path_policy.refusal(path):
            raise RequestError(
                f"the path {path!r} is not allowed: {why}", hint="rename the file"
            )
    if path := path_policy.clash(files):
        raise RequestError(
            f"{path!r} collides with another path of the skill",
            hint="rename one of them",
        )


def _folder_evidence(folder: Path, name: str) -> dict[str, bytes]:
    """Example files next to a folder of skills: `evidence/<name>/<id>.json`."""
    evidence = skill_selection.evidence_folder(folder, name)
    if evidence is None or not evidence.is_dir():
        return {}
    _refuse_link(evidence)
    paths = sorted(evidence.glob("*.json"))
    return {
        path.stem: _read_example(path) for path in paths if _ID.fullmatch(path.stem)
    }


def examples(
    workspace: Workspace, skill: str, references: Iterable[str]
) -> tuple[dict[str, bytes], list[str]]:
    """New evidence files and all ids for references: known ids, or JSON files."""
    files: dict[str, bytes] = {}
    ids: list[str] = []
    for reference in references:
        if reference.endswith(".json") or os.sep in reference:
            data = _read_example(Path(reference))
            example = hashlib.sha256(data).hexdigest()[:16]
            files[example] = data
        else:
            example = reference
            if (local := _local_example(workspace, skill, example)) is not None:
                files[example] = local
        ids.append(example)
    return files, ids


def _local_example(workspace: Workspace, skill: str, example: str) -> bytes | None:
    """An example that only the checkout has; None if main has it."""
    path = f"{EVIDENCE}/{skill}/{example}.json"
    file = workspace.library.root / path
    if _ID.fullmatch(example):
        if workspace.repo.find(f"{workspace.base}:{path}"):
            return None
        if file.is_file():
            _refuse_link(file.parent)
            return _read_example(file)
    raise RequestError(
        f"no example {example!r} for {skill}",
        hint=f"save it as {EVIDENCE}/{skill}/ID.json, or give the path of a JSON file",
    )


def _refuse_link(folder: Path) -> None:
    """Raise at a link: its target may be private files of another user."""
    if folder.is_symlink() or folder.parent.is_symlink():
        raise RequestError(
            f"{folder} is reached through a symlink", hint="use a real folder instead"
        )


def _read_example(path: Path) -> bytes:
    """One example: a JSON object in an ordinary file."""
    try:
        if path.is_symlink():
            raise ValueError("it is a symlink")
        data = path.read_bytes()
        if len(data) > MAX_EXAMPLE or not isinstance(json.loads(data), dict):
            raise ValueError("it is not one JSON object of at most 1 MiB")
    except (OSError, ValueError, RecursionError) as err:
        why = err.strerror if isinstance(err, OSError) else err
        raise RequestError(
            f"the example {path} cannot be used: {why}",
            hint="an example is a JSON file with one object",
        ) from err
    return data
