"""Check this machine's setup and the repository, and repair what is safe."""

from dataclasses import dataclass
from pathlib import Path

from skillforge import doctor
from skillforge.doctor import DoctorItem
from skillforge.workflows import repair
from skillforge.workflows.repair import Fault


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The setup of a machine, faults of the repository, and those that were fixed.

    Outside of a repository, `has_repository` is False.
    """

    items: tuple[DoctorItem, ...]
    faults: tuple[Fault, ...] = ()
    fixed: tuple[Fault, ...] = ()
    has_repository: bool = False

    @property
    def ok(self) -> bool:
        """Whether everything required is there and the repository has no fault."""
        return all(item.ok for item in self.items if item.required) and not self.faults

    @property
    def is_fixable(self) -> bool:
        return any(fault.fix for fault in self.faults)


def diagnose(start: Path, *, fix: bool = False) -> Diagnosis:
    """Check everything that a command may need; `fix` repairs what loses nothing."""
    examined = repair.examine(start, should_fix=fix)
    items = tuple(doctor.examine(start))
    if examined is None:
        return Diagnosis(items)
    return Diagnosis(items, tuple(examined.faults), tuple(examined.fixed), True)
