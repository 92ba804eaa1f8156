"""Point a damaged proposal ref at its record again, if git still has that."""

from skillforge.errors import ConfigError
from skillforge.forge import proposal_record
from skillforge.forge.local import LocalForge
from skillforge.forge.local_records import PREFIX
from skillforge.gitrepo import damage
from skillforge.gitrepo.ref_update import RefUpdate
from skillforge.model import Proposal, State

_DANGLING = "dangling commit "


def logged_record(forge: LocalForge, number: int) -> str:
    """The last record in the reflog of a proposal's ref; empty if there is none.

    What damaged the ref may be in the reflog, too.
    """
    names = damage.logged(forge.repo.common_dir, f"{PREFIX}{number}")
    return next((name for name in names if _record_at(forge, name)), "")


def lost_records(forge: LocalForge) -> dict[str, Proposal]:
    """Records that no ref points at, and that main and the branches agree with.

    A killed process may leave records that no ref ever pointed at.
    """
    repo = forge.repo
    known = {proposal.made for proposal in forge.proposals()}
    done = repo.run("fsck", "--connectivity-only", "--no-reflogs", "--no-progress")
    lines = done.out.decode("utf-8", "replace").splitlines()
    names = [line[len(_DANGLING) :] for line in lines if line.startswith(_DANGLING)]
    lost = {}
    for dangling in names:
        name = dangling
        while proposal := _record_at(forge, name):
            if proposal.made not in known and _is_plausible(forge, proposal):
                lost[name] = proposal
                break
            name = repo.name_of(f"{name}^1")  # the newest may never have counted
    return lost


def _record_at(forge: LocalForge, commit: str) -> Proposal | None:
    file = forge.repo.find(f"{commit}:{proposal_record.PROPOSAL_FILE}")
    try:
        return proposal_record.load(0, file.data if file else b"", None)
    except ConfigError:
        return None


def _is_plausible(forge: LocalForge, proposal: Proposal) -> bool:
    repo = forge.repo
    if proposal.state is State.MERGED:
        return repo.is_ancestor(proposal.merge, forge.main)
    has_branch = repo.ref(f"refs/heads/{proposal.branch}") == proposal.head
    return proposal.is_open == has_branch


def restore(forge: LocalForge, number: int, commit: str) -> bool:
    """Point a damaged ref at its record; False if it was changed meanwhile."""
    ref, repo = f"{PREFIX}{number}", forge.repo
    with forge.exclusive():
        if any(proposal.number == number for proposal in forge.proposals()):
            return False
        # Git refuses to write a ref that it can't read.
        (repo.common_dir / ref).unlink(missing_ok=True)
        return repo.move_refs(RefUpdate(ref, commit, repo.ref(ref)))
