"""How git is run: its environment and settings, and its errors."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from skillforge import processes
from skillforge.errors import ToolError

# Git sets these in hooks; inherited, they point at another repository or index.
_HOOK_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)

# A trace would be part of every error, and may contain a secret.
_TRACES = ("GIT_TRACE", "GIT_CURL_VERBOSE")

# Regardless of the configuration: no hooks, no file system monitor, no signature
# check, and no commit graph, which could be forged. On the command line, since no file
# and no variable overrides that.
GIT = (
    "git",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "core.commitGraph=false",
    "-c",
    "advice.graftFileDeprecated=false",
    "-c",
    f"diff.orderFile={os.devnull}",
)
# For comparisons, regardless of the configuration and .gitmodules.
AS_IT_IS = ("--no-renames", "--ignore-submodules=none")
# Read real objects: replacements and grafts could show a different history.
_REAL_OBJECTS = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull}
# Reading never uses the network: a partial clone would fetch missing objects, with a
# program that its configuration names. Older gits know only the second variable.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}

_DAMAGE = (
    "not a git repository",
    "packed-refs",
    "missing object",
    "bad object",
    "unable to read",
    "is corrupt",
    "reference broken",
)


def environment() -> dict[str, str]:
    """Our environment without the variables that a surrounding git hook set."""
    env = {
        k: v
        for k, v in os.environ.items()
        if k not in _HOOK_VARIABLES and not k.startswith(_TRACES)
    }
    # Git must not rewrite the user's index, nor ask for a password.
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    return env | quiet | _REAL_OBJECTS | _OFFLINE


def online(env: Mapping[str, str]) -> dict[str, str]:
    """An environment in which git may use the network, as the user configured it."""
    users = {k: v for k, v in os.environ.items() if k in _OFFLINE}
    return {k: v for k, v in env.items() if k not in _OFFLINE} | users


def version() -> str:
    """The version of the installed git."""
    result = processes.run(["git", "version"], env=environment())
    return result.out.decode().removeprefix("git version").strip()


def output(args: tuple[str, ...], result: processes.ProcessResult) -> bytes:
    """The output of a git that has ended; a non-zero exit is an error."""
    if result.code == 0:
        return result.out
    hint = ""
    if "dubious ownership" in result.complaint:
        hint = "if you trust it: git config --global --add safe.directory PATH"
    command = " ".join(("git", *args[:2]))
    raise failed(command, result.complaint, hint)


def failed(command: str, complaint: str, hint: str = "") -> ToolError:
    """The error for a git that failed, with a hint if the repository is damaged."""
    is_damage = any(words in complaint for words in _DAMAGE)
    if "promisor remote" in complaint:
        hint = "this is a partial clone, which lacks objects; to fetch them: git fetch "
        hint += "--refetch --no-filter"
    hint = hint or ("skillforge doctor shows what is damaged" if is_damage else "")
    return ToolError(f"`{command}` failed: {complaint}", hint=hint)


@contextmanager
def hook_variables_hidden() -> Iterator[None]:
    """Hide the variables of a surrounding git hook from GitPython."""
    hidden = {k: os.environ.pop(k) for k in _HOOK_VARIABLES if k in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)
