"""`publish --to DIR`, and folders that are replaced as a whole."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skillforge.errors import ToolError
from skillforge.share import atomic_folder
from tests.propose.conftest import Loop
from tests.share.test_hub_build import files


def test_a_release_in_a_folder(released: Loop, tmp_path: Path) -> None:
    first = released.ok("publish", "--to", tmp_path / "www")
    before = files(tmp_path / "www")
    again = released.ok("publish", "--to", tmp_path / "www", "v1.0.0")

    assert (first["created"], again["created"]) == (True, False)
    assert files(tmp_path / "www") == before


def test_a_newer_release_takes_its_place(released: Loop, tmp_path: Path) -> None:
    released.ok("publish", "--to", tmp_path / "www")
    released.land("odt-tables", "four")
    released.folder.git("tag", "v1.1.0")

    assert released.ok("publish", "--to", tmp_path / "www")["tag"] == "v1.1.0"
    assert "packages/odt-tables.skill" in files(tmp_path / "www")
    assert released("publish", "--to", str(tmp_path / "www"), "v1.0.0").code == 4


def test_other_content_under_a_version_stays(released: Loop, tmp_path: Path) -> None:
    released.ok("publish", "--to", tmp_path / "www")
    before = files(tmp_path / "www")
    released.land("xlsx-tables", "other")
    released.folder.git("tag", "--force", "v1.0.0")

    ran = released("publish", "--to", str(tmp_path / "www"))

    assert ran.code == 4
    assert "other content" in ran.err
    assert files(tmp_path / "www") == before


def test_a_damaged_hub_is_repaired(released: Loop, tmp_path: Path) -> None:
    released.ok("publish", "--to", tmp_path / "www")
    before = files(tmp_path / "www")
    (tmp_path / "www/index.xml").unlink()
    (tmp_path / "www/packages/csv-tables.skill").write_bytes(b"half")

    released.ok("publish", "--to", tmp_path / "www")

    assert files(tmp_path / "www") == before


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_failure_leaves_it_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool
) -> None:
    if not can_exchange:
        monkeypatch.setattr(atomic_folder, "_exchange", lambda *_: False)
    place = tmp_path / "www"
    for text in ("old", "new"):
        with atomic_folder.replaced(place) as fresh:
            (fresh / "page").write_text(text)

    def fail() -> None:
        with atomic_folder.replaced(place) as fresh:
            (fresh / "page").write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(ToolError):
        fail()

    assert (place / "page").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["www"]


def test_a_link_to_the_folder_is_kept(tmp_path: Path) -> None:
    place = tmp_path / "www"
    (tmp_path / "disk").mkdir()
    place.symlink_to("disk")
    for text in ("old", "new"):
        with atomic_folder.replaced(place) as fresh:
            (fresh / "page").write_text(text)

    assert place.is_symlink()
    assert (tmp_path / "disk/page").read_text() == "new"
    assert {path.name for path in tmp_path.iterdir()} == {"www", "disk"}


def test_a_killed_run_leaves_nothing_that_stays(tmp_path: Path) -> None:
    place = tmp_path / "www"
    code = (
        "import sys, time; from pathlib import Path\n"
        "from skillforge.share.atomic_folder import replaced\n"
        "with replaced(Path(sys.argv[1])) as fresh:\n"
        "    (fresh / 'page').write_text('half')\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
    )
    line = [sys.executable, "-c", code, str(place)]
    with subprocess.Popen(line, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with atomic_folder.replaced(
            place
        ) as fresh:  # another at the same time is let be
            (fresh / "page").write_text("whole")
        assert len(list(tmp_path.iterdir())) == 2
        os.kill(process.pid, signal.SIGKILL)
    time.sleep(0.01)

    with atomic_folder.replaced(place) as fresh:
        (fresh / "page").write_text("whole")

    assert [path.name for path in tmp_path.iterdir()] == ["www"]


def test_a_misspelled_target_is_not_created_as_a_folder(
    released: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    ran = released("publish", "--to", "brnch:gh-pages")

    assert ran.code == 2
    assert "unknown publish target: 'brnch'" in ran.err
    assert not (tmp_path / "brnch:gh-pages").exists()
