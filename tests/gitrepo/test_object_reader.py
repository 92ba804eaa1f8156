"""Names that we give to trees are those that git gives them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillforge.errors import ToolError
from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.object_reader import blob_name
from skillforge.gitrepo.trees import TreeEntry, tree_name
from tests.conftest import LibraryFolder
from tests.gitrepo.test_object_writer import names, written_by_git

paths = st.lists(names, min_size=1, max_size=3).map("/".join)
contents = st.tuples(st.sampled_from(["100644", "100755"]), st.binary(max_size=5))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.dictionaries(paths, contents, max_size=6))
def test_a_tree_has_the_name_that_git_gives_it(
    library: LibraryFolder, files: dict[str, tuple[str, bytes]]
) -> None:
    files = {
        p: f for p, f in files.items() if not any(o.startswith(f"{p}/") for o in files)
    }
    like = "0" * 40
    entries = {p: TreeEntry(mode, blob_name(d, like)) for p, (mode, d) in files.items()}

    assert tree_name(entries, like) == written_by_git(library.root, files)


def test_many_objects_come_in_order_and_missing_ones_as_none(
    library: LibraryFolder,
) -> None:
    repo = GitRepo(library.root)
    tree = repo.name_of("main:skills")
    blob = repo.name_of("main:skills/csv-tables/SKILL.md")

    found = list(repo.objects([tree, "0" * 40, blob]))

    assert [entry.name if entry else None for entry in found] == [tree, None, blob]
    with pytest.raises(ToolError, match="missing git object: 0000"):
        list(repo.blobs([blob, "0" * 40]))
