"""Give a damaged proposal ref its record again, where git still has the record."""

from skillforge.errors import ConfigError
from skillforge.forge import record
from skillforge.forge.local import PREFIX, LocalForge
from skillforge.gitrepo.writing import RefUpdate
from skillforge.model import Proposal, State

_DANGLING = "dangling commit "


def lost_records(forge: LocalForge) -> dict[str, Proposal]:
    """Records that no ref names, and that nothing on main or a branch contradicts.

    A process that was killed may leave records that never counted.
    """
    repo = forge.repo
    known = {proposal.made for proposal in forge.proposals()}
    done = repo.run("fsck", "--connectivity-only", "--no-reflogs", "--no-progress")
    lines = done.out.decode("utf-8", "replace").splitlines()
    names = [line[len(_DANGLING) :] for line in lines if line.startswith(_DANGLING)]
    found = repo.find_all([f"{name}:{record.PROPOSAL_FILE}" for name in names])
    lost = {}
    for name, file in zip(names, found, strict=True):
        try:
            proposal = record.load(0, file.data if file else b"", None)
        except ConfigError:
            continue
        if proposal.made not in known and _is_plausible(forge, proposal):
            lost[name] = proposal
    return lost


def _is_plausible(forge: LocalForge, proposal: Proposal) -> bool:
    repo = forge.repo
    if proposal.state is State.MERGED:
        return repo.is_ancestor(proposal.merge, forge.main)
    is_closed = not proposal.is_open
    return is_closed or repo.ref(f"refs/heads/{proposal.branch}") == proposal.head


def restore(forge: LocalForge, number: int, commit: str) -> bool:
    """Point a damaged ref at its record; False if it was changed meanwhile."""
    ref, repo = f"{PREFIX}{number}", forge.repo
    with forge.alone():
        # Git refuses to write a ref that it can't read.
        (repo.common_dir / ref).unlink(missing_ok=True)
        return repo.move_refs(RefUpdate(ref, commit, repo.ref(ref)))
