"""Set-up commands as text: init, new, doctor."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillforge.model import BASELINE_FILE
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from skillforge.doctor import DoctorItem
    from skillforge.workflows.diagnosis import Diagnosis
    from skillforge.workflows.repair import Fault
    from skillforge.workflows.scaffold import NewLibrary, NewSkill

_SHOWN = 5  # skills that are named


def init(result: "NewLibrary") -> str:
    lines = [f"wrote {path}" for path in result.written]
    if result.known:
        known = plural(result.known, "finding")
        lines.append(
            f"recorded {known} of existing skills in {BASELINE_FILE}: they block "
            "nothing; skillforge baseline counts them"
        )
    lines += [f"kept  {path} (--force overwrites it)" for path in result.kept]
    lines += _found(result)
    next_step = "skillforge validate"
    if result.has_workflows:
        next_step = "commit, push, skillforge protect"
    for path in result.to_complete:
        lines.append(
            f"complete {path}: the workflows fail until it names a tool to install"
        )
        next_step = f"edit {path}, {next_step}"
    if result.is_branch_unnamed:
        lines.append(
            f"add `branch: {result.branch}` to skillforge.yaml: every clone needs it"
        )
    return "\n".join([*lines, f"{result.root} is a skill library; next: {next_step}"])


def _found(result: "NewLibrary") -> Iterator[str]:
    """The skills that an existing repository has, and where."""
    discovery = result.discovery
    if discovery.skills:
        places = ", ".join(f"{glob} ({len(s)})" for glob, s in discovery.found.items())
        yield f"found {plural(len(discovery.skills), 'skill')}: {places}"
    for name, folders in discovery.alike.items():
        yield f"note  {name} is the folder of several skills: {', '.join(folders)}"
    for path, why in discovery.left_out.items():
        yield f"left out {path}: {why}"
    if missed := result.missed:
        shown = ", ".join(missed[:_SHOWN]) + (", …" if len(missed) > _SHOWN else "")
        yield (
            f"not covered by `skills:` in skillforge.yaml: {shown}; add "
            f"{', '.join(discovery.globs)}"
        )


def new(result: "NewSkill") -> str:
    name = result.name
    return (
        f"wrote {result.path}\n"
        f"next: edit it, then skillforge validate {name} and skillforge propose {name}"
    )


def diagnosis(result: "Diagnosis", *, is_fixed: bool) -> str:
    """The setup and the faults; a hint at `--fix` unless `is_fixed`."""
    lines = [line for item in result.items for line in _item_lines(item)]
    lines += [f"{'fixed':<8}{fault.name:<19} {fault.detail}" for fault in result.fixed]
    lines += [line for fault in result.faults for line in _fault_lines(fault)]
    if result.has_repository and not result.faults:
        lines.append(f"{'ok':<8}{'repository':<20}no damage found")
    if result.is_fixable and not is_fixed:
        lines.append("skillforge doctor --fix repairs what it can without loss")
    return "\n".join(map(printable, lines))


def _item_lines(item: "DoctorItem") -> Iterator[str]:
    status = "ok" if item.ok else "MISSING" if item.required else "absent"
    yield f"{status:<8}{item.name:<20}{item.detail}"
    if not item.ok and item.hint:
        yield f"{'':<28}{item.hint}"
    yield from (f"{'':<28}weakness: {weakness}" for weakness in item.weaknesses)


def _fault_lines(fault: "Fault") -> Iterator[str]:
    yield f"{'WRONG':<8}{fault.name:<19} {fault.detail}"
    yield f"{'':<28}{fault.hint}"
