"""Which skills a command means: names, folders, files, a branch's changes, or all."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from skillforge.checks import Ruleset
from skillforge.checks.run import check_checkout, check_commit, check_skills
from skillforge.config import Policy
from skillforge.errors import RequestError
from skillforge.library import SKILLS, Library, read_folder
from skillforge.model import SKILL_FILE, Profile, Report, Skill

if TYPE_CHECKING:
    from skillforge.checks.fix import Fix


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user asked for; with nothing said, the whole library's checkout."""

    targets: tuple[str, ...] = ()
    changed_since: str | None = None
    revision: str | None = None

    def __post_init__(self) -> None:
        if self.targets and self.changed_since:
            raise RequestError(
                "--changed-since chooses the skills itself",
                hint="leave out either the names or --changed-since",
            )


def validate(start: Path, selection: Selection, profile: Profile | None) -> Report:
    """Check what was selected with the rules of its library's policy."""
    library = Library.find(start)
    if selection.changed_since or selection.revision or _is_bare(library):
        return _validate_objects(Library.open(start), selection, profile)
    if selection.targets:
        skills = [skill for _folder, skill in _folders(library, selection.targets)]
        return check_skills(_ruleset_for(library, skills, profile), skills)
    library = Library.open(start)
    return check_checkout(library, ruleset(library.policy(), profile))


def fix(
    start: Path, selection: Selection, profile: Profile | None, *, write: bool
) -> "list[Fix]":
    """Mend what was selected in the checkout; changes files only if told to `write`."""
    from skillforge.checks.fix import fix_one

    library = Library.find(start)
    if selection.changed_since or selection.revision or _is_bare(library):
        raise RequestError(
            "--fix mends files of the checkout, not commits",
            hint="leave out --rev and --changed-since, and name skills instead",
        )
    targets = selection.targets or [str(Library.open(start).skills_dir)]
    found = _folders(library, targets)
    rules = _ruleset_for(library, [skill for _folder, skill in found], profile)
    return [
        fixed
        for folder, skill in found
        if (fixed := fix_one(folder, skill, rules, write))
    ]


def ruleset(policy: Policy, profile: Profile | None) -> Ruleset:
    return Ruleset(profile or policy.profile, policy.rules)


def _is_bare(library: Library | None) -> bool:
    return library is not None and library.repo is not None and library.repo.is_bare


def _validate_objects(
    library: Library, selection: Selection, profile: Profile | None
) -> Report:
    """Check committed skills; what a branch changed is judged by its base's policy."""
    repo = library.repository()
    head = repo.resolve(selection.revision or "HEAD")
    names: Iterable[str] | None = selection.targets or None
    judge = head
    if selection.changed_since:
        judge = repo.resolve(selection.changed_since)
        names = library.changed_since(judge, head)
    rules = ruleset(library.policy(judge), profile)
    report = check_commit(library, rules, head, names)
    _refuse_missing(selection.targets, report)
    return report


def _refuse_missing(targets: tuple[str, ...], report: Report) -> None:
    for name in targets:
        if f"{SKILLS}/{name}" not in report.skills:
            raise RequestError(
                f"there is no skill {name!r} at that revision",
                hint="name it without its folder; git ls-tree REV skills/ lists all",
            )


def _ruleset_for(
    library: Library | None, skills: list[Skill], profile: Profile | None
) -> Ruleset:
    """The rules of the library that the skills lie in; the default ones elsewhere."""
    inside = library and any(skill.path.startswith(f"{SKILLS}/") for skill in skills)
    return ruleset(library.policy() if library and inside else Policy(), profile)


def _folders(
    library: Library | None, targets: Iterable[str]
) -> list[tuple[Path, Skill]]:
    """The skills that some targets name, each once, in the order given."""
    found: dict[Path, None] = {}
    for target in targets:
        found.update(dict.fromkeys(_resolve(library, target)))
    return [(folder, _read(library, folder)) for folder in found]


def _read(library: Library | None, folder: Path) -> Skill:
    shown = str(folder)
    if library and folder.absolute().is_relative_to(library.root):
        shown = folder.absolute().relative_to(library.root).as_posix()
    return read_folder(str(folder), folder.absolute().name, shown)


def _resolve(library: Library | None, target: str) -> list[Path]:
    path = Path(target)
    if path.is_dir():
        return _skills_in(path)
    if path.exists() or path.is_symlink():
        return [_around(path)]
    if library is None:
        raise RequestError(
            f"there is no folder {target!r}, and no library here to look a name up in",
            hint="give the path of a folder with a SKILL.md, or run it in a library",
        )
    return [library.folder_of(target)]


def _skills_in(folder: Path) -> list[Path]:
    """The folder itself, or the skills in it if it is a folder of skills."""
    if _has_skill_file(folder):
        return [folder]
    inner = folder / SKILLS if (folder / SKILLS).is_dir() else folder
    children = sorted(child for child in inner.iterdir() if child.is_dir())
    skills = [child for child in children if _has_skill_file(child)]
    return skills or [folder]


def _has_skill_file(folder: Path) -> bool:
    return any(entry.name.lower() == SKILL_FILE.lower() for entry in folder.iterdir())


def _around(file: Path) -> Path:
    """The skill that a file belongs to, as pre-commit names files."""
    for folder in file.absolute().parents:
        if folder.parent.name == SKILLS or (folder / SKILL_FILE).exists():
            return folder
    raise RequestError(
        f"{file} is not part of a skill", hint="name a folder that holds a SKILL.md"
    )
