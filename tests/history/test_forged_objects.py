"""History is read from commits, and each of them is what its hash says."""

import zlib
from pathlib import Path

from tests import raw_trees
from tests.propose.conftest import Loop


def test_a_forged_commit_graph_is_ignored(loop: Loop) -> None:
    loop.land("csv-tables", "good")
    pushed = _push(loop, "evil")
    root = loop.folder.root
    graph = root / ".git/objects/info/commit-graph"
    raw_trees.git(root, "commit-graph", "write", "--reachable")
    data = graph.read_bytes()
    # The graph says that the push has the tree of the commit before it.
    evil, good = (
        bytes.fromhex(raw_trees.git(root, "rev-parse", f"{commit}^{{tree}}"))
        for commit in (pushed, f"{pushed}^")
    )
    assert evil in data
    graph.chmod(0o644)
    graph.write_bytes(data.replace(evil, good))

    assert loop.audit_kinds() == ["direct-push"]


def _push(loop: Loop, words: str) -> str:
    loop.write("csv-tables", words)
    return loop.folder.commit("Tidy")


def test_an_object_that_is_not_what_its_hash_says_is_named(loop: Loop) -> None:
    loop.land("csv-tables", "good")
    loop.land("csv-tables", "better")
    tree = loop.tree("csv-tables")
    other = loop.tree("csv-tables", "main^")
    _replace(loop.folder.root, tree, other)

    assert loop.audit_kinds() == ["damaged-object"]


def _replace(root: Path, name: str, by: str) -> None:
    """Put another object's bytes in the place of an object."""

    def place(name: str) -> Path:
        return root / ".git/objects" / name[:2] / name[2:]

    data = zlib.decompress(place(by).read_bytes())
    place(name).chmod(0o644)
    place(name).write_bytes(zlib.compress(data))
