"""Hooks of agents as text for a terminal."""

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from skillforge.report import plural, printable
from skillforge.text import lines_of

if TYPE_CHECKING:
    from skillforge.workflows.hook_setup import HookChange, HookStatus


def change(result: "HookChange") -> str:
    return "\n".join(map(printable, _change_lines(result)))


def _change_lines(result: "HookChange") -> Iterator[str]:
    if not result.changes:
        yield "nothing to change"
    for change in result.changes:
        if result.is_dry_run:
            texts = lines_of(change.before), lines_of(change.after)
            names = str(change.path), str(change.path)
            yield from unified_diff(*texts, *names, lineterm="")
        yield f"{'would change' if result.is_dry_run else 'changed'} {change.path}"
    yield from (f"backup: {path}" for path in result.backups)
    if result.changes and result.note and not result.is_dry_run:
        yield result.note


def status(result: "HookStatus") -> str:
    lines = [
        f"{hook.agent:<12} "
        + (hook.problem or ("installed" if hook.is_installed else "not installed"))
        for hook in result.agents
    ]
    return "\n".join(map(printable, [*lines, last_run(result.last)]))


def last_run(entry: Mapping[str, Any] | None) -> str:
    if entry is None:
        return "no runs yet"
    last = f"last run: {entry['agent'] or '-'}, session {entry['session'] or '-'}"
    if "error" in entry:
        return f"{last}: {entry['error']}"
    if entry["kept"] is None:
        return f"{last}: {entry['since']} calls since the last capture; 10 needed"
    examples = plural(entry["kept"], "example")
    return f"{last}: kept {examples} from {entry['calls']} calls"
