"""Set up a shared repository so that only approved proposals reach main."""

from dataclasses import dataclass

from skillforge.errors import RequestError
from skillforge.forge import HostedForge, SettingChange
from skillforge.propose.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Protection:
    """The settings of a repository that were changed, or would be."""

    repository: str
    branch: str
    changes: tuple[SettingChange, ...]
    is_applied: bool

    @property
    def should_pull(self) -> bool:
        """Whether main has a commit now that clones lack."""
        has_files = any("/contents/" in change.path for change in self.changes)
        return self.is_applied and has_files


def protect(
    workspace: Workspace,
    forge: HostedForge,
    owners: tuple[str, ...] = (),
    *,
    dry_run: bool = False,
) -> Protection:
    """Change the settings that differ; `owners` approve policy and workflows."""
    if any(not owner.startswith("@") for owner in owners):
        raise RequestError(
            "an owner is @LOGIN or @ORGANISATION/TEAM", hint="--owner @NAME"
        )
    forge.look()
    library = workspace.library
    changes = forge.wrong_settings(library.policy(library.tip), owners or None)
    if not dry_run:
        forge.change_settings(changes)
    return Protection(forge.address, library.main, tuple(changes), not dry_run)
