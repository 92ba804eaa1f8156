"""The objects that an audit reads: each has its hash's content, each tree is canonical.

Git checks neither when it reads them, so a repository from elsewhere could have other
bytes under a known hash, or trees that different readers read differently.
"""

from collections.abc import Iterable, Iterator

from skillforge.gitrepo.object_reader import object_name
from skillforge.gitrepo.trees import MalformedTreeError
from skillforge.history import steps
from skillforge.history.steps import HistoryStep
from skillforge.library import Library
from skillforge.model import ARCHIVE, EVIDENCE
from skillforge.policy import POLICY_FILE

Problem = tuple[str, str, str]  # commit, kind and message


def malformed(library: Library) -> list[Problem]:
    """What is wrong with the trees of main as it is now."""
    tops = (*library.layout.roots, EVIDENCE, ARCHIVE)
    try:
        list(library.repository().files(library.tip, *tops, POLICY_FILE))
    except MalformedTreeError as err:
        return [(library.tip, "malformed-tree", err.message)]
    return []


def problems(
    library: Library, audited: Iterable[HistoryStep], adopted: set[str]
) -> Iterator[Problem]:
    """What is wrong with the objects of the audited steps."""
    repo = library.repository()
    written: dict[str, str] = {}
    for step in audited:
        names = [step.name, *(commit.name for commit in step.merged)]
        if step.name not in adopted:
            names += [step.commit.tree, *steps.trees_now(step)]
        for name in names:
            written.setdefault(name, step.name)
    objects = repo.read_all(list(written))
    for (name, commit), obj in zip(written.items(), objects, strict=True):
        if obj is None:
            continue  # git itself stops where it needs the object
        if object_name(obj.kind, obj.data, name) != name:
            why = f"the content of object {name[:12]} does not match its hash"
            yield commit, "damaged-object", why
        if obj.kind == "tree":
            try:
                repo.trees.check(obj)
            except MalformedTreeError as err:
                yield commit, "malformed-tree", err.message
