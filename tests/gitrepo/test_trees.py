"""A tree that readers disagree on is refused; of any other, all see the same files."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.object_reader import Object, object_name
from skillforge.gitrepo.trees import MalformedTreeError, Trees
from tests import raw_trees
from tests.conftest import LibraryFolder

FILE, FOLDER = "100644", "40000"
NAMES = (b"SKILL.md", b"a", b"a.b", b"a0", b"b", b"\xff", "ü".encode(), b".gitignore")


@pytest.mark.parametrize(
    ("build", "why"),
    [
        pytest.param(
            lambda b, t: [(FILE, b"a", b), (FILE, b"a", t)], "occurs twice", id="twice"
        ),
        pytest.param(
            lambda b, t: [(FILE, b"a", b), (FOLDER, b"a", t)],
            "occurs twice",
            id="file-and-folder",
        ),
        pytest.param(
            lambda b, _t: [(FILE, b"b", b), (FILE, b"a", b)], "out of order", id="order"
        ),
        pytest.param(
            lambda b, t: [(FOLDER, b"a", t), (FILE, b"a.b", b)],
            "out of order",
            id="folder-as-file",
        ),
        pytest.param(
            lambda _b, t: [("040000", b"a", t)], "has the mode 040000", id="padded"
        ),
        pytest.param(
            lambda b, _t: [("100664", b"a", b)], "has the mode 100664", id="mode"
        ),
        pytest.param(lambda b, _t: [(FILE, b"", b)], "no name", id="empty"),
        pytest.param(lambda b, _t: [(FILE, b"a/b", b)], "a slash", id="slash"),
        pytest.param(lambda b, _t: [(FILE, b"..", b)], "name of a file", id="parent"),
        pytest.param(lambda _b, t: [(FOLDER, b".git", t)], "'.git'", id="git"),
        pytest.param(lambda _b, t: [(FOLDER, b".GiT", t)], "'.GiT'", id="git-case"),
        pytest.param(lambda _b, t: [(FOLDER, b"git~1", t)], "'git~1'", id="git-short"),
        pytest.param(lambda _b, t: [(FOLDER, b".git .", t)], "'.git .'", id="git-dots"),
        pytest.param(
            lambda _b, t: [(FOLDER, ".g\u200cit".encode(), t)],
            "u200c",
            id="git-ignored",
        ),
        pytest.param(lambda _b, _t: [(FILE, b"a", "0" * 40)], "no object", id="null"),
    ],
)
def test_a_malformed_tree_is_refused(
    library: LibraryFolder, build: "raw_trees.Build", why: str
) -> None:
    root = library.root
    blob = raw_trees.blob(root, "text")
    inner = raw_trees.tree(root, (FILE, b"x", blob))
    name = raw_trees.tree(root, *build(blob, inner))
    repo = GitRepo(root)

    for read in (repo.tree, repo.files_in, lambda tree: repo.find(f"{tree}:a")):
        with pytest.raises(MalformedTreeError, match=f"is malformed: .*{why}"):
            read(name)


def test_a_tree_that_ends_too_early_is_refused(library: LibraryFolder) -> None:
    name = raw_trees.write(library.root, "tree", b"100644 a\0half")

    with pytest.raises(MalformedTreeError, match="ends within an entry"):
        GitRepo(library.root).tree(name)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    picks=st.lists(
        st.tuples(
            st.sampled_from([FILE, FILE, "100755", FOLDER, "040000", "100664"]),
            st.sampled_from(NAMES),
        ),
        max_size=5,
    ),
    is_sorted=st.booleans(),
)
def test_what_is_not_refused_is_the_same_to_every_reader(
    library: LibraryFolder, picks: list[tuple[str, bytes]], is_sorted: bool
) -> None:
    root = library.root
    objects = {FOLDER: raw_trees.tree(root, (FILE, b"x", raw_trees.blob(root, "in")))}
    name = raw_trees.tree(
        root,
        *(
            (mode, name, objects.get(mode.lstrip("0")) or raw_trees.blob(root, str(at)))
            for at, (mode, name) in enumerate(_ordered(picks) if is_sorted else picks)
        ),
    )
    commit = raw_trees.commit(root, name, "main")

    ours = _as_we_read_it(root, commit, name)

    assert ours is None or ours == _as_git_checks_it_out(root, commit)
    assert ours is None or ours == _as_git_finds_it(root, commit, ours)
    assert (ours is None) == _is_odd(picks, is_sorted)


def _ordered(picks: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    return sorted(picks, key=lambda pick: pick[1] + b"/" * pick[0].endswith("40000"))


def _is_odd(picks: list[tuple[str, bytes]], is_sorted: bool) -> bool:
    names = [name for _mode, name in picks]
    has_odd_mode = any(mode in ("040000", "100664") for mode, _name in picks)
    has_twice = len(set(names)) < len(names)
    return has_odd_mode or has_twice or (not is_sorted and picks != _ordered(picks))


def _as_we_read_it(root: Path, commit: str, tree: str) -> dict[str, str] | None:
    repo = GitRepo(root)
    views = (
        lambda: repo.files_in(f"{commit}^{{tree}}"),
        lambda: repo.files_in(tree),
        lambda: {file.path: file for file in repo.files(commit)},
    )
    found: list[dict[str, str] | None] = []
    for view in views:
        try:
            found.append({path: entry.object for path, entry in view().items()})
        except MalformedTreeError:
            found.append(None)
    assert found.count(found[0]) == len(found)
    return found[0]


def _as_git_checks_it_out(root: Path, commit: str) -> dict[str, str]:
    index = root / ".git" / "probe-index"
    index.unlink(missing_ok=True)
    os.environ["GIT_INDEX_FILE"] = str(index)
    try:
        raw_trees.git(root, "read-tree", commit)
        listed = raw_trees.git(root, "ls-files", "--stage", "-z").split("\0")
    finally:
        del os.environ["GIT_INDEX_FILE"]
    entries = (line.partition("\t") for line in listed if line)
    return {path: about.split()[1] for about, _, path in entries}


def _as_git_finds_it(root: Path, commit: str, paths: dict[str, str]) -> dict[str, str]:
    return {
        path: raw_trees.git(root, "rev-parse", f"{commit}:{path}") for path in paths
    }


def test_a_commit_is_verified_in_what_it_changes(library: LibraryFolder) -> None:
    root = library.root
    blob = raw_trees.blob(root, "evil")
    twice = raw_trees.tree(root, *[(FILE, b"SKILL.md", blob)] * 2)
    deep = raw_trees.swap(root, "main", "skills/csv-tables", twice)
    evil = raw_trees.commit(root, deep, "main")
    later = raw_trees.commit(root, deep, evil)
    repo = GitRepo(root)

    with pytest.raises(MalformedTreeError, match="of skills/csv-tables is malformed"):
        repo.verify(evil, "main")
    with pytest.raises(MalformedTreeError, match="of skills/csv-tables is malformed"):
        repo.verify(later)
    repo.verify(later, evil)  # it changes nothing of it
    repo.verify("main")


def test_folders_in_folders_are_read_as_deep_as_a_path_may_be() -> None:
    row = b"100644 f\0" + b"\1" * 20
    known: dict[str, Object] = {}
    for _ in range(2000):
        name = object_name("tree", row, "0" * 40)
        known[name] = Object(name, "tree", row)
        row = b"40000 d\0" + bytes.fromhex(name)

    class Source:
        def read_all(self, names: list[str]) -> list[Object | None]:
            return [known.get(name) for name in names]

    (found,) = Trees(Source()).files({"": name})

    assert found[0] == "d/" * 1999 + "f"


@given(
    st.lists(st.sampled_from(NAMES), min_size=1, unique=True),
    st.lists(
        st.tuples(st.integers(0, 300), st.binary(min_size=1, max_size=25)), max_size=3
    ),
)
def test_a_tree_is_checked_alike_beside_others(
    names: list[bytes], edits: list[tuple[int, bytes]]
) -> None:
    """A known tree of the same length makes the check faster, never milder."""
    rows = [b"100644 %s\0%s" % (name, b"\1" * 20) for name in sorted(names)]
    first = _tree_object(b"".join(rows))
    data = bytearray(first.data)
    for at, new in edits:
        data[at : at + len(new)] = new[: max(len(data) - at, 0)]
    second = _tree_object(bytes(data))
    beside = Trees(GitRepo(Path()))
    beside.check(first)

    assert _refusal(beside, second) == _refusal(Trees(GitRepo(Path())), second)


@pytest.mark.parametrize("last", [b"\2" * 20, bytes(20)], ids=["object", "null"])
def test_a_tree_beside_others_names_an_object_in_every_entry(last: bytes) -> None:
    rows = [b"100644 a\0" + b"\1" * 20, b"100644 b\0"]
    trees = Trees(GitRepo(Path()))
    trees.check(_tree_object(b"".join([*rows, b"\1" * 20])))

    refused = _refusal(trees, _tree_object(b"".join([*rows, last])))

    assert refused == ("" if any(last) else "an entry names no object")


def _tree_object(data: bytes) -> Object:
    return Object(object_name("tree", data, "0" * 40), "tree", data, len(data))


def _refusal(trees: Trees, tree: Object) -> str:
    try:
        trees.check(tree)
    except MalformedTreeError as err:
        return err.why
    return ""
