"""What lies in a folder, as git would name it; and whether it changed at a glance."""

import os
import time
from pathlib import Path

from skillforge.operate.tree_hash import FolderState, folder_mark, folder_state
from tests.conftest import LibraryFolder

LIKE = "0" * 40


def test_a_folder_has_the_name_of_its_tree(library: LibraryFolder) -> None:
    folder = library.root / "skills"
    (folder / "empty").mkdir()  # git does not see it either
    library.write("skills/csv-tables.d/a-b", "1")
    library.write('skills/csv-tables/größe "x".md', "2")
    library.write("skills/run", "3").chmod(0o755)
    (folder / "link").symlink_to("nowhere")
    library.commit()

    assert (
        folder_state(str(folder), LIKE).tree
        == library.git("rev-parse", "main:skills").strip()
    )


def test_a_mark_is_given_only_when_every_later_change_will_show(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("1")
    fresh = folder_state(str(tmp_path), LIKE)
    time.sleep(0.15)
    settled = folder_state(str(tmp_path), LIKE)

    assert fresh.mark == ""
    assert settled.mark == folder_mark(str(tmp_path)) != ""
    assert settled.tree == fresh.tree
    file.write_text("2")
    os.utime(file, ns=(0, 0))
    assert folder_mark(str(tmp_path)) != settled.mark


def test_what_runs_leave_behind_counts_only_if_asked(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = folder_state(str(tmp_path), LIKE).tree
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("x")

    seen = folder_state(str(tmp_path), LIKE)

    assert seen.tree != before
    assert seen.is_of(before)
    (tmp_path / "b").write_text("2")
    assert not folder_state(str(tmp_path), LIKE).is_of(before)


def test_what_is_no_folder_has_neither_name_nor_mark(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_text("1")
    (tmp_path / "link").symlink_to("real")

    for name in ("link", "real/a", "nothing"):
        assert folder_state(str(tmp_path / name), LIKE) == FolderState()
        assert folder_mark(str(tmp_path / name)) == ""
    assert not FolderState().is_of("")
