"""Turn a case into a sandbox job: the skill's files, the command, the mounts."""

import errno
import importlib.util
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path, PurePosixPath

from skillforge.checks.cases.case_files import (
    TESTS,
    Case,
    broken,
    is_in_tests,
    is_inside,
)
from skillforge.checks.cases.expectations import wanted_files
from skillforge.errors import RequestError, unwritable
from skillforge.model import FileKind, Finding, Severity, Skill, Trial
from skillforge.sandbox import ROOT, SKILL_DIR, Job, Limits, work_files

REPORT = ".skillforge-report.xml"
_PACKAGES = "/packages"
_RUNNER = "/runner"
_SKILL = ROOT + SKILL_DIR
_PYTEST = ["pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments"]
_PREFIX = "skillforge-test-"
_MODES = {FileKind.FILE: 0o644, FileKind.EXECUTABLE: 0o755, FileKind.SYMLINK: 0o777}
_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO)
_NOT_LINKED = (TESTS, "evals", "evidence")
# The runner is imported first, so that no module of the skill can replace it.
_PATHS = f"sys.path += ['{_SKILL}/scripts', '{_SKILL}', '{ROOT}{_PACKAGES}']"
_PYTEST_BOOT = f"""
import os, sys
sys.path.insert(0, '{ROOT}{_RUNNER}')
os.environ['PYTEST_DISABLE_PLUGIN_AUTOLOAD'] = '1'
import pytest, _pytest.junitxml
{_PATHS}
sys.exit(pytest.main(sys.argv[1:]))
"""
_UNITTEST_BOOT = f"""
import sys, unittest
{_PATHS}
unittest.main(module=None, argv=sys.argv[1:])
"""
_LOOKS_LIKE_A_TEST = re.compile(r"(?i)(?:\.ya?ml|\.json|\.sh|_tests?\.py)$")
_IMPORTS_PYTEST = re.compile(rb"^[ \t]*(?:import|from)[ \t]+pytest\b", re.MULTILINE)


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder; also removes the leftovers of killed processes."""
    base = Path(tempfile.gettempdir())
    for left in base.glob(f"{_PREFIX}*"):
        owner = left.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not _is_running(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    try:
        folder = tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-")
    except OSError as err:
        raise unwritable(base, err) from err
    with folder as name:
        yield Path(name)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # a process of another user
    return True


def lay_out(skill: Skill, folder: Path) -> Path:
    """Write a skill's files, byte for byte, where a sandbox can mount them.

    A git tree can contain any path, and links that lead elsewhere: folders are opened
    one by one, and links are not followed.
    """
    top = folder / "skill"
    top.mkdir()
    held = work_files.open_folder(str(top))
    try:
        os.fchmod(held, 0o755)
        for path, file in skill.files.items():
            if path == "." or file.kind not in _MODES:
                continue
            if not is_inside(path):
                raise RequestError(f"the path {path!r} points outside the skill")
            if file.kind is FileKind.SYMLINK:
                work_files.link(held, path, os.fsdecode(skill.read(path)))
            else:
                work_files.put(held, path, skill.read(path), _MODES[file.kind])
    except (OSError, ValueError) as err:
        if isinstance(err, OSError) and err.errno in _OF_THE_DISK:
            raise unwritable(top, err) from err
        raise RequestError(f"cannot write the files of the skill: {err}") from err
    finally:
        os.close(held)
    return top


def test_files(skill: Skill) -> Iterator[Case | Trial]:
    """The tests that are programs: `tests/test_*.py` and executable `*.sh`."""
    for path, file in sorted(skill.files.items()):
        where = PurePosixPath(path)
        if not is_in_tests(path):
            continue
        if where.suffix == ".py" and where.name.startswith("test_"):
            yield _python_case(skill, path)
        elif where.suffix == ".sh" and file.kind is FileKind.EXECUTABLE:
            first = skill.read(path).partition(b"\n")[0]
            if not first.startswith(b"#!") or first.endswith(b"\r"):
                why = "the first line must name the interpreter, such as #!/bin/sh"
                ending = ", without a carriage return" if b"\r" in first else ""
                yield broken(skill, path, 1, why + ending)
            else:
                yield Case(path, path, (f"{_SKILL}/{path}",))


def ignored(skill: Skill) -> Iterator[Finding]:
    """Findings for files of `tests/` that look like tests but are not run."""
    hint = "cases are *.yaml, test_*.py, and executable *.sh"
    for path, file in sorted(skill.files.items()):
        is_run = path.endswith((".yaml", ".yml")) or (
            path.endswith(".sh") and file.kind is FileKind.EXECUTABLE
        )
        if is_in_tests(path) and _LOOKS_LIKE_A_TEST.search(path) and not is_run:
            message = "is in tests/, but not run"
            yield Finding("not-a-case", Severity.WARNING, message, path, 1, hint)


def _python_case(skill: Skill, path: str) -> Case:
    needs_pytest = bool(_IMPORTS_PYTEST.search(skill.read(path)))
    if pytest_files():
        words = ["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider"]
        words += ["-c", "/dev/null", f"--rootdir={_SKILL}", f"--junitxml={REPORT}"]
        words += [f"--confcutdir={_SKILL}"]  # no conftest.py above it
        boot, runner = _PYTEST_BOOT, "pytest"
        words += [f"{_SKILL}/{path}"]
    else:
        words = ["unittest", "discover", "-v", "-s", f"{_SKILL}/{TESTS}"]
        words += ["-p", PurePosixPath(path).name]
        boot, runner = _UNITTEST_BOOT, "none" if needs_pytest else "unittest"
    argv = ("python3", "-I", "-c", boot, *words)
    return Case(path, path, argv, runner=runner)


@cache
def pytest_files() -> dict[str, Path]:
    """The installed files of pytest and its dependencies; empty if it is missing."""
    files: dict[str, Path] = {}
    for name in _PYTEST:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            if name == "pygments":
                continue
            return {}
        origin = Path(spec.origin)
        place = origin.parent if origin.name == "__init__.py" else origin
        files[f"{_RUNNER}/{place.name}"] = place
    return files


def job(
    case: Case, skill: Skill, folder: Path, packages: Path | None, limits: Limits
) -> Job:
    """The sandbox job for a case; `folder` contains the skill."""
    mounts: dict[str, Path] = dict(pytest_files()) if case.runner == "pytest" else {}
    env = dict(case.env)
    if packages is not None:
        mounts[_PACKAGES] = packages
        env.setdefault("PYTHONPATH", ROOT + _PACKAGES)
    outputs = wanted_files(case.expect)
    return Job(
        case.argv,
        folder,
        case.stdin,
        case.files,
        _links(skill, case.files),
        env,
        mounts,
        (*outputs, REPORT) if case.runner == "pytest" else outputs,
        limits,
        has_traps=True,
    )


def _links(skill: Skill, files: Mapping[str, bytes]) -> dict[str, str]:
    """Links in the working folder, so that `scripts/run.py` works as in SKILL.md."""
    folders = {path.partition("/")[0] for path in skill.files if "/" in path}
    taken = {path.partition("/")[0] for path in files}
    return {
        name: f"{_SKILL}/{name}"
        for name in sorted(folders - taken)
        if name not in _NOT_LINKED
    }
