"""Names of contents are those that git, and `npx skills`, give them."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillforge.gitrepo import GitRepo
from skillforge.model import DraftFile
from skillforge.share.package_digest import computed_hash, contents_digest, tree_name

PART = st.text("abAB-_.0é ", min_size=1, max_size=4).filter(
    lambda part: part.strip(".") and part.strip() == part
)
PATHS = st.lists(PART, min_size=1, max_size=3).map("/".join)
FILES = st.dictionaries(
    PATHS, st.builds(DraftFile, st.binary(max_size=10), st.booleans()), max_size=6
)


def is_free_of_clashes(files: dict[str, DraftFile]) -> bool:
    return not any(a != b and b.startswith(f"{a}/") for a in files for b in files)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("git")
    GitRepo.init(root)
    return root


@settings(max_examples=10)
@given(files=FILES.filter(is_free_of_clashes))
def test_a_tree_has_the_name_that_git_gives_it(
    repository: Path, files: dict[str, DraftFile]
) -> None:
    lines = []
    for path, file in files.items():
        mode = "100755" if file.is_executable else "100644"
        blob = git(repository, "hash-object", "-w", "--stdin", stdin=file.data)
        lines.append(f"{mode} {blob}\t{path}\0")
    git(repository, "read-tree", "--empty")
    git(repository, "update-index", "-z", "--index-info", stdin="".join(lines).encode())

    assert tree_name(files) == git(repository, "write-tree")


def git(root: Path, *args: str, stdin: bytes = b"") -> str:
    done = subprocess.run(
        ["git", *args], cwd=root, input=stdin, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def test_the_hash_of_npx_skills_takes_files_in_the_order_of_javascript() -> None:
    order = [
        "a_b", "a-b", "LICENSE", "references/a.md", "scripts-x", "scripts/run.py",
        "SKILL.md", "skill.mdx",
    ]  # fmt: skip
    files = {path: DraftFile(path.encode()) for path in sorted(order)}
    one_by_one = {path: files[path] for path in order}

    assert computed_hash(files) == computed_hash(one_by_one)
    assert computed_hash(files) == (
        "a23d8467e2137a6f3caa2051422d1fbd1eef69834c50ce22793c69fc477ae6e9"
    )


def test_a_digest_tells_modes_and_paths_apart() -> None:
    digests = {
        contents_digest({"a": DraftFile(b"x")}),
        contents_digest({"a": DraftFile(b"x", True)}),
        contents_digest({"b": DraftFile(b"x")}),
        contents_digest({"a": DraftFile(b"y")}),
    }

    assert len(digests) == 4
