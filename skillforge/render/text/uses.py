"""Uses and synced folders as text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillforge.workflows.canary import CanaryCheck
    from skillforge.workflows.record import Recording
    from skillforge.workflows.sync import FolderSync
    from skillforge.workflows.sync_uses import UseSync

_NOT_LISTED = ("unchanged", "withheld")  # only counted
_ACTIONS = (
    "added", "updated", "removed", "unchanged", "kept", "foreign", "refused",
    "withheld",
)  # fmt: skip


def record(recording: "Recording") -> str:
    """How many uses are new, what is wrong with others, and what they decided."""
    result = recording.result
    noun = "use" if result.added == 1 else "uses"
    known = f"; {result.again} already known" if result.again else ""
    lines = [f"line {line.line}: {line.why}" for line in result.unread]
    lines += [*result.remarks, f"recorded {result.added:,} {noun}{known}"]
    return "\n".join([*_printable(lines), *_verdicts(recording.rollouts)])


def _printable(lines: list[str]) -> "Iterable[str]":
    if len(lines) == 1:
        return lines  # our own words and numbers
    from skillforge.report import printable

    return map(printable, lines)


def _verdicts(checks: "tuple[CanaryCheck, ...]") -> list[str]:
    if not checks:
        return []
    from skillforge.render.text.rollouts import verdicts

    return verdicts(checks)


def sync(done: "FolderSync") -> str:
    """A line for each skill that changed or was left alone, and the counts."""
    from skillforge.report import printable

    result = done.result
    names = {action: result.names(action) for action in _ACTIONS}
    lines = [
        f"{action:<8} {name}" + (f": {result.why[name]}" if name in result.why else "")
        for action in _ACTIONS
        if action not in _NOT_LISTED
        for name in names[action]
    ]
    if edited := names["kept"]:
        lines += [
            f"    to propose an edit: skillforge propose {result.folder}/{edited[0]}",
            "    to get the library's version: move the folder away, and sync again",
        ]
    counts = [f"{len(skills)} {action}" for action, skills in names.items() if skills]
    summary = ", ".join(counts) or "nothing to do"
    prefix = "dry run: " if done.is_dry else ""
    lines.append(f"{result.folder}: {prefix}{summary}")
    return "\n".join(map(printable, lines))


def sync_uses(done: "UseSync") -> str:
    from skillforge.report import plural, printable

    received = done.received
    lines = [
        f"sent {plural(done.sent, 'use')}, received {plural(received.uses, 'use')} "
        f"from {plural(received.nodes, 'other clone')}"
    ]
    if received.unread:
        lines.append(f"skipped {plural(received.unread, 'line')} that can't be read")
    if received.ahead:
        lines.append(
            f"{plural(received.ahead, 'use')} dated in the future, counted as now: "
            "check the other machines' clocks"
        )
    refused = done.exchange.refused.values()
    lines += [printable(f"not accepted from the remote: {why}") for why in refused]
    return "\n".join([*lines, *_verdicts(done.rollouts)])
