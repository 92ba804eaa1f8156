"""From a case to a job: the skill's files laid out, and what the job finds there."""

import importlib.util
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath

from skillforge.checks.testing.cases import TESTS, Case
from skillforge.checks.testing.expect import wanted_files
from skillforge.model import Kind, Skill
from skillforge.sandbox import SKILL_DIR, Job, Limits

REPORT = ".skillforge-report.xml"
PACKAGES = "/packages"
_RUNNER = "/runner"
_PYTEST = (
    *("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments"),
)
_NOT_LINKED = (TESTS, "evals", "evidence")
_IMPORTS_PYTEST = re.compile(rb"^[ \t]*(?:import|from)[ \t]+pytest\b", re.MULTILINE)


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


def test_files(skill: Skill) -> Iterator[Case]:
    """Tests that are programs: `tests/test_*.py`, and what is executable of `*.sh`."""
    for path, file in sorted(skill.files.items()):
        where = PurePosixPath(path)
        if where.parent.as_posix() != TESTS:
            continue
        if where.suffix == ".py" and where.name.startswith("test_"):
            yield _python_case(skill, path)
        elif where.suffix == ".sh" and file.kind is Kind.EXECUTABLE:
            yield Case(path, path, (f"{SKILL_DIR}/{path}",))


def _python_case(skill: Skill, path: str) -> Case:
    env = {"PYTHONPATH": f"{SKILL_DIR}/scripts:{SKILL_DIR}:{PACKAGES}:{_RUNNER}"}
    needs_pytest = bool(_IMPORTS_PYTEST.search(skill.read(path)))
    name = PurePosixPath(path).name
    if pytest_files():
        argv = ["-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]
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
