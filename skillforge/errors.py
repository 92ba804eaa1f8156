"""One tree of errors; the class, and nothing else, chooses the exit code."""

from collections.abc import Mapping
from enum import IntEnum


class Exit(IntEnum):
    """What a command's exit code tells a script."""

    DONE = 0
    NO = 1
    NOT_UNDERSTOOD = 2
    TOOL_FAILED = 3
    NOT_NOW = 4
    BUG = 70


class SkillforgeError(Exception):
    """A stop that the user can do something about: what is wrong, and what next."""

    exit_code = Exit.BUG

    def __init__(
        self, message: str, *, hint: str = "", facts: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.facts = dict(facts or {})  # for scripts: what is in the way


class RequestError(SkillforgeError):
    """The request names something that is not there or cannot be understood."""

    exit_code = Exit.NOT_UNDERSTOOD


class ConfigError(SkillforgeError):
    """The library or its policy cannot be understood."""

    exit_code = Exit.NOT_UNDERSTOOD


class ToolError(SkillforgeError):
    """Something that we drive (git, the file system) is missing or failed."""

    exit_code = Exit.TOOL_FAILED


class ConflictError(SkillforgeError):
    """The request is fine, but the state of the library forbids it now."""

    exit_code = Exit.NOT_NOW


class RefusedError(SkillforgeError):
    """What somebody else made breaks a rule that keeps whoever takes it safe."""

    exit_code = Exit.NO


def unwritable(place: object, err: OSError) -> ToolError:
    """What to say where a folder cannot be written."""
    words = f"cannot write in {place}: {err.strerror}"
    return ToolError(words, hint="is the disk full?")
