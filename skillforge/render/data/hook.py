"""Hooks of agents as the `data` of `--json`."""

from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

if TYPE_CHECKING:
    from skillforge.workflows.hook_setup import HookChange, HookStatus


class HookChangeData(TypedDict):
    """The configuration files that changed, or would change in a dry run."""

    changed: list[str]
    backups: list[str]
    dry_run: bool
    note: str | None


class HookRunData(TypedDict):
    """One run of a hook; an `error`, or the calls of the session and what was kept."""

    at: int
    agent: str
    session: str
    calls: NotRequired[int]
    since: NotRequired[int]
    kept: NotRequired[int | None]
    error: NotRequired[str]


class HookStatusData(TypedDict):
    """Whether each agent has our hook, null if unknown; and its last run."""

    agents: dict[str, bool | None]
    last: HookRunData | None


def change(result: "HookChange") -> HookChangeData:
    return {
        "changed": [str(change.path) for change in result.changes],
        "backups": [str(path) for path in result.backups],
        "dry_run": result.is_dry_run,
        "note": result.note or None,
    }


def run(entry: dict[str, Any]) -> HookRunData:
    return cast("HookRunData", entry)


def status(result: "HookStatus") -> HookStatusData:
    return {
        "agents": {hook.agent: hook.is_installed for hook in result.agents},
        "last": run(result.last) if result.last else None,
    }
