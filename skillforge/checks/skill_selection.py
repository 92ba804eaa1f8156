"""The skills that a command selects: by name, folder, file, change, or all of them."""

import os
import posixpath
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from skillforge.checks import Ruleset
from skillforge.checks.baseline import Baseline, library_baseline
from skillforge.checks.runner import check_checkout, check_commit, check_skills
from skillforge.errors import RequestError
from skillforge.gitrepo.checkout import index_state
from skillforge.library import Library, alike, no_such_skill, read_folder
from skillforge.model import EVIDENCE, SKILL_FILE, SKILLS, Profile, Report, Skill
from skillforge.policy import Policy

if TYPE_CHECKING:
    from skillforge.checks.fixes import Fix


_PATIENCE = 15.0  # seconds to wait for another git to finish its checkout
_PAUSE = 0.05


@dataclass(frozen=True, slots=True)
class Selection:
    """The skills that the user selected; by default, all of the checkout."""

    targets: tuple[str, ...] = ()
    changed_since: str | None = None
    revision: str | None = None

    def __post_init__(self) -> None:
        if self.targets and self.changed_since is not None:
            raise RequestError(
                "--changed-since can't be combined with names of skills",
                hint="omit one of them",
            )

    @property
    def is_of_commits(self) -> bool:
        return self.changed_since is not None or self.revision is not None


def validate(start: Path, selection: Selection, profile: Profile | None) -> Report:
    """Check the selected skills with the rules of their library's policy.

    If git updates the checkout meanwhile, as `promote` does, files may be missing for
    a moment; then the skills are checked again.
    """
    library = Library.find(start)
    if selection.is_of_commits or _is_bare(library):
        return _validate_objects(Library.open(start), selection, profile)
    if library is None or library.repo is None:
        return _validate_checkout(start, library, selection, profile)
    deadline = time.monotonic() + _PATIENCE
    while True:
        before = index_state(library.root)
        report = _validate_checkout(start, library, selection, profile)
        is_still = not before.is_busy and index_state(library.root) == before
        if report.ok or is_still or time.monotonic() > deadline:
            return report
        time.sleep(_PAUSE)


def _validate_checkout(
    start: Path, library: Library | None, selection: Selection, profile: Profile | None
) -> Report:
    if not selection.targets:
        library = Library.open(start)
        rules, known = ruleset(library.policy(), profile), library_baseline(library)
        return check_checkout(library, rules, known=known)
    return Report.joined(
        check_skills(ruleset(policy, profile), [skill], known)
        for _folder, skill, policy, known in _named(library, selection.targets)
    )


class Chosen(NamedTuple):
    """A selected skill, its examples by id, and its library's policy and baseline."""

    skill: Skill
    policy: Policy
    evidence: dict[str, bytes]
    known: Baseline


def chosen(start: Path, selection: Selection) -> list[Chosen]:
    """The selected skills, each with its policy and its examples."""
    library = Library.find(start)
    if selection.is_of_commits or _is_bare(library):
        library = Library.open(start)
        head, policy_commit, names = _span(library, selection)
        policy = library.policy(policy_commit)
        known = library_baseline(library, policy_commit)
        skills = list(library.read_at(head, names))
        if selection.targets:
            _refuse_missing(library, names or (), [skill.path for skill in skills])
        return [
            Chosen(skill, policy, library.evidence_at(head, skill.name), known)
            for skill in skills
        ]
    targets = selection.targets or (str(Library.open(start).root),)
    return [
        Chosen(skill, policy, evidence_of(folder, skill.name), known)
        for folder, skill, policy, known in _named(library, targets)
    ]


def fix(
    start: Path, selection: Selection, profile: Profile | None, *, write: bool
) -> "list[Fix]":
    """Fix the selected skills of the checkout; changes files only with `write`."""
    from skillforge.checks.fixes import fix_one

    library = Library.find(start)
    if selection.is_of_commits or _is_bare(library):
        raise RequestError(
            "--fix changes files of the checkout, not commits",
            hint="omit --rev and --changed-since; name the skills instead",
        )
    targets = selection.targets or [str(Library.open(start).root)]
    return [
        fixed
        for folder, skill, policy, _ in _named(library, targets)
        if (fixed := fix_one(folder, skill, ruleset(policy, profile), write))
    ]


def ruleset(policy: Policy, profile: Profile | None) -> Ruleset:
    return Ruleset(profile or policy.profile, policy.rules)


def _is_bare(library: Library | None) -> bool:
    return library is not None and library.repo is not None and library.repo.is_bare


def _validate_objects(
    library: Library, selection: Selection, profile: Profile | None
) -> Report:
    head, policy_commit, names = _span(library, selection)
    rules = ruleset(library.policy(policy_commit), profile)
    known = library_baseline(library, policy_commit)
    report = check_commit(library, rules, head, names, known)
    if selection.targets:
        _refuse_missing(library, names or (), report.skills)
    return report


def _span(
    library: Library, selection: Selection
) -> tuple[str, str, Iterable[str] | None]:
    """The commit to check, the commit of the policy, and the names of the skills.

    A branch is checked with the policy of its base.
    """
    repo = library.repository()
    head = repo.resolve("HEAD" if selection.revision is None else selection.revision)
    if selection.changed_since is None:
        return head, head, _names_at(library, head, selection.targets) or None
    base = repo.resolve(selection.changed_since)
    return head, base, library.changed_since(base, head)


def _names_at(library: Library, commit: str, targets: Iterable[str]) -> list[str]:
    """The skills of a commit that the user named, also by their paths or folders."""
    real = (posixpath.normpath(target) for target in targets)
    plain = [path.removesuffix(f"/{SKILL_FILE}") for path in real]
    known = library.skill_trees(commit) if plain else ()
    return [library.layout.name_of(p) or alike(p, known) or p for p in plain]


def _refuse_missing(
    library: Library, names: Iterable[str], paths: Sequence[str]
) -> None:
    for name in names:
        if library.path_of(name) not in paths:
            hint = "git ls-tree -r --name-only REV lists its files"
            raise no_such_skill(name, (), "that revision", hint)


def _named(
    library: Library | None, targets: Iterable[str]
) -> Iterator[tuple[Path, Skill, Policy, Baseline]]:
    """The skills of some targets, without repeats, with their library's rules."""
    rules: dict[Path | None, tuple[Policy, Baseline]] = {}
    folders: dict[Path, None] = {}
    for target in targets:
        folders.update(dict.fromkeys(folders_of(library, target)))
    here = library and os.path.realpath(library.root)
    for folder in folders:
        home, path, name = home_of(folder)
        root = home.root if home else None
        if root not in rules:
            policy = home.policy() if home else Policy()
            rules[root] = policy, library_baseline(home)
        is_ours = root is not None and str(root) == here
        shown = path if is_ours else _from_here(folder)
        skill = read_folder(str(folder), name, shown, alone=home is None)
        nested = home.checkout_layout.nested(path, skill.files) if home else ()
        yield folder, replace(skill, nested=frozenset(nested)), *rules[root]


def home_of(folder: Path) -> tuple[Library | None, str, str]:
    """The library that a folder is a skill of, its path there, and its name."""
    library = Library.find(folder.parent)
    root = Path(os.path.realpath(library.root)) if library else folder
    if library and folder.is_relative_to(root):
        path = folder.relative_to(root).as_posix()
        if name := library.checkout_layout.name_of(path):
            return library, path, name
    return None, str(folder), folder.name


def evidence_of(folder: Path, name: str) -> dict[str, bytes]:
    """The examples of a skill on disk, by id: in its library, or beside `skills/`."""
    beside = evidence_folder(folder, name)
    return {
        path.stem: path.read_bytes()
        for path in sorted(beside.glob("*.json") if beside else ())
        if path.is_file() and not path.is_symlink()
    }


def evidence_folder(folder: Path, name: str) -> Path | None:
    """Where the examples of a skill on disk are, if it is in a library or `skills/`."""
    home, _path, own = home_of(folder)
    if home is not None:
        return home.root / EVIDENCE / own
    is_usual = folder.parent.name == SKILLS
    return folder.parent.parent / EVIDENCE / name if is_usual else None


def _from_here(folder: Path) -> str:
    """The path of a folder, relative to the current folder if it is below it."""
    here = Path(os.path.realpath("."))
    is_below = folder != here and folder.is_relative_to(here)
    return str(folder.relative_to(here) if is_below else folder)


def folders_of(library: Library | None, target: str) -> list[Path]:
    """The folders of a target: a skill's name, a path, or a folder of skills."""
    path = _located(target)
    try:
        if path.is_dir() and not _is_name(library, target, path):
            return _of_library(path) or _skills_in(path)
        if target and os.path.lexists(path) and not path.is_dir():
            return [_around(path)]
    except OSError as err:
        raise RequestError(
            f"cannot read {target!r}: {err.strerror}", hint="check the path"
        ) from err
    if library is None:
        raise RequestError(
            f"no such folder: {target!r}; and this is not a library",
            hint="name a folder that contains a SKILL.md, or run it in a library",
        )
    return [_located(library.folder_of(target))]


def _located(path: str | Path) -> Path:
    """The real path, except that a link in the last part is not followed."""
    parent, name = os.path.split(os.path.abspath(path))
    return Path(os.path.realpath(parent), name)


def _is_name(library: Library | None, target: str, path: Path) -> bool:
    """Whether a word names a skill of the library rather than a folder here."""
    if not target:
        return True
    if library is None or "/" in target or target in (".", ".."):
        return False
    own = library.root / library.checkout_layout.path_of(target)
    return not _has_skill_file(path) and own.is_dir()


def _of_library(folder: Path) -> list[Path]:
    """The skills of the folder's library that are in it."""
    library = Library.find(folder)
    if library is None or library.checkout_layout.is_default:
        return []  # _skills_in finds them
    paths = (Path(entry.path) for entry in library.folders().values())
    found = [_located(path) for path in paths]
    return [path for path in found if path == folder or path.is_relative_to(folder)]


def _skills_in(folder: Path) -> list[Path]:
    """The folder itself, or the skills in it if it is a folder of skills."""
    if _has_skill_file(folder):
        return [folder]
    inner = folder / SKILLS if (folder / SKILLS).is_dir() else folder
    children = sorted(inner.iterdir())
    if inner.name == SKILLS:
        skills = [
            child for child in children if child.is_symlink() or not child.is_file()
        ]
    else:
        skills = [
            child for child in children if child.is_dir() and _has_skill_file(child)
        ]
    return skills or [folder]


def _has_skill_file(folder: Path) -> bool:
    """Whether a folder is a skill; an unreadable folder counts as one."""
    try:
        return any(name.lower() == SKILL_FILE.lower() for name in os.listdir(folder))
    except OSError:
        return True


def _is_usual(folder: Path) -> bool:
    """Whether a folder is a skill by its place, even without a SKILL.md."""
    if folder.parent.name != SKILLS:
        return False
    library = Library.find(folder.parent)
    return library is None or library.checkout_layout.is_default


def _around(file: Path) -> Path:
    """The folder of the skill that a file belongs to; pre-commit passes files."""
    if file.is_symlink() and file.parent.name == SKILLS:
        return file
    for folder in file.parents:
        if _is_usual(folder) or _has_skill_file(folder):
            return folder
    raise RequestError(
        f"{file} is not part of a skill", hint="name a folder that contains a SKILL.md"
    )
