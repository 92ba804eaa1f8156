"""A process that died while it moved main: the next one finishes what it left."""

import shutil
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder
from tests.propose.conftest import Loop
from tests.propose.test_survival import copies, killed, killer, steps_of

__all__ = ["killer"]  # a fixture
NOW = ("rollback", "xlsx-tables", "--why", "Bad", "--now")


@pytest.fixture
def two_versions(loop: Loop) -> Loop:
    loop.policy("checks: [validate]\n")  # what the others do has no part in a merge
    loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")
    return loop


def leave_index_behind(loop: Loop, base: str) -> None:
    """What a process leaves that dies just after main moved."""
    tip = loop.main()
    loop.folder.git("read-tree", "-m", "-u", tip, base)


def text_of(folder: LibraryFolder) -> str:
    return (folder.root / "skills/xlsx-tables/SKILL.md").read_text()


def test_rollback_killed_at_any_step_is_finished_by_the_next(
    two_versions: Loop, tmp_path: Path, killer: dict[str, str]
) -> None:
    loop = two_versions
    old = loop.text("xlsx-tables", "main^1")
    [probe] = copies(loop, tmp_path, 1)
    count = steps_of(probe.root, killer, *NOW)
    shutil.rmtree(probe.root)
    finished = 0

    for at, folder in enumerate(copies(loop, tmp_path, count), 1):
        killed(folder.root, killer, at, "after", *NOW)
        is_behind = bool(folder.git("status", "--porcelain"))
        again = Loop(folder, loop.run)

        ran = again(*NOW)

        # Once nothing is left to be done, a second rollback is refused.
        assert ran.code in ((0,) if is_behind else (0, 4))
        assert folder.git("status", "--porcelain") == ""
        assert text_of(folder) == old == again.text("xlsx-tables")
        assert again.audit_kinds() == []
        assert not folder.git("fsck", "--strict", "--no-dangling").strip()
        assert "skill/" not in folder.git("branch", "--list")
        finished += is_behind
    assert finished


@pytest.mark.parametrize("verb", ["promote", "rollback"])
def test_any_verb_that_moves_main_finishes_the_move_of_another(
    two_versions: Loop, tmp_path: Path, killer: dict[str, str], verb: str
) -> None:
    loop = two_versions
    other = loop.propose("docx-files", "three")
    loop.approve(other)
    command: tuple[object, ...] = NOW
    if verb == "rollback":
        command = ("promote", loop.propose("xlsx-tables", "four"))
        loop.approve(int(str(command[1])))
    [probe] = copies(loop, tmp_path, 1)
    count = steps_of(probe.root, killer, *command)
    for at in range(count, 0, -1):
        shutil.rmtree(probe.root)
        [probe] = copies(loop, tmp_path, 1)
        killed(probe.root, killer, at, "after", *command)
        if probe.git("status", "--porcelain"):
            break  # main has moved, and the checkout has not followed
    again = Loop(probe, loop.run)
    if verb == "promote":
        again.ok("refresh", other)
        again.approve(other)

    again.ok(*((verb, other) if verb == "promote" else NOW))

    assert probe.git("status", "--porcelain") == ""
    assert text_of(probe) == again.text("xlsx-tables")
    assert again.audit_kinds() == []


def test_audit_notices_a_checkout_that_lags_behind(two_versions: Loop) -> None:
    loop = two_versions
    leave_index_behind(loop, "main^1")

    ran = loop("audit", "--json")

    assert ran.code == 0
    [warning] = ran.data["warnings"]
    assert str(loop.folder.root) in warning
    assert loop.folder.git("rev-parse", "main^1")[:12] in warning
    assert "doctor --fix" in loop("audit").out


def test_staged_work_is_not_a_stale_checkout(two_versions: Loop) -> None:
    loop = two_versions
    loop.write("xlsx-tables", "of my own")
    loop.folder.git("add", "--all")

    assert loop.ok("audit")["warnings"] == []


def test_a_staged_revert_is_left_alone(two_versions: Loop) -> None:
    """Nothing died here: the user prepared it."""
    loop = two_versions
    number = loop.propose("docx-files", "three")
    loop.approve(number)
    loop.folder.git("checkout", "main^1", "--", "skills")
    before = loop.folder.git("status", "--porcelain")

    loop.promote(number)

    assert loop.folder.git("status", "--porcelain") == before
