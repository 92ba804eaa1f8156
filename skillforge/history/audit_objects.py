"""The objects that an audit rests on: each is what its hash says, each tree canonical.

Git checks neither when it reads them, so a repository that came from elsewhere could
have other bytes under a known hash, or trees that readers read differently.
"""

from collections.abc import Iterable

from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.object_reader import object_name
from skillforge.gitrepo.trees import MalformedTreeError
from skillforge.history import steps
from skillforge.history.steps import HistoryStep
from skillforge.library import Library
from skillforge.model import OURS
from skillforge.policy import POLICY_FILE

Found = tuple[str, str, str]  # commit, kind and message


def problems(
    library: Library, audited: Iterable[HistoryStep], adopted: set[str]
) -> list[Found]:
    """What is wrong with objects of the steps that are audited."""
    repo = library.repository()
    written: dict[str, str] = {}
    for step in audited:
        names = [step.name, *(commit.name for commit in step.brought)]
        if step.name not in adopted:
            names += [step.commit.tree, *steps.trees_now(step)]
        written |= {name: step.name for name in names if name not in written}
    return list(_damaged(repo, written))


def malformed(library: Library) -> list[Found]:
    """What is wrong with the trees of main as it is now."""
    try:
        list(library.repository().files(library.tip, *OURS, POLICY_FILE))
    except MalformedTreeError as err:
        return [(library.tip, "malformed-tree", err.message)]
    return []


def _damaged(repo: GitRepo, written: dict[str, str]) -> Iterable[Found]:
    for name, found in zip(written, repo.read_all(list(written)), strict=True):
        if found is None:
            continue  # git itself stops where it needs it
        if object_name(found.kind, found.data, name) != name:
            why = f"object {name[:12]} is not what its hash says"
            yield written[name], "damaged-object", why
        if found.kind == "tree":
            try:
                repo.trees.check(found)
            except MalformedTreeError as err:
                yield written[name], "malformed-tree", err.message
