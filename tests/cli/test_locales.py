"""Names of files are UTF-8 in git, whatever the locale says."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, skill_md

LATIN = "en_US.ISO-8859-1"


def ascii_only(_folder: Path) -> dict[str, str]:
    return {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def latin_1(folder: Path) -> dict[str, str]:
    if not shutil.which("localedef"):
        pytest.skip("localedef is not installed, and makes the locale")
    line = ["localedef", "-i", "en_US", "-f", "ISO-8859-1", str(folder / LATIN)]
    if subprocess.run(line, capture_output=True, check=False).returncode:
        pytest.skip("this machine can't make a Latin-1 locale")
    return {"LC_ALL": LATIN, "LOCPATH": str(folder), "PYTHONUTF8": "0"}


@pytest.mark.parametrize("locale", [ascii_only, latin_1])
def test_names_that_are_not_ascii(
    library: LibraryFolder, tmp_path: Path, locale: Callable[[Path], dict[str, str]]
) -> None:
    draft = tmp_path / "größe" / "docx-files"
    draft.mkdir(parents=True)
    (draft / "SKILL.md").write_text(skill_md("docx-files", "", "# Ü\n\nWrite a lot.\n"))
    (draft / "größe.md").write_text("ü\n")
    library.write("skills/csv-tables/größe.md", "ö\n")
    library.commit()
    root = library.root.rename(draft.parent / "lib")
    env = os.environ | locale(tmp_path) | {"SKILLFORGE_CACHE": str(root / "cache")}

    def run(*words: object) -> str:
        line = [sys.executable, "-m", "skillforge", *map(str, words)]
        done = subprocess.run(
            line, cwd=root, env=env, capture_output=True, check=False, encoding="utf-8"
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "2 skills" in run("list")
    run("propose", draft)
    used = Path(run("use", "csv-tables", "--key", "k").strip())

    assert (used / "größe.md").read_text() == "ö\n"
    branch = LibraryFolder(root).git("branch", "--list", "skill/*").strip()
    names = LibraryFolder(root).git("ls-tree", "-rz", "--name-only", branch)
    assert "skills/docx-files/größe.md" in names.split("\0")
