"""Write a draft into the checkout, without overwriting anything."""

from skillforge.agents import real
from skillforge.errors import ConflictError, RequestError, unwritable
from skillforge.learn.draft import library_files
from skillforge.library import Library, replace_file
from skillforge.model import Draft


def write(library: Library, draft: Draft, *, is_edit: bool) -> None:
    """Write a draft's files; the SKILL.md last, as it completes the draft."""
    if library.repository().is_bare:
        raise RequestError(
            "a bare repository has no checkout to write to",
            hint="--propose proposes the draft without one",
        )
    files = library_files(draft, library.path_of(draft.skill))
    for path, file in files.items():
        _refuse_conflict(library, draft.skill, path, file.data, is_edit=is_edit)
    for path, file in files.items():
        target = library.root / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise unwritable(target.parent, err) from err
        replace_file(target, file.data)
        if file.is_executable:
            target.chmod(0o755)


def _refuse_conflict(
    library: Library, skill: str, path: str, data: bytes, *, is_edit: bool
) -> None:
    """Keep existing content, unless it is the same or main has it and this edits it."""
    target = library.root / path
    is_linked = real(target) != real(library.root) / path
    if is_linked or (target.exists() and not target.is_file()):
        raise ConflictError(f"{path} is not a regular file", hint="move it away")
    existing = target.read_bytes() if target.exists() else data
    if existing == data:
        return
    main = library.repository().find(f"{library.tip}:{path}") if is_edit else None
    if main is None or main.data != existing:
        raise ConflictError(
            f"{path} already exists",
            hint=f"--name NAME for another skill, --into {skill} to edit the one on "
            f"{library.main}; or move {library.path_of(skill)}/ away",
            facts={"skill": skill},
        )
