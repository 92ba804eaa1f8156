"""The folder that a job without namespaces takes for the root of its world.

It has the layout of other sandboxes. The skill is a folder of hard links, or a copy
where there can be none; other folders that it is given are symbolic links, if the job's
user can follow them.
"""

import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from glob import glob
from pathlib import Path

from skillforge.errors import unwritable
from skillforge.sandbox import (
    ENVIRONMENT,
    HOME_DIR,
    SKILL_DIR,
    USER_ID,
    WORK_DIR,
    Job,
    system_paths,
    work_files,
)

_PREFIX = "skillforge-landlock-"
_OLD = 3600  # seconds, more than a job may take
_PYTHON = "/python"
_PROGRAMS = ("/usr/local/bin", "/usr/bin", "/bin")
# Settings that programs read if they are there, and fail if they cannot be read; none
# of them says anything about this machine's users.
_SETTINGS = (
    *("/etc/alternatives", "/etc/ld.so.cache", "/nix/store", "/etc/mime.types"),
    *("/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/etc/crypto-policies"),
    *("/etc/localtime", "/etc/fonts", "/etc/terminfo", "/etc/perl", "/etc/magic"),
    *("/etc/java*", "/etc/python3*", "/etc/ImageMagick-*"),
)
# What is the same for all processes. Those of others, and their arguments, are not.
_KERNEL = tuple(
    f"/proc/{name}"
    for name in (
        *("cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "uptime"),
        *("version", "sys/kernel", "sys/vm"),
    )
)


def is_root() -> bool:
    return os.geteuid() == 0


def open_folder() -> str:
    """Where temporary folders are made that the job's user gets to."""
    usual = tempfile.gettempdir()
    others = ["/tmp", "/var/tmp"] if is_root() else []
    passable = (
        path for path in (usual, *others) if not is_root() or _is_passable(path)
    )
    return next(passable, usual)


@contextmanager
def scratch_folder() -> Iterator[str]:
    """An empty folder for one job, removed whatever the job makes of it."""
    base = open_folder()
    try:
        name = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=base)
    except OSError as err:
        raise unwritable(base, err) from err
    try:
        if is_root():
            os.chmod(name, 0o711)  # noqa: S103 - nobody passes through, and sees nothing
        yield os.path.realpath(name)
    finally:
        work_files.remove_folder(name)


def sweep() -> None:
    """Remove what jobs left whose attending process was killed."""
    for left in Path(open_folder()).glob(f"{_PREFIX}*"):
        owner = left.name.removeprefix(_PREFIX).partition("-")[0]
        if not owner.isdecimal() or os.path.exists(f"/proc/{owner}"):
            continue
        with suppress(OSError):  # others remove it, too
            facts = left.lstat()
            # Other containers may share the folder, and have numbers of their own.
            # Another user could swap folders for links while we remove them.
            is_old = time.time() - facts.st_mtime > _OLD
            if is_old and facts.st_uid == os.geteuid():
                work_files.remove_folder(str(left))


class ScratchRoot:
    """The layout for one job: what it may read, and how its paths are shown."""

    def __init__(self, job: Job, root: str) -> None:
        self.job = job
        self.root = root
        self.work = root + WORK_DIR
        self.home = root + HOME_DIR
        self.stdin = "/dev/null"
        shown = [*system_paths.SYSTEM, *_library(interpreter())]
        shown = system_paths.without(shown, system_paths.private_folders())
        self.reads = [*shown, *_settings(), *_KERNEL, self.home]
        self.shown: dict[str, str] = {root: ""}

    def build(self) -> None:
        owner = USER_ID if is_root() else -1
        for folder in (self.work, self.home):
            os.makedirs(folder, 0o755)
        os.chown(self.work, owner, owner)
        self._add_python()
        for where, path in {SKILL_DIR: self.job.skill, **self.job.mounts}.items():
            self._give(where, os.path.realpath(path))
        work = work_files.open_folder(self.work)
        try:
            for name, data in self.job.files.items():
                work_files.put(work, name, data, owner=owner)
            for name, target in self.job.links.items():
                work_files.link(work, name, target, owner=owner)
        finally:
            os.close(work)
        if self.job.stdin:
            self.stdin = f"{self.root}/stdin"
            Path(self.stdin).write_bytes(self.job.stdin)
            os.chmod(self.stdin, 0o444)
            self.reads.append(self.stdin)

    def variables(self) -> dict[str, str]:
        """All variables of a job, but for its own and those of traps."""
        env = {
            name: self.root + value if value.startswith("/") else value
            for name, value in ENVIRONMENT.items()
        }
        own = [self.root + _PYTHON + "/bin"]
        if (home := os.path.dirname(interpreter())) and home not in _PROGRAMS:
            own.append(home)
        # Git stops at a configuration that it cannot read.
        env["GIT_CONFIG_NOSYSTEM"] = "1"
        return {"PATH": ":".join((*own, *_PROGRAMS)), **env}

    def translate(self, text: bytes) -> bytes:
        """What a job wrote, with the paths that it has in other sandboxes."""
        for path in sorted(self.shown, key=len, reverse=True):
            text = text.replace(os.fsencode(path), os.fsencode(self.shown[path]))
        return text

    def _give(self, where: str, path: str) -> None:
        """Let the job read a file or folder at a place of its root."""
        target = self.root + where
        parent = os.path.dirname(target)
        if parent != self.root:
            os.makedirs(parent, 0o755, exist_ok=True)
            self.reads.append(parent)
        # Test runners take a skill behind a link for something outside of it.
        if where != SKILL_DIR and (not is_root() or _is_open_to_all(path)):
            os.symlink(path, target)
            self.reads.append(path)
            self.shown[path] = where
            return
        self.reads.append(target)
        if os.path.isdir(path):
            shutil.copytree(path, target, symlinks=True, copy_function=_take)
            os.chmod(target, 0o755)  # noqa: S103 - Landlock lets nobody write it
        else:
            _take(path, target)

    def _add_python(self) -> None:
        """A Python that does not see the packages installed beside it."""
        if not (program := interpreter()):
            return
        folder = self.root + _PYTHON
        os.makedirs(f"{folder}/bin", 0o755)
        version = "python{}.{}".format(*sys.version_info)
        for name in ("python", "python3", version):
            os.symlink(program, f"{folder}/bin/{name}")
        Path(f"{folder}/pyvenv.cfg").write_text(
            f"home = {os.path.dirname(program)}\ninclude-system-site-packages = false\n"
        )
        self.reads.append(folder)


@cache
def _settings() -> list[str]:
    return [path for pattern in _SETTINGS for path in glob(pattern)]


@cache
def interpreter() -> str:
    """The Python that we run on, if the job's user can; else the system's; or none."""
    ours = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
    if not is_root() or _is_open_to_all(ours):
        return ours
    return os.path.realpath(shutil.which("python3", path=":".join(_PROGRAMS)) or "")


def _library(program: str) -> list[str]:
    """Where that Python's own library is, if not in the system's folders."""
    is_ours = program.startswith(f"{os.path.realpath(sys.base_prefix)}/")
    return system_paths.python_paths() if is_ours else []


def _take(source: str, target: str) -> None:
    """Have the same file at another place, readable for the job's user."""
    try:
        if is_root() and not os.stat(source).st_mode & stat.S_IROTH:
            raise PermissionError(source)
        os.link(source, target, follow_symlinks=False)
    except OSError:  # another file system, or none with such links
        shutil.copy(source, target)
        os.chmod(target, os.stat(target).st_mode | 0o444)


def _is_passable(path: str) -> bool:
    """Whether any user gets to what is in a folder."""
    folders = (path, *map(str, Path(path).parents))
    return all(os.stat(up).st_mode & stat.S_IXOTH for up in folders)


def _is_open_to_all(path: str) -> bool:
    """Whether any user gets to a path and can read it."""
    is_readable = bool(os.stat(path).st_mode & stat.S_IROTH)
    return is_readable and _is_passable(os.path.dirname(path))
