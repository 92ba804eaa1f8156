"""All errors; the class determines the exit code."""

import errno
from collections.abc import Mapping
from enum import IntEnum


class Exit(IntEnum):
    """The exit codes of commands."""

    DONE = 0
    NO = 1
    NOT_UNDERSTOOD = 2
    TOOL_FAILED = 3
    NOT_NOW = 4
    BUG = 70


class SkillforgeError(Exception):
    """An error that the user can fix: what is wrong, and what to do next."""

    exit_code = Exit.BUG

    def __init__(
        self, message: str, *, hint: str = "", facts: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.facts = dict(facts or {})  # details for scripts


class RequestError(SkillforgeError):
    """The request is invalid, or names something that does not exist."""

    exit_code = Exit.NOT_UNDERSTOOD


class ConfigError(SkillforgeError):
    """The library or its policy is invalid."""

    exit_code = Exit.NOT_UNDERSTOOD


class ToolError(SkillforgeError):
    """A tool (git, the file system, a server) is missing or failed."""

    exit_code = Exit.TOOL_FAILED


class ConflictError(SkillforgeError):
    """The request is valid, but the state of the library does not allow it now."""

    exit_code = Exit.NOT_NOW


class RefusedError(SkillforgeError):
    """Untrusted content breaks a rule that protects its users."""

    exit_code = Exit.NO


def unwritable(folder: object, err: OSError) -> ToolError:
    """The error for a folder that cannot be written to."""
    is_full = err.errno in (errno.ENOSPC, errno.EDQUOT)
    hint = "free some space" if is_full else "choose a folder that you can write to"
    return ToolError(f"cannot write in {folder}: {err.strerror}", hint=hint)
