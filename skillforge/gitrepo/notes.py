"""Git notes: facts about commits that are recorded later; `git log` can show them."""

from collections.abc import Mapping

from skillforge.errors import ConflictError
from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange

NOTES = "refs/notes/skillforge"


def read(repo: GitRepo, revision: str = NOTES) -> dict[str, str]:
    """The notes by commit, as they are now or were at a revision."""
    entries = repo.files_in(f"{revision}^{{tree}}")
    objects = repo.find_all([entry.object for entry in entries.values()])
    return {
        path.replace("/", ""): blob.data.decode("utf-8", "replace")
        for path, blob in zip(entries, objects, strict=True)
        if blob is not None
    }


def write(repo: GitRepo, notes: Mapping[str, str], by: Signature) -> None:
    """Add notes, or replace those that the commits have."""
    before = repo.ref(NOTES)
    changes = []
    for name, text in notes.items():
        # If there are many notes, git keeps them in folders.
        changes.append(TreeChange(f"{name[:2]}/{name[2:]}"))
        changes.append(TreeChange(name, text.encode()))
    parents = [before] if before else []
    commit = NewCommit(parents, "Note merges made on GitHub\n", by, changes)
    with repo.object_writer(next(iter(notes))) as commits:
        after = commits.commit(commit)
    if not repo.move_refs(RefUpdate(NOTES, after, before)):
        raise ConflictError(
            "another process wrote notes at the same time", hint="try again"
        )
