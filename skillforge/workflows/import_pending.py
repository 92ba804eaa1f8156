"""Turn the changes that Hermes holds back for approval into proposals."""

from dataclasses import dataclass
from pathlib import Path

from skillforge.agents import skills_folder
from skillforge.propose import hermes_import
from skillforge.propose.hermes_import import ImportResult
from skillforge.propose.workspace import Workspace

USER = "hermes (agent) <hermes@agents.invalid>"


@dataclass(frozen=True, slots=True)
class PendingImport:
    """What became of each record, and the records that were removed."""

    records: tuple[ImportResult, ...]
    cleared: tuple[Path, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every record has a proposal."""
        return all(record.proposal for record in self.records)

    @property
    def can_clear(self) -> bool:
        """Whether records of closed proposals are left."""
        return not self.cleared and any(record.is_over for record in self.records)


def import_pending(
    workspace: Workspace, folder: Path | None = None, *, clear: bool = False
) -> PendingImport:
    """Propose every record once; `clear` removes those that a reviewer decided on."""
    folder = folder or skills_folder("hermes").parent / "pending" / "skills"
    records = hermes_import.bring(workspace, folder)
    cleared = hermes_import.clear(records) if clear else []
    return PendingImport(tuple(records), tuple(cleared))
