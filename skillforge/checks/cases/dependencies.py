"""The packages that scripts declare in their inline metadata (PEP 723)."""

import hashlib
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skillforge import processes
from skillforge.errors import ToolError
from skillforge.model import FileKind, Skill

LOCK = "tests/requirements.lock"
_HINT = "list packages by name and version only (PEP 723)"
_PINNED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+_-]+", re.ASCII)
_HASH = re.compile(r"--hash=sha(?:256|384|512):[0-9a-f]{64,128}", re.ASCII)
_MOST_BYTES = 1 << 18  # of a lock
_MOST_METADATA = 1 << 12  # characters; the parser takes quadratic time


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What a script needs; `problem` is why it cannot be installed."""

    script: str
    requirements: tuple[str, ...] = ()
    problem: str = ""


def needs(skill: Skill) -> Iterator[Dependencies]:
    """The scripts of a skill that need packages, or another version of Python."""
    for path in sorted(skill.files):
        is_file = skill.files[path].kind in (FileKind.FILE, FileKind.EXECUTABLE)
        if not is_file or not path.endswith(".py"):
            continue
        if b"# /// script" in (data := skill.read(path)):
            dependencies = _read(path, data.decode("utf-8", "replace"))
            if dependencies.requirements or dependencies.problem:
                yield dependencies


def _read(path: str, text: str) -> Dependencies:
    try:
        metadata = _metadata(text)
        if len(metadata) > _MOST_METADATA:
            return Dependencies(path, problem="the inline metadata is too long")
        fields = tomllib.loads(metadata)
        requirements = fields.get("dependencies", [])
        if not isinstance(requirements, list) or not all(
            isinstance(w, str) for w in requirements
        ):
            return Dependencies(path, problem="`dependencies` is not a list of text")
        python = fields.get("requires-python", "")
        problem = _python_problem(python) or _problem(requirements)
    except (ValueError, RecursionError) as err:
        return Dependencies(
            path, problem=f"the inline metadata is not TOML: {str(err)[:200]}"
        )
    return Dependencies(path, tuple(sorted(requirements)), problem)


def _metadata(text: str) -> str:
    """The TOML in the comments between `# /// script` and `# ///`."""
    lines = iter(re.split(r"\r\n?|\n", text))  # as Python splits lines
    inside: list[str] = []
    for line in lines:
        if line.rstrip() == "# /// script":
            break
    for line in lines:
        if line.rstrip() == "# ///":
            return "\n".join(inside)
        if not line.startswith("#"):
            break
        inside.append(line.removeprefix("#").removeprefix(" "))
    return ""


def _python_problem(specifier: object) -> str:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    if not isinstance(specifier, str) or len(specifier) > 100:
        return "`requires-python` is not a version"
    have = ".".join(map(str, sys.version_info[:3]))
    try:
        fits = not specifier or SpecifierSet(specifier).contains(have)
    except InvalidSpecifier:
        return f"`requires-python` is not a version: {specifier}"
    return "" if fits else f"needs Python {specifier}, not {have}"


def _problem(requirements: list[str]) -> str:
    from packaging.requirements import InvalidRequirement, Requirement

    for text in requirements:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            return f"`{text}` is not a requirement; {_HINT}"
        if requirement.url:
            return f"`{text}` is not from the package index; {_HINT}"
        # To pip, it might be two lines or an option.
        if not text.isprintable() or "===" in text or "$" in text:
            return f"`{text!r}` is not a plain requirement; {_HINT}"
    return ""


def prepare(skill: Skill, dependencies: list[Dependencies]) -> Path:
    """A folder with the packages, installed once, without running their code."""
    requirements, locked = _requirements(skill, dependencies)
    folder = _folder(requirements, locked)
    if not folder.is_dir():
        _install(requirements, folder, locked)
    return folder


def digest(skill: Skill) -> str:
    """Equal if scripts get the same packages; empty if they need none.

    Packages without a lock may differ over time, so the installed ones count as well.
    """
    dependencies = list(needs(skill))
    if not dependencies:
        return ""
    try:
        requirements, locked = _requirements(skill, dependencies)
    except ToolError as err:
        return err.message
    here = sorted(
        package.name for package in _folder(requirements, locked).glob("*.dist-info")
    )
    made_of = "\n".join([requirements, *here])
    return hashlib.sha256(made_of.encode()).hexdigest()[:16]


def _requirements(skill: Skill, dependencies: list[Dependencies]) -> tuple[str, bool]:
    """The requirements for pip, one per line, and whether they come from a lock."""
    lines = sorted({line for need in dependencies for line in need.requirements})
    locked = LOCK in skill.files
    if locked:
        if skill.files[LOCK].size > _MOST_BYTES:
            raise ToolError(f"{LOCK} has more than {_MOST_BYTES >> 10} KB")
        lines = _lock(skill.read(LOCK).decode("utf-8", "replace"))
    return "\n".join(lines), locked


def _folder(requirements: str, locked: bool) -> Path:
    from skillforge.store import cache_folder

    key = hashlib.sha256(
        f"{sys.version}\n{locked}\n{requirements}".encode()
    ).hexdigest()[:24]
    return cache_folder() / "packages" / key


def _lock(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        words = line.partition(" #")[0].split()
        if not words or words[0].startswith("#"):
            continue
        pinned, *hashes = words
        if not _PINNED.fullmatch(pinned) or not all(map(_HASH.fullmatch, hashes)):
            raise ToolError(
                f"{LOCK}: `{line.strip()[:80]}` doesn't pin one package",
                hint="write name==version, with --hash=sha256:… if you have it",
            )
        lines.append(" ".join(words))
    return lines


def _install(lines: str, folder: Path, locked: bool) -> None:
    """Install wheels with pip into a folder that is renamed when it is complete."""
    import tempfile

    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as scratch:
        Path(scratch, "empty").mkdir()
        requirements = Path(scratch, "requirements.txt")
        requirements.write_text(lines + "\n", encoding="utf-8")
        target = Path(scratch, "packages")
        # With -I and in an empty folder, no file of the skill can pose as pip.
        argv = [sys.executable, "-I", "-m", "pip", "install", "--quiet", "--no-input"]
        argv += [
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
            "--no-compile",
        ]
        argv += ["--target", str(target), "--requirement", str(requirements)]
        result = processes.run(
            argv + (["--no-deps"] if locked else []), cwd=Path(scratch, "empty")
        )
        if result.code:
            output = result.complaint.splitlines() or ["pip failed"]
            errors = [line for line in output if line.startswith("ERROR:")] or output
            raise ToolError(f"cannot install packages: {errors[0][:300]}")
        target.mkdir(exist_ok=True)
        for path in (target, *target.rglob("*")):
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        try:
            target.rename(folder)
        except OSError as err:
            if not folder.is_dir():  # else another process installed the same first
                raise ToolError(f"cannot write {folder}: {err.strerror}") from err
