"""What is said of commits later on: git's notes, which `git log` can show."""

from collections.abc import Mapping

from skillforge.errors import ConflictError
from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange

NOTES = "refs/notes/skillforge"


def read(repo: GitRepo, at: str = NOTES) -> dict[str, str]:
    """The notes by the commit that each is of; those of an earlier time by `at`."""
    found = repo.files_in(f"{at}^{{tree}}")
    objects = repo.find_all([entry.object for entry in found.values()])
    return {
        path.replace("/", ""): it.data.decode("utf-8", "replace")
        for path, it in zip(found, objects, strict=True)
        if it is not None
    }


def write(repo: GitRepo, notes: Mapping[str, str], by: Signature) -> None:
    """Add notes; one that a commit has already is replaced."""
    before = repo.ref(NOTES)
    parents = [before] if before else []
    puts = [
        put
        for commit, text in notes.items()
        for put in (
            TreeChange(
                f"{commit[:2]}/{commit[2:]}"
            ),  # where git keeps it if there are many
            TreeChange(commit, text.encode()),
        )
    ]
    commit = NewCommit(parents, "Note merges made on GitHub\n", by, puts)
    with repo.object_writer(next(iter(notes))) as commits:
        made = commits.commit(commit)
    if not repo.move_refs(RefUpdate(NOTES, made, before)):
        raise ConflictError("others wrote notes meanwhile", hint="try again")
