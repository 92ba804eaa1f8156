"""Set-up commands as the `data` of `--json`: init, new, doctor, completion, demo."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from skillforge.workflows.diagnosis import Diagnosis
    from skillforge.workflows.repair import Fault
    from skillforge.workflows.scaffold import NewLibrary, NewSkill


class InitData(TypedDict):
    """A new library: its files, and the branch that promotion moves."""

    root: str
    written: list[str]
    kept: list[str]
    to_complete: list[str]
    branch: str
    known: int  # findings recorded in the baseline
    globs: list[str]
    skills: list[str]
    left_out: dict[str, str]


class NewData(TypedDict):
    """A new skill."""

    skill: str
    path: str


class DoctorItemData(TypedDict):
    """One part of this machine's setup."""

    name: str
    ok: bool
    detail: str
    required: bool
    hint: str
    weaknesses: list[str]


class FaultData(TypedDict):
    """What is wrong with the repository."""

    name: str
    detail: str
    hint: str
    fixable: bool


class DoctorData(TypedDict):
    """The setup of this machine, and the faults of the repository."""

    items: list[DoctorItemData]
    faults: list[FaultData]
    fixed: list[FaultData]


class CompletionData(TypedDict):
    """The completion script of a shell."""

    shell: str
    script: str


class DemoData(TypedDict):
    """How many steps ran, what went wrong, and commands to go on with."""

    steps: int
    problem: str | None
    library: str | None
    next: list[str]


def init(result: "NewLibrary") -> InitData:
    return {
        "root": str(result.root),
        "written": list(result.written),
        "kept": list(result.kept),
        "to_complete": list(result.to_complete),
        "branch": result.branch,
        "known": result.known,
        "globs": list(result.discovery.globs),
        "skills": result.discovery.skills,
        "left_out": result.discovery.left_out,
    }


def new(result: "NewSkill") -> NewData:
    return {"skill": result.name, "path": result.path}


def diagnosis(result: "Diagnosis") -> DoctorData:
    return {
        "items": [
            {
                "name": item.name,
                "ok": item.ok,
                "detail": item.detail,
                "required": item.required,
                "hint": item.hint,
                "weaknesses": list(item.weaknesses),
            }
            for item in result.items
        ],
        "faults": [_fault(fault) for fault in result.faults],
        "fixed": [_fault(fault) for fault in result.fixed],
    }


def _fault(fault: "Fault") -> FaultData:
    return {
        "name": fault.name,
        "detail": fault.detail,
        "hint": fault.hint,
        "fixable": fault.fix is not None,
    }
