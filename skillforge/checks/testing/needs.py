"""What scripts need beside Python itself, by their inline metadata (PEP 723)."""

import hashlib
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skillforge import proc
from skillforge.errors import ToolError
from skillforge.model import Skill

LOCK = "tests/requirements.lock"
_HINT = "name packages by name and version only, as PEP 723 has it"
_PINNED = re.compile(
    r"[A-Za-z0-9][\w.-]*(?:\[[\w., -]*\])?==[\w.!+*-]+"
    r"(?:\s*;[^#\n]*?)?(?:\s+--hash=sha\d+:[0-9a-f]+)*"
)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a script asks for; `problem` says why it cannot be had."""

    script: str
    requirements: tuple[str, ...] = ()
    problem: str = ""


def needs(skill: Skill) -> Iterator[Needs]:
    """The scripts of a skill that need more than Python, or another one."""
    for path in sorted(skill.files):
        if path.endswith(".py") and b"# /// script" in (data := skill.read(path)):
            found = _read(path, data.decode("utf-8", "replace"))
            if found.requirements or found.problem:
                yield found


def _read(path: str, text: str) -> Needs:
    try:
        said = tomllib.loads(_metadata(text))
        wanted = said.get("dependencies", [])
        if not isinstance(wanted, list) or not all(isinstance(w, str) for w in wanted):
            return Needs(path, problem="its dependencies are not a list of text")
        python = str(said.get("requires-python", ""))
        problem = _python_problem(python) or _problem(wanted)
    except tomllib.TOMLDecodeError as err:
        return Needs(path, problem=f"its inline metadata is not TOML: {err}")
    return Needs(path, tuple(sorted(wanted)), problem)


def _metadata(text: str) -> str:
    """The TOML in the comments between `# /// script` and `# ///`."""
    lines = iter(text.splitlines())
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


def _python_problem(wanted: str) -> str:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    have = ".".join(map(str, sys.version_info[:3]))
    try:
        fits = not wanted or SpecifierSet(wanted).contains(have)
    except InvalidSpecifier:
        return f"`requires-python` is not a version: {wanted}"
    return "" if fits else f"it needs Python {wanted}; this is {have}"


def _problem(wanted: list[str]) -> str:
    from packaging.requirements import InvalidRequirement, Requirement

    for words in wanted:
        try:
            requirement = Requirement(words)
        except InvalidRequirement:
            return f"`{words}` is not a requirement; {_HINT}"
        if requirement.url:
            return f"`{words}` is not from the package index; {_HINT}"
    return ""


def prepare(skill: Skill, wanted: list[Needs]) -> Path:
    """A folder with the packages, made once and kept; nothing of them is run for it."""
    lines = sorted({line for need in wanted for line in need.requirements})
    locked = LOCK in skill.files
    if locked:
        lines = _lock(skill.read(LOCK).decode("utf-8", "replace"))
    said = "\n".join(lines)
    key = hashlib.sha256(f"{sys.version}\n{locked}\n{said}".encode()).hexdigest()[:24]
    folder = cache_folder() / "packages" / key
    if not folder.is_dir():
        _install(said, folder, locked)
    return folder


def cache_folder() -> Path:
    """Where things are kept that can be made again."""
    if named := os.environ.get("SKILLFORGE_CACHE"):
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "skillforge"


def _lock(text: str) -> list[str]:
    joined = text.replace("\\\n", " ")
    lines = [line.partition(" #")[0].strip() for line in joined.split("\n")]
    pinned = [line for line in lines if line and not line.startswith("#")]
    for line in pinned:
        if not _PINNED.fullmatch(line):
            raise ToolError(
                f"{LOCK}: `{line[:80]}` is not one pinned package",
                hint="write name==version, with --hash=sha256:… if you have it",
            )
    return pinned


def _install(lines: str, folder: Path, locked: bool) -> None:
    """Let pip fill a folder from wheels alone; it gets its name when it is whole."""
    import shutil
    import tempfile

    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as scratch:
        wanted = Path(scratch, "requirements.txt")
        wanted.write_text(lines + "\n", encoding="utf-8")
        target = Path(scratch, "packages")
        argv = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input"]
        argv += [
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
            "--no-compile",
        ]
        argv += ["--target", str(target), "--requirement", str(wanted)]
        result = proc.run(argv + (["--no-deps"] if locked else []))
        if result.code:
            last = result.complaint.splitlines()[-1:] or ["pip failed"]
            raise ToolError(f"the packages cannot be had: {last[0][:300]}")
        target.mkdir(exist_ok=True)
        for path in (target, *target.rglob("*")):
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        try:
            target.rename(folder)
        except OSError:  # another process was first, with the same content
            shutil.rmtree(target, ignore_errors=True)
