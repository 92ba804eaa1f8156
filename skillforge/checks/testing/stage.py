"""From a case to a job: the skill's files laid out, and what the job finds there."""

import importlib.util
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path, PurePosixPath

from skillforge.checks.testing.cases import TESTS, Case, broken, is_in_tests
from skillforge.checks.testing.expect import wanted_files
from skillforge.errors import ToolError
from skillforge.model import Finding, Kind, Severity, Skill, Trial
from skillforge.sandbox import SKILL_DIR, Job, Limits

REPORT = ".skillforge-report.xml"
PACKAGES = "/packages"
_RUNNER = "/runner"
_PYTEST = (
    *("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments"),
)
_PREFIX = "skillforge-test-"
_NOT_LINKED = (TESTS, "evals", "evidence")
_LOOKS_LIKE_A_TEST = re.compile(r"(?i)(?:\.ya?ml|\.json|\.sh|_tests?\.py)$")
_IMPORTS_PYTEST = re.compile(rb"^[ \t]*(?:import|from)[ \t]+pytest\b", re.MULTILINE)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder of our own for as long as this takes; what others left goes, too."""
    base = Path(tempfile.gettempdir())
    for left in base.glob(f"{_PREFIX}*"):
        owner = left.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(left, ignore_errors=True)
    try:
        with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as folder:
            yield Path(folder)
    except OSError as err:
        raise ToolError(
            f"cannot write in {base}: {err.strerror}", hint="is the disk full?"
        ) from err


def lay_out(skill: Skill, folder: Path) -> Path:
    """Write a skill's files, byte for byte, where a sandbox can mount them."""
    top = folder / "skill"
    top.mkdir(mode=0o755)
    for path, file in skill.files.items():
        if file.kind in (Kind.FILE, Kind.EXECUTABLE, Kind.SYMLINK) and path != ".":
            _write(top / path, skill.read(path), file.kind)
    return top


def _write(path: Path, data: bytes, kind: Kind) -> None:
    for parent in reversed(path.parents[: len(path.parents)]):
        if not parent.exists():
            parent.mkdir(mode=0o755)
    if kind is Kind.SYMLINK:
        path.symlink_to(os.fsdecode(data))
    else:
        path.write_bytes(data)
        path.chmod(0o755 if kind is Kind.EXECUTABLE else 0o644)


def test_files(skill: Skill) -> Iterator[Case | Trial]:
    """Tests that are programs: `tests/test_*.py`, and what is executable of `*.sh`."""
    for path, file in sorted(skill.files.items()):
        where = PurePosixPath(path)
        if not is_in_tests(path):
            continue
        if where.suffix == ".py" and where.name.startswith("test_"):
            yield _python_case(skill, path)
        elif where.suffix == ".sh" and file.kind is Kind.EXECUTABLE:
            first = skill.read(path).partition(b"\n")[0]
            if not first.startswith(b"#!") or first.endswith(b"\r"):
                why = "its first line has to name its interpreter, as #!/bin/sh does"
                ending = ", without a carriage return" if b"\r" in first else ""
                yield broken(skill, path, 1, why + ending)
            else:
                yield Case(path, path, (f"{SKILL_DIR}/{path}",))


def ignored(skill: Skill) -> Iterator[Finding]:
    """Files of `tests/` that look like tests, and are not taken for any."""
    for path, file in sorted(skill.files.items()):
        if is_in_tests(path) and _LOOKS_LIKE_A_TEST.search(path):
            is_run = file.kind is Kind.EXECUTABLE or not path.endswith(".sh")
            if path.endswith((".yaml", ".yml")) or (path.endswith(".sh") and is_run):
                continue
            hint = "cases are *.yaml, test_*.py, and *.sh that can be executed"
            message = "it lies in tests/, but is not run"
            yield Finding("not-a-case", Severity.WARNING, message, path, 1, hint)


def _python_case(skill: Skill, path: str) -> Case:
    env = {"PYTHONPATH": f"{SKILL_DIR}/scripts:{SKILL_DIR}:{PACKAGES}:{_RUNNER}"}
    needs_pytest = bool(_IMPORTS_PYTEST.search(skill.read(path)))
    name = PurePosixPath(path).name
    if pytest_files():
        argv = ["-m", "pytest", "-q", "--no-header", "--tb=short"]
        argv += ["-p", "no:cacheprovider"]
        argv += ["-c", "/dev/null", f"--rootdir={SKILL_DIR}", f"--junitxml={REPORT}"]
        argv += [f"{SKILL_DIR}/{path}"]
        runner = "pytest"
    else:
        argv = ["-m", "unittest", "discover", "-v", "-s", f"{SKILL_DIR}/{TESTS}", "-p"]
        argv += [name]
        runner = "none" if needs_pytest else "unittest"
    return Case(path, path, ("python3", *argv), env=env, runner=runner)


@cache
def pytest_files() -> dict[str, Path]:
    """Where pytest and what it needs are installed beside us; nothing if it is not."""
    found: dict[str, Path] = {}
    for name in _PYTEST:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            if name == "pygments":
                continue
            return {}
        origin = Path(spec.origin)
        place = origin.parent if origin.name == "__init__.py" else origin
        found[f"{_RUNNER}/{place.name}"] = place
    return found


def job(
    case: Case,
    skill: Skill,
    folder: Path,
    packages: Path | None,
    limits: Limits,
) -> Job:
    """What to run for a case, on a skill laid out in a folder."""
    mounts: dict[str, Path] = dict(pytest_files()) if case.runner == "pytest" else {}
    env = dict(case.env)
    if packages is not None:
        mounts[PACKAGES] = packages
        env.setdefault("PYTHONPATH", PACKAGES)
    wanted = wanted_files(case.expect)
    return Job(
        case.argv,
        folder,
        case.stdin,
        case.files,
        _links(skill, case.files),
        env,
        mounts,
        (*wanted, REPORT) if case.runner == "pytest" else wanted,
        limits,
        has_traps=True,
    )


def _links(skill: Skill, files: Mapping[str, bytes]) -> dict[str, str]:
    """So that `scripts/run.py` is found from where a job starts, as SKILL.md has it."""
    folders = {path.partition("/")[0] for path in skill.files if "/" in path}
    taken = {path.partition("/")[0] for path in files}
    return {
        name: f"{SKILL_DIR}/{name}"
        for name in sorted(folders - taken)
        if name not in _NOT_LINKED
    }
