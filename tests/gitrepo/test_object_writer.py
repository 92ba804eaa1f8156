"""Trees that we splice are the trees that git would write."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillforge.errors import ToolError
from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.ref_update import NewCommit, Signature, TreeChange
from tests.conftest import LibraryFolder

WHO = Signature("Test", "test@example.invalid", "1700000000 +0100")
# Names that git sorts otherwise than one would think: a folder counts as `name/`.
names = st.sampled_from(["a", "a.b", "a-b", "a0", "ab", "A", "é", "z"])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
puts = st.builds(
    lambda path, data, mode: TreeChange(
        path, data, mode if data is not None else "100644"
    ),
    paths,
    st.none() | st.binary(max_size=5),
    st.sampled_from(["100644", "100755"]),
)


def after(files: dict[str, tuple[str, bytes]], changes: list[TreeChange]) -> None:
    """What the changes mean, in the simplest words."""
    for put in changes:
        inside = [path for path in files if path.startswith(f"{put.path}/")]
        above = [path for path in files if put.path.startswith(f"{path}/")]
        gone = [*inside, put.path] if put.data is None else [*inside, *above]
        for path in gone:
            files.pop(path, None)
        if put.data is not None:
            files[put.path] = (put.mode, put.data)


def make(repo: GitRepo, new: NewCommit) -> str:
    with repo.object_writer(new.parents[0]) as commits:
        return commits.commit(new)


def git(root: Path, *arguments: str, stdin: bytes = b"", index: str = "") -> str:
    env = os.environ | ({"GIT_INDEX_FILE": index} if index else {})
    done = subprocess.run(
        ["git", *arguments], cwd=root, input=stdin, capture_output=True, env=env
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def written_by_git(root: Path, files: dict[str, tuple[str, bytes]]) -> str:
    """The tree that git's own index makes of some files."""
    index = str(root / ".git" / "scratch-index")
    Path(index).unlink(missing_ok=True)
    scratch = root.parent / "blobs"
    scratch.mkdir(exist_ok=True)
    for number, (_, data) in enumerate(files.values()):
        (scratch / str(number)).write_bytes(data)
    paths = "".join(f"{scratch / str(number)}\n" for number in range(len(files)))
    options = ("-w", "--no-filters", "--stdin-paths")
    blobs = git(root, "hash-object", *options, stdin=paths.encode()).split()
    lines = b"".join(
        f"{mode} {blob}\t{path}\0".encode()
        for (path, (mode, _)), blob in zip(files.items(), blobs, strict=True)
    )
    git(root, "update-index", "-z", "--index-info", stdin=lines, index=index)
    return git(root, "write-tree", index=index)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.lists(puts, max_size=6), then=st.lists(puts, max_size=6))
def test_spliced_trees_are_gits(
    library: LibraryFolder, first: list[TreeChange], then: list[TreeChange]
) -> None:
    repo = GitRepo(library.root)
    base = repo.ref("refs/heads/main")
    files: dict[str, tuple[str, bytes]] = {}
    with repo.object_writer(base) as commits:
        parent = commits.commit(NewCommit([base], "1\n", WHO, first, starts_empty=True))
        after(files, first)
        expected_first = written_by_git(library.root, files)
        child = commits.commit(NewCommit([parent], "2\n", WHO, then))
    after(files, then)

    assert repo.name_of(f"{parent}^{{tree}}") == expected_first
    assert repo.name_of(f"{child}^{{tree}}") == written_by_git(library.root, files)
    assert library.git("fsck", "--strict", "--no-dangling", child) == ""


@pytest.mark.slow
def test_a_large_file_and_a_large_folder(library: LibraryFolder) -> None:
    repo = GitRepo(library.root)
    base = repo.ref("refs/heads/main")
    many = [TreeChange(f"skills/n{n}/SKILL.md", b"x%d" % n) for n in range(1000)]
    large = TreeChange("large.bin", os.urandom(3_000_000))

    commit = make(repo, NewCommit([base], "Many\n", WHO, [*many, large]))

    listed = library.git("ls-tree", "-r", "--name-only", commit).splitlines()
    assert len(listed) == 1003
    assert library.git("fsck", "--strict", "--no-dangling", commit) == ""


@pytest.mark.parametrize("message", ["nul\0nul\n", "\ud800 lone\n", "", "x" * 100_000])
def test_any_message_makes_a_sound_commit(library: LibraryFolder, message: str) -> None:
    repo = GitRepo(library.root)
    base = repo.ref("refs/heads/main")

    commit = make(repo, NewCommit([base], message, WHO))

    assert library.git("fsck", "--strict", "--no-dangling", commit) == ""
    assert library.git("rev-parse", f"{commit}^").strip() == base


def test_what_cannot_be_written_is_an_error(library: LibraryFolder) -> None:
    repo = GitRepo(library.root)
    base = repo.ref("refs/heads/main")
    objects = library.root / ".git/objects"
    objects.rename(objects.with_name("elsewhere"))
    objects.write_text("no folder")

    with pytest.raises(ToolError):
        make(repo, NewCommit([base], "x\n", WHO, [TreeChange("a", b"b")]))


def test_a_lost_tree_is_not_read_as_an_empty_one(
    library: LibraryFolder,
) -> None:
    repo = GitRepo(library.root)
    base = repo.ref("refs/heads/main")
    tree = library.git("rev-parse", "main:skills").strip()
    (library.root / ".git/objects" / tree[:2] / tree[2:]).unlink()

    with pytest.raises(ToolError, match="missing git object"):
        make(repo, NewCommit([base], "x\n", WHO, [TreeChange("skills/a/b", b"c")]))
