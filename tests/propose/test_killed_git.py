"""A git that is killed while it moves refs: the move is finished or never was."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder
from tests.propose.conftest import Loop
from tests.propose.test_survival import copies, forked
from tests.workflows.test_import_pending import hold

GIT = shutil.which("git") or "git"
# Moves refs as git does: locks all, changes one after the other, deletes last. It dies
# after some of them the first time, and kills whoever called if that is asked for.
DYING = f"""#!{sys.executable}
import os, pathlib, signal, subprocess, sys
moves = "update-ref" in sys.argv and "--stdin" in sys.argv
if not moves or os.path.exists(os.environ["DIED"]):
    os.execv({GIT!r}, [{GIT!r}, *sys.argv[1:]])
pathlib.Path(os.environ["DIED"]).touch()
left = int(os.environ["DIES_AFTER"])
words = sys.stdin.read().split("\\0")
steps = []
while words:
    verb, _, ref = words.pop(0).partition(" ")
    count = dict(create=1, update=2, delete=1).get(verb, 0)
    values, words = words[:count], words[count:]
    if count:
        steps.append((verb == "delete", ref, values[0]))
locks = [pathlib.Path(".git", name + ".lock") for _, name, _ in steps]
locks.append(pathlib.Path(".git/packed-refs.lock"))
for is_removal, ref, value in sorted(steps)[:left]:
    words = ["-d", ref, value] if is_removal else [ref, value]
    subprocess.run([{GIT!r}, "update-ref", *words], check=True)
for lock in locks[left:]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
if os.environ["KILLS"] == "all":
    os.kill(os.getppid(), signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def dying(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "dying"
    folder.mkdir()
    (folder / "git").write_text(DYING)
    (folder / "git").chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "DIED": str(tmp_path / "died")}


def refs_of(folder: LibraryFolder) -> list[str]:
    listed = folder.git("for-each-ref", "--format=%(refname)")
    return [ref for ref in listed.split() if "skill" in ref]


def locks(folder: LibraryFolder) -> list[Path]:
    """The locks that are left in a repository whose objects are whole."""
    assert not folder.git("fsck", "--strict", "--no-dangling").strip()
    return list((folder.root / ".git").rglob("*.lock"))


@pytest.mark.parametrize("kills", ["git", "all"])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_close(
    loop: Loop, tmp_path: Path, dying: dict[str, str], after: int, kills: str
) -> None:
    number = loop.propose("xlsx-tables")
    env = dying | {"DIES_AFTER": str(after), "KILLS": kills}

    code = forked(loop.folder.root, "close", number, **env).code

    assert Path(env["DIED"]).exists()
    assert code == (0 if kills == "git" else -9)
    if kills == "all":
        assert locks(loop.folder)
        again = loop("close", number)
        assert again.code == (0 if after == 0 else 4), again.err
    assert locks(loop.folder) == []
    assert refs_of(loop.folder) == [f"refs/skillforge/proposals/{number}"]
    [row] = loop.ok("proposals", "--all")["proposals"]
    assert row["state"] == "closed"
    assert loop.propose("xlsx-tables", "another") == number + 1


@pytest.mark.parametrize("kills", ["git", "all"])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_import_pending(
    loop: Loop, tmp_path: Path, dying: dict[str, str], after: int, kills: str
) -> None:
    text = (loop.draft(tmp_path, "xlsx-tables") / "SKILL.md").read_text()
    pending = tmp_path / "pending"
    pending.mkdir()
    hold(pending, "one", action="create", name="xlsx-tables", content=text)
    env = dying | {"DIES_AFTER": str(after), "KILLS": kills}

    forked(loop.folder.root, "import-pending", pending, **env)

    assert Path(env["DIED"]).exists()
    [row] = loop.ok("import-pending", pending)["records"]
    assert row["proposal"] == 1
    assert locks(loop.folder) == []
    assert len(refs_of(loop.folder)) == 2
    assert [p["number"] for p in loop.ok("proposals")["proposals"]] == [1]


def test_promote(loop: Loop, tmp_path: Path, dying: dict[str, str]) -> None:
    """Main, the record and the branch move together."""
    loop.policy("checks: [validate]\n")
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    loop.ok("gate", number)
    env = dying | {"KILLS": "all"}

    for after, folder in enumerate(copies(loop, tmp_path, 4)):
        Path(env["DIED"]).unlink(missing_ok=True)
        forked(folder.root, "promote", number, **env, DIES_AFTER=str(after))
        again = Loop(folder, loop.run)

        again.promote(number)

        assert locks(folder) == []
        assert refs_of(folder) == [f"refs/skillforge/proposals/{number}"]
        assert folder.git("status", "--porcelain") == ""
        assert again.audit_kinds() == []


def test_a_lock_from_before_is_left_alone(loop: Loop, dying: dict[str, str]) -> None:
    """It may be that of a git that is still at work."""
    number = loop.propose("xlsx-tables")
    lock = loop.folder.root / ".git/packed-refs.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    env = dying | {"DIES_AFTER": "1", "KILLS": "all"}
    forked(loop.folder.root, "close", number, **env)
    os.utime(lock, (1, 1))

    assert loop("proposals").code == 0
    assert lock.exists()
