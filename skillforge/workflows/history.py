"""Read main's history: the versions of a skill, their reasons, and the audit."""

from skillforge.propose import audit as audits
from skillforge.propose import remote_audit, skill_history
from skillforge.propose.audit import Audit
from skillforge.propose.skill_history import HistoryVersion, SkillHistory
from skillforge.propose.workspace import Workspace


def log(workspace: Workspace, name: str) -> list[HistoryVersion]:
    """The versions of a skill on main, the newest first."""
    return skill_history.log(workspace.settled(), name)


def why(workspace: Workspace, name: str) -> SkillHistory:
    """From a skill's examples to its releases and reverts."""
    return skill_history.why(workspace.settled(), name)


def audit(
    workspace: Workspace, span: str = "", since: str = "", *, remote: bool = False
) -> Audit:
    """Prove from git that every change on main came through a proposal.

    `remote` asks GitHub to confirm the approvals as well.
    """
    if remote:
        workspace.forge.look()
    library = workspace.settled()
    forge = workspace.forge if workspace.forge.is_here else None
    result = audits.audit(library, forge, span, since)
    if remote:
        return remote_audit.confirmed(library, workspace.forge, result, span)
    return result
