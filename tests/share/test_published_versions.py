"""The history of a hub is the same in every clone."""

import subprocess
from pathlib import Path

from skillforge.gitrepo import notes
from skillforge.gitrepo.ref_update import Signature
from tests.conftest import LibraryFolder, Run
from tests.share.test_hub_build import files

ADA = Signature("Ada", "ada@example.invalid", "1760000000 +0000")


def note(library: LibraryFolder, commit: str, approver: str) -> None:
    message = f"Merged on GitHub\n\nProposal: 7\nApproved-By: {approver}\n"
    notes.write(library.library.repository(), {commit: message}, ADA)


def test_a_hub_is_built_with_the_notes_of_its_release(
    library: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    where = ("--library", str(library.root))
    library.add_skill("csv-tables", "license: MIT\n")
    merge = library.commit("Change csv-tables (#7)")
    note(library, merge, "Rita <rita@example.invalid>")
    tip = library.git("rev-parse", "refs/notes/skillforge").strip()
    text = f"Release v1.0.0\n\nNotes: {tip}\n"
    library.git("tag", "--annotate", "--message", text, "v1.0.0")
    assert run("build", *where, "--out", str(tmp_path / "one")).code == 0
    note(library, merge, "Somebody Else <else@example.invalid>")
    source, clone = f"file://{library.root}", tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", source, clone], check=True)
    there = ("--library", str(clone), "--out", str(tmp_path / "two"))

    without = run("build", *there)
    LibraryFolder(clone).git("fetch", "--quiet", "origin", "refs/notes/*:refs/notes/*")
    fetched = run("build", *there)

    assert without.code == 4
    assert "git fetch origin 'refs/notes/*:refs/notes/*'" in without.err
    assert fetched.code == 0, fetched.err
    assert files(tmp_path / "two") == files(tmp_path / "one")
    manifest = (tmp_path / "two/manifest.json").read_text()
    assert '"Rita"' in manifest
    assert "Somebody Else" not in manifest
