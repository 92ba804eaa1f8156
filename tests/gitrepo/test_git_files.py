"""What is read from git's own files is what git says, or nothing is said."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from skillforge.gitrepo.git_files import git_dir_of, has_remote, read_ref
from tests.conftest import LibraryFolder

MAIN = "refs/heads/main"


@pytest.mark.parametrize("pack", ["", "pack", "pack and move"])
def test_a_ref_points_where_git_says(library: LibraryFolder, pack: str) -> None:
    if pack:
        library.git("pack-refs", "--all")
    if "move" in pack:
        library.git("commit", "--allow-empty", "-m", "Next")
    git_dir = git_dir_of(str(library.root))

    assert read_ref(git_dir, MAIN) == library.git("rev-parse", "main").strip()
    assert read_ref(git_dir, "refs/heads/mai") == ""
    assert read_ref(git_dir, "refs/heads/other") == ""


HASH = b"1" * 40  # stands for the commit of main
SAID = st.lists(
    st.sampled_from(
        [
            *(
                HASH,
                b"0" * 40,
                b"2" * 64,
                b"a",
                b"A" * 40,
                b" ",
                b"\n",
                b"\r",
                b"\t",
                b"\0",
            ),
            *(b"refs/heads/odd", b"ref: ", b"refs/heads/main", b"# pack-refs with: "),
            *(b"^", HASH + b" refs/heads/odd\n", HASH + b" refs/heads/a\n"),
        ]
    ),
    max_size=5,
).map(b"".join)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(loose=st.none() | SAID, packed=st.none() | SAID)
@example(loose=b"", packed=HASH + b" refs/heads/odd\n")
@example(loose=None, packed=HASH + b" refs/heads/odd")
def test_where_it_answers_git_agrees(
    library: LibraryFolder, loose: bytes | None, packed: bytes | None
) -> None:
    git_dir = library.root / ".git"
    main = (git_dir / MAIN).read_bytes().strip()
    for path, data in (("refs/heads/odd", loose), ("packed-refs", packed)):
        (git_dir / path).unlink(missing_ok=True)
        if data is not None:
            (git_dir / path).write_bytes(data.replace(HASH, main))

    found = read_ref(str(git_dir), "refs/heads/odd")

    if found is not None:
        line = ["git", "rev-parse", "--verify", "refs/heads/odd"]
        done = subprocess.run(line, cwd=library.root, capture_output=True, check=False)
        is_damaged = b"packed-refs" in done.stderr  # git reads no ref at all then
        assert is_damaged or done.stdout.decode().strip() == found
        assert is_damaged or bool(done.returncode) == (not found)


def test_only_git_can_tell_what_is_damaged(library: LibraryFolder) -> None:
    """No answer is not the same as no ref: a rollout could be overlooked."""
    git_dir = library.root / ".git"
    (git_dir / "refs/heads/odd").write_bytes(b"")
    (git_dir / "packed-refs").write_bytes(HASH + b" refs/heads/cut")

    assert read_ref(str(git_dir), "refs/heads/odd") is None
    assert read_ref(str(git_dir), "refs/heads/cut") is None


def test_only_git_can_tell_where_a_ref_names_another(library: LibraryFolder) -> None:
    library.git("symbolic-ref", "refs/heads/alias", MAIN)
    git_dir = git_dir_of(str(library.root))

    assert read_ref(git_dir, "refs/heads/alias") is None
    assert read_ref(git_dir, "refs/heads") is None


def test_only_git_can_tell_refs_of_a_table(library: LibraryFolder) -> None:
    (library.root / ".git" / "reftable").mkdir()

    assert read_ref(git_dir_of(str(library.root)), MAIN) is None


def test_the_git_directory_is_found_from_below(
    library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(library.root / "skills")

    assert git_dir_of(".") == str(library.root / ".git")


def test_others_than_a_usual_checkout_have_none(
    library: LibraryFolder, tmp_path: Path
) -> None:
    library.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    library.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))

    assert git_dir_of(str(tmp_path / "linked")) == ""
    assert git_dir_of(str(tmp_path / "bare" / "objects")) == ""
    assert git_dir_of("/") == ""


def test_a_remote_is_known_by_the_configuration(library: LibraryFolder) -> None:
    git_dir = git_dir_of(str(library.root))

    assert not has_remote(git_dir)
    library.git("remote", "add", "origin", "https://example.invalid/x.git")
    assert has_remote(git_dir)
    assert not has_remote("/nowhere")


@pytest.mark.parametrize(
    "section", ['[REMOTE "origin"]\nurl = x\n', "[Include]\npath = more\n"]
)
def test_a_remote_in_another_spelling_or_place_is_not_overlooked(
    library: LibraryFolder, section: str
) -> None:
    (library.root / ".git/more").write_text('[remote "origin"]\nurl = x\n')
    with (library.root / ".git/config").open("a") as config:
        config.write(section)

    assert library.git("remote").strip() == "origin"
    assert has_remote(git_dir_of(str(library.root)))
