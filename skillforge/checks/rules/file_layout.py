"""Rules on the files of a skill: kinds, names, sizes, modes."""

import os
import posixpath
import re
from collections.abc import Iterator

from skillforge.model import (
    SKILL_FILE,
    File,
    FileKind,
    Profile,
    RuleProblem,
    Severity,
    Skill,
    rule,
    rules_in,
)
from skillforge.text import occurrences

MAX_FILE = 10_000_000  # ClawHub's limit for one file
MAX_TOTAL = 25 << 20  # what `npx skills` unpacks from a direct download
MAX_FILES = 1000
MAX_PATH = 100  # what fits into a plain tar header

WINDOWS = re.compile(
    r"(?:^|/)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.[^/]*)?"
    r"(?:/|\Z)|[. ](?:/|\Z)"
    r"|[<>:\"|?*\\\x00-\x1f]",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r".*\.(?:md|txt|json|ya?ml|toml|csv|html|css|svg|png|jpe?g|gif|pdf)", re.IGNORECASE
)


@rule(profile=Profile.PORTABLE)
def nested_skill(skill: Skill) -> Iterator[RuleProblem]:
    """A skill contains no second SKILL.md.

    Clients that search folders would load it as another skill.
    """
    nested = [
        path
        for path in sorted(skill.files.keys() - skill.nested)
        if path.count("/") and posixpath.basename(path).lower() == SKILL_FILE.lower()
    ]
    if nested:
        more = f", and {len(nested) - 1} more" if len(nested) > 1 else ""
        yield RuleProblem(
            f"the folder contains another skill, {nested[0]}{more}",
            "let `skills:` in skillforge.yaml cover it, or rename the file",
            path=nested[0],
        )


@rule(profile=Profile.PORTABLE)
def symlink_outside(skill: Skill) -> Iterator[RuleProblem]:
    """No symbolic link points outside the skill.

    It would point to a different file on each machine, and installers refuse it.
    """
    for path, _file in _of_kind(skill, FileKind.SYMLINK):
        target = skill.read(path).decode("utf-8", "replace")
        end = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if target.startswith("/") or end == ".." or end.startswith("../"):
            yield RuleProblem(
                f"the link points outside the skill, to {target}",
                "replace it with a copy of the file",
                path=path,
            )


@rule(Severity.WARNING, Profile.PORTABLE)
def symlink_inside(skill: Skill) -> Iterator[RuleProblem]:
    """A skill contains no symbolic links at all.

    Hubs and `npx skills` refuse archives with links; Windows turns them into text.
    """
    for path, _file in _of_kind(skill, FileKind.SYMLINK):
        yield RuleProblem(
            "is a symbolic link", "replace it with a copy of the file", path=path
        )


@rule(profile=Profile.PORTABLE)
def submodule(skill: Skill) -> Iterator[RuleProblem]:
    """A skill contains no git submodule: its content would not be reviewed."""
    for path, _file in _of_kind(skill, FileKind.SUBMODULE):
        hint = f"git rm --cached {path}, and add its files instead"
        yield RuleProblem("is a separate git repository", hint, path=path)


@rule(profile=Profile.PORTABLE)
def file_kind(skill: Skill) -> Iterator[RuleProblem]:
    """A skill contains only ordinary files: no devices, sockets or pipes."""
    for path, _file in _of_kind(skill, FileKind.OTHER):
        yield RuleProblem("is not an ordinary file", "remove it", path=path)


@rule(profile=Profile.PORTABLE)
def file_size(skill: Skill) -> Iterator[RuleProblem]:
    """A file has at most 10 MB, and a skill at most 25 MiB in 1,000 files.

    Hubs and installers refuse larger ones.
    """
    total = 0
    for path, file in skill.files.items():
        total += file.size
        if file.size > MAX_FILE:
            hint = "download it when it is needed, or omit it"
            yield RuleProblem(f"the file has {file.size:,} bytes", hint, path=path)
    if total > MAX_TOTAL or len(skill.files) > MAX_FILES:
        yield RuleProblem(
            f"the skill has {total:,} bytes in {len(skill.files):,} files",
            f"keep it under {MAX_TOTAL:,} bytes and {MAX_FILES:,} files",
        )


@rule(profile=Profile.PORTABLE)
def case_collision(skill: Skill) -> Iterator[RuleProblem]:
    """No two paths differ only in case.

    On Windows and macOS, one would replace the other.
    """
    if len(skill.files) < 2:
        return
    spellings: dict[str, str] = {}
    for path in skill.files:
        for name in (*parents(path), path):
            first = spellings.setdefault(name.casefold(), name)
            if first != name:
                hint = "rename one of them"
                yield RuleProblem(
                    f"collides with {first} where case is ignored", hint, path=path
                )


def parents(path: str) -> Iterator[str]:
    """The folders that a path leads through, from the top down."""
    return (path[:at] for at in occurrences(path, "/"))


@rule(profile=Profile.PORTABLE)
def windows_name(skill: Skill) -> Iterator[RuleProblem]:
    """Windows can check out every path.

    It reserves `con`, `aux`, `nul`, `com1` and the like with any extension, names that
    end in a dot or a space, the characters `< > : " | ? * \\`, and control characters.
    """
    for path in skill.files:
        if path != "." and WINDOWS.search(path):
            yield RuleProblem(f"Windows cannot store {path!r}", "rename it", path=path)


@rule(Severity.WARNING, Profile.PORTABLE)
def path_length(skill: Skill) -> Iterator[RuleProblem]:
    """A path inside the skill has at most 100 bytes, as in plain tar archives."""
    for path in skill.files:
        if len(path) * 4 > MAX_PATH and len(os.fsencode(path)) > MAX_PATH:
            yield RuleProblem(
                "the path has more than 100 bytes", "shorten it", path=path
            )


@rule(Severity.WARNING, Profile.PORTABLE)
def executable_bit(skill: Skill) -> Iterator[RuleProblem]:
    """Documents are not executable.

    An executable document is a mistake, or not the kind of file that its name claims.
    """
    for path, file in skill.files.items():
        if file.kind is FileKind.EXECUTABLE and _DOCUMENT.fullmatch(path):
            yield RuleProblem(
                "a document is marked executable",
                f"in the skill's folder: chmod -x {path}; "
                f"git update-index --chmod=-x {path}",
                path=path,
            )


FOLDER_RULES = rules_in(globals())


def _of_kind(skill: Skill, kind: FileKind) -> Iterator[tuple[str, File]]:
    for path, file in skill.files.items():
        if file.kind is kind:
            yield path, file
