"""Gather a draft: from a folder, and with the examples that it rests on."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from skillforge.checks import path_policy, skill_selection
from skillforge.errors import ConflictError, RequestError
from skillforge.library import Library, read_folder
from skillforge.model import EVIDENCE, SKILLS, Draft, DraftFile, FileKind, Skill
from skillforge.propose.workspace import Workspace

MAX_EXAMPLE = 1 << 20
_LEFT_BY_RUNS = re.compile(
    r"(?:.*/)?(?:__pycache__|\.pytest_cache|node_modules|\.venv)/.*|.*\.pyc|"
    r"(?:.*/)?\.DS_Store"
)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def drafts(workspace: Workspace, targets: tuple[str, ...]) -> list[Draft]:
    """The drafts that names of skills and folders stand for, each once."""
    library = workspace.library
    found = [f for t in targets for f in skill_selection.folders_of(library, t)]
    return [_draft(workspace, folder) for folder in dict.fromkeys(found)]


def _draft(workspace: Workspace, folder: Path) -> Draft:
    """The draft of a folder, without files that git ignores in the library."""
    draft = from_folder(folder)
    root = workspace.library.root.resolve()
    if not folder.resolve().is_relative_to(root):
        return draft
    _refuse_behind(workspace, draft.skill)
    top = folder.resolve().relative_to(root).as_posix()
    repo = workspace.library.repository()
    ignored = repo.ignored(f"{top}/{path}" for path in draft.files)
    kept = {p: f for p, f in draft.files.items() if f"{top}/{p}" not in ignored}
    if not kept:
        raise RequestError(
            f"git ignores every file in {folder}",
            hint="git check-ignore -v shows the pattern",
        )
    left_out = tuple(path for path in draft.files if path not in kept)
    return replace(draft, files=kept, left_out=left_out)


def _refuse_behind(workspace: Workspace, name: str) -> None:
    """Stop where a draft would undo a change of the same skill on main."""
    library, base = workspace.library, workspace.base
    if not library.is_elsewhere:
        return
    repo = library.repository()
    start = repo.merge_base("HEAD", base)
    before, now = repo.names_of([f"{c}:{SKILLS}/{name}" for c in (start, base)])
    if before != now:
        raise ConflictError(
            f"{name} has changed on {library.main} since this checkout",
            hint="git pull, compare both versions, and propose again",
        )


def from_folder(folder: Path) -> Draft:
    """The draft that a folder holds, and the evidence beside a folder of skills."""
    skill = read_folder(str(folder), folder.name, str(folder), alone=True)
    name = _name_of(folder, skill)
    files = {
        path: _file(skill, path)
        for path in sorted(skill.files)
        if not _LEFT_BY_RUNS.fullmatch(path)
    }
    if not files:
        raise RequestError(
            f"{folder} holds no files",
            hint=f"`skillforge new NAME` makes a skill; to remove one: "
            f"skillforge propose {name} --delete",
        )
    refuse_paths(name, files)
    evidence = _beside(folder, name)
    return Draft(name, files, evidence, tuple(evidence))


def _name_of(folder: Path, skill: Skill) -> str:
    """A folder of a library names its skill; any other leaves that to the SKILL.md."""
    said = skill.document.words("name") if skill.document else ""
    if folder.parent.name == SKILLS or not path_policy.is_name(said):
        return folder.name
    return said


def _file(skill: Skill, path: str) -> DraftFile:
    kind = skill.files[path].kind
    if kind not in (FileKind.FILE, FileKind.EXECUTABLE):
        raise RequestError(
            f"{path} is not an ordinary file ({kind})",
            hint="put a copy of the file in its place",
        )
    try:
        return DraftFile(skill.read(path), kind is FileKind.EXECUTABLE)
    except OSError as err:
        raise RequestError(
            f"{path} cannot be read: {err.strerror}", hint="nothing was proposed"
        ) from err


def refuse_paths(skill: str, files: Mapping[str, object]) -> None:
    """Stop at a name or path that some git or system would read differently."""
    if not path_policy.is_name(skill):
        raise RequestError(
            f"{skill!r} cannot be a skill's name",
            hint="use a-z, 0-9 and single hyphens, such as csv-tables",
        )
    for path in files:
        if why := path_policy.refusal(path):
            raise RequestError(
                f"the path {path!r} is not taken: {why}", hint="rename the file"
            )
    if path := path_policy.clash(files):
        raise RequestError(
            f"{path!r} collides with another path of the skill",
            hint="rename one of them",
        )


def _beside(folder: Path, name: str) -> dict[str, bytes]:
    """Example files that lie with a folder of skills: `evidence/<name>/<id>.json`."""
    evidence = folder.parent.parent / EVIDENCE / name
    if folder.parent.name != SKILLS or not evidence.is_dir():
        return {}
    _refuse_link(evidence)
    found = sorted(evidence.glob("*.json"))
    return {path.stem: _example(path) for path in found if _ID.fullmatch(path.stem)}


def examples(
    library: Library, base: str, skill: str, wanted: Iterable[str]
) -> tuple[dict[str, bytes], list[str]]:
    """Evidence files for examples: an id that the library knows, or a JSON file."""
    files: dict[str, bytes] = {}
    ids: list[str] = []
    for word in wanted:
        if word.endswith(".json") or os.sep in word:
            data = _example(Path(word))
            number = hashlib.sha256(data).hexdigest()[:16]
            files[number] = data
        else:
            number = word
            _known(library, base, skill, number, files)
        ids.append(number)
    return files, ids


def _known(
    library: Library, base: str, skill: str, number: str, files: dict[str, bytes]
) -> None:
    path = f"{EVIDENCE}/{skill}/{number}.json"
    if _ID.fullmatch(number):
        if library.repository().find(f"{base}:{path}"):
            return
        if (library.root / path).is_file():
            _refuse_link((library.root / path).parent)
            files[number] = _example(library.root / path)
            return
    raise RequestError(
        f"there is no example {number!r} for {skill}",
        hint=f"put it in {EVIDENCE}/{skill}/ID.json, or give the path of a JSON file",
    )


def _refuse_link(folder: Path) -> None:
    """What a link leads to may be anybody's private files."""
    if folder.is_symlink() or folder.parent.is_symlink():
        raise RequestError(
            f"{folder} is reached through a link", hint="put a folder in its place"
        )


def _example(path: Path) -> bytes:
    """One example: a JSON object in an ordinary file."""
    try:
        if path.is_symlink():
            raise ValueError("it is a link")
        data = path.read_bytes()
        if len(data) > MAX_EXAMPLE or not isinstance(json.loads(data), dict):
            raise ValueError("it is not one JSON object of at most 1 MiB")
    except (OSError, ValueError, RecursionError) as err:
        why = err.strerror if isinstance(err, OSError) else err
        raise RequestError(
            f"the example {path} cannot be taken: {why}",
            hint="an example is a JSON file with one object",
        ) from err
    return data
