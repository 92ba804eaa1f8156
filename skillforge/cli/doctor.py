"""`skillforge doctor`: checks of this machine's setup and of the repository."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.report import printable

if TYPE_CHECKING:
    from skillforge.doctor import DoctorItem
    from skillforge.workflows.repair import Fault


@click.command()
@click.option("--fix", is_flag=True, help="Repair what can be repaired without loss.")
@common_options
@click.pass_obj
def doctor(settings: GlobalOptions, fix: bool) -> CommandResult:
    """Check this machine's setup and the repository, and say how to fix problems.

    In the repository: HEAD, packed-refs, damaged refs, missing objects, locks that are
    left over, branches without a proposal and the reverse, checkouts that lag behind.

    Exits 0 if all that is required is there and nothing is wrong, 1 if not.
    """
    from skillforge.doctor import examine
    from skillforge.workflows import repair

    repository = repair.examine(settings.start, should_fix=fix)
    items = examine(settings.start)
    lines = [line for item in items for line in _item_lines(item)]
    faults = repository.faults if repository else []
    fixed = repository.fixed if repository else []
    lines += [f"{'fixed':<8}{fault.name:<19} {fault.detail}" for fault in fixed]
    lines += [line for fault in faults for line in _fault_lines(fault)]
    if repository and not faults:
        lines.append(f"{'ok':<8}{'repository':<20}no damage found")
    if any(fault.fix for fault in faults) and not fix:
        lines.append("skillforge doctor --fix repairs what it can without loss")
    ok = all(item.ok for item in items if item.required) and not faults
    data = {
        "items": [item._asdict() for item in items],
        "faults": [_fault_data(fault) for fault in faults],
        "fixed": [_fault_data(fault) for fault in fixed],
    }
    return CommandResult(data, "\n".join(map(printable, lines)), ok)


def _item_lines(item: "DoctorItem") -> Iterator[str]:
    signs = {(True, True): "ok", (True, False): "ok", (False, True): "MISSING"}
    sign = signs.get((item.ok, item.required), "absent")
    yield f"{sign:<8}{item.name:<20}{item.detail}"
    if not item.ok and item.hint:
        yield f"{'':<28}{item.hint}"
    yield from (f"{'':<28}weakness: {words}" for words in item.weaknesses)


def _fault_lines(fault: "Fault") -> Iterator[str]:
    yield f"{'WRONG':<8}{fault.name:<19} {fault.detail}"
    yield f"{'':<28}{fault.hint}"


def _fault_data(fault: "Fault") -> dict[str, object]:
    about = {"name": fault.name, "detail": fault.detail, "hint": fault.hint}
    return about | {"fixable": fault.fix is not None}
