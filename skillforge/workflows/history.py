"""Read main's history: the versions of a skill, their reasons, and the audit."""

from skillforge.history import audit as audits
from skillforge.history import remote_audit, skill_history
from skillforge.history.audit import Audit
from skillforge.history.skill_history import HistoryVersion, SkillHistory
from skillforge.propose.workspace import Workspace


def log(workspace: Workspace, name: str) -> list[HistoryVersion]:
    """The versions of a skill on main, newest first."""
    return skill_history.log(workspace.library, name)


def why(workspace: Workspace, name: str) -> SkillHistory:
    """From a skill's examples to its releases and reverts."""
    return skill_history.why(workspace.library, name)


def audit(
    workspace: Workspace, span: str = "", since: str = "", *, remote: bool = False
) -> Audit:
    """Prove from git that every change on main came through a proposal.

    `remote` asks GitHub to confirm the approvals as well.
    """
    if remote:
        workspace.forge.look()
    library = workspace.library
    forge = workspace.forge if workspace.forge.is_local else None
    result = audits.audit(library, forge, span, since)
    if remote:
        return remote_audit.confirmed(library, workspace.forge, result, span)
    return result
