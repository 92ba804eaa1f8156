"""Damaged and left-over parts of a repository: named, repaired, in nobody's way."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillforge.store import exclusive, holder
from tests.propose.conftest import Loop

NOWHERE = "1234567890" * 4
REF = ".git/refs/skillforge/proposals/1"
Damage = Callable[[Loop, Path], object]


def ruin(content: str) -> Damage:
    return lambda _loop, ref: ref.write_text(content)


def point_at_blob(loop: Loop, ref: Path) -> None:
    ref.write_text(loop.folder.git("rev-parse", "main:skills/csv-tables/SKILL.md"))


DAMAGES = [
    pytest.param(ruin(""), id="empty"),
    pytest.param(ruin("hello\n"), id="garbage"),
    pytest.param(ruin(f"{NOWHERE}\n"), id="missing object"),
    pytest.param(point_at_blob, id="blob"),
]


@pytest.fixture
def two_open(loop: Loop) -> Loop:
    loop.propose("xlsx-tables", "one")
    loop.propose("docx-files", "two")
    return loop


def faults(loop: Loop, *options: str) -> list[dict[str, Any]]:
    ran = loop("doctor", "--json", *options)
    found: list[dict[str, Any]] = ran.data["faults"]
    assert ran.code == 1 if found else ran.code in (0, 1)
    return found


def fixed(loop: Loop) -> list[str]:
    data = loop("doctor", "--fix", "--json").data
    assert data["faults"] == []
    return [fault["name"] for fault in data["fixed"]]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_record_is_named_and_stops_nothing_else(
    two_open: Loop, tmp_path: Path, damage: Damage
) -> None:
    loop = two_open
    damage(loop, loop.folder.root / REF)

    listed = loop("proposals", "--json")
    assert listed.code == 0
    assert [row["number"] for row in listed.data["proposals"]] == [2]
    assert "proposal 1" in listed.data["broken"][0]
    assert "skillforge doctor --fix" in listed.data["broken"][0]
    assert loop.audit_kinds() == ["unreadable-record"]
    assert loop("audit").code == 1
    assert loop.ok("propose", loop.draft(tmp_path, "pptx-slides"))["proposal"] == 3
    loop.approve(2)
    loop.promote(2)
    refused = loop("review", 1)
    assert refused.code == 2
    assert "to give it up" in refused.err


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("span", ["", "main^1..main"])
def test_a_damaged_record_of_a_merge_is_one_exception(
    two_open: Loop, damage: Damage, span: str
) -> None:
    """It was reported as if there had been no such proposal, too."""
    loop = two_open
    loop.approve(1)
    loop.promote(1)
    loop.ok("close", 2)
    damage(loop, loop.folder.root / REF)

    ran = loop("audit", "--json", *[span] if span else [])

    assert ran.code == 1
    [found] = ran.data["exceptions"]
    assert (found["kind"], found["commit"]) == ("unreadable-record", loop.main())
    assert "doctor --fix" in found["message"]


def drop_reflogs(loop: Loop) -> None:
    """As it was before refs of proposals had any, and where git expired them."""
    shutil.rmtree(loop.folder.root / ".git/logs/refs/skillforge")


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("is_logged", [True, False])
def test_doctor_restores_a_record_that_git_still_has(
    two_open: Loop, damage: Damage, is_logged: bool
) -> None:
    loop = two_open
    loop.approve(1)
    before = (loop.folder.root / REF).read_text()
    if not is_logged:
        drop_reflogs(loop)
    damage(loop, loop.folder.root / REF)
    assert "doctor --fix" in loop("proposals").out
    assert "doctor --fix" in loop("audit").out
    assert "proposal 1" in [fault["name"] for fault in faults(loop)]

    assert "proposal 1" in fixed(loop)

    assert (loop.folder.root / REF).read_text() == before
    assert loop.audit_kinds() == []


def test_a_number_whose_ref_is_damaged_is_not_given_again(two_open: Loop) -> None:
    """Git refuses to write such a ref, and `propose` tried for ever."""
    loop = two_open
    (loop.folder.root / REF.replace("/1", "/2")).write_text("")

    assert loop.propose("pptx-slides") == 3


def leave_record(loop: Loop, verb: str, *options: str) -> None:
    """A record that never counted, as a process leaves that dies before refs move."""
    ref, root = f"refs/{REF.split('refs/')[1]}", loop.folder.root
    branch = loop.ok("review", 1)["branch"]
    before = [loop.folder.git("rev-parse", name).strip() for name in (ref, branch)]
    loop.ok(verb, 1, *options)
    for name, tip in zip((ref, f"refs/heads/{branch}"), before, strict=True):
        (root / ".git" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / ".git" / name).write_text(f"{tip}\n")
    lines = (root / f".git/logs/{ref}").read_text().splitlines(keepends=True)
    (root / f".git/logs/{ref}").write_text("".join(lines[:-1]))


@pytest.mark.parametrize("is_logged", [True, False])
def test_a_record_that_never_counted_is_not_restored(
    two_open: Loop, is_logged: bool
) -> None:
    """Doctor took the proposal for closed, and removed its branch."""
    loop = two_open
    leave_record(loop, "close")
    before = (loop.folder.root / REF).read_text()
    if not is_logged:
        drop_reflogs(loop)
    (loop.folder.root / REF).write_text("")

    fixed(loop)

    assert (loop.folder.root / REF).read_text() == before
    assert loop.ok("review", 1)["state"] == "open"


def test_damaged_records_are_restored_by_their_reflogs(two_open: Loop) -> None:
    loop = two_open
    leave_record(loop, "review", "--approve", "--as", "Bo <bo@example.org>")
    refs = [loop.folder.root / REF.replace("/1", f"/{number}") for number in "12"]
    before = [ref.read_text() for ref in refs]
    for ref in refs:
        ref.write_text("")

    fixed(loop)

    assert [ref.read_text() for ref in refs] == before
    assert loop.audit_kinds() == []


def test_two_damaged_records_are_not_guessed_apart(two_open: Loop) -> None:
    loop = two_open
    drop_reflogs(loop)
    for number in "12":
        (loop.folder.root / REF.replace("/1", f"/{number}")).write_text("")

    names = [fault["name"] for fault in faults(loop, "--fix")]

    assert names[:2] == ["proposal 1", "proposal 2"]
    for number in "12":
        (loop.folder.root / REF.replace("/1", f"/{number}")).unlink()  # as it says
    assert loop.audit_kinds() == []


def cut_packed_refs(loop: Loop) -> str:
    loop.folder.git("pack-refs", "--all")
    with (loop.folder.root / ".git/packed-refs").open("a") as file:
        file.write("junk\n")
    return "packed-refs"


def empty_head(loop: Loop) -> str:
    (loop.folder.root / ".git/HEAD").write_text("")
    return "HEAD"


def empty_main(loop: Loop) -> str:
    (loop.folder.root / ".git/refs/heads/main").write_text("")
    return "refs/heads/main"


def lose_branch(loop: Loop) -> str:
    branch = loop.ok("review", 1)["branch"]
    (loop.folder.root / ".git/refs/heads" / branch).write_text(NOWHERE)
    return f"refs/heads/{branch}"


def close_half_way(loop: Loop) -> str:
    """As if git had died between two refs: the branch of a closed proposal stays."""
    branch = loop.ok("review", 1)["branch"]
    head = loop.folder.git("rev-parse", branch).strip()
    loop.ok("close", 1)
    loop.folder.git("branch", branch, head)
    return "branch"


def open_half_way(loop: Loop) -> str:
    loop.folder.git("branch", "-D", loop.ok("review", 1)["branch"])
    return "branch"


def leave_lock(loop: Loop) -> str:
    lock = loop.folder.root / ".git/index.lock"
    lock.touch()
    os.utime(lock, (time.time() - 90_000,) * 2)
    return "lock"


def fall_behind(loop: Loop) -> str:
    loop.land("pptx-slides")
    loop.folder.git("read-tree", "-m", "-u", "main", "main^1")
    return "checkout"


@pytest.mark.parametrize(
    "damage",
    [
        cut_packed_refs,
        empty_head,
        empty_main,
        lose_branch,
        close_half_way,
        open_half_way,
        leave_lock,
        fall_behind,
    ],
)
def test_doctor_repairs_what_is_safe(
    two_open: Loop, damage: Callable[[Loop], str]
) -> None:
    loop = two_open
    main = loop.main()
    name = damage(loop)
    found = {fault["name"]: fault for fault in faults(loop)}
    assert found[name]["fixable"]
    assert "doctor --fix" in loop("doctor").out

    assert name in fixed(loop)

    assert loop.folder.git("status", "--porcelain") == ""
    assert loop.folder.git("merge-base", main, "main").strip() == main
    assert loop.audit_kinds() == []
    loop.fsck()


def test_doctor_removes_no_work(two_open: Loop) -> None:
    loop = two_open
    loop.folder.git("branch", "skill/csv-tables/mine")
    lock = loop.folder.root / ".git/index.lock"
    lock.touch()
    os.utime(lock, (time.time() - 120,) * 2)  # somebody may be at work

    left = {fault["name"]: fault for fault in faults(loop, "--fix")}

    assert "belongs to no proposal" in left["branch"]["detail"]
    assert "2 minutes old" in left["lock"]["detail"]
    assert lock.exists()
    assert loop.folder.git("branch", "--list", "skill/csv-tables/mine")


def test_doctor_finds_missing_objects(two_open: Loop) -> None:
    loop = two_open
    blob = loop.folder.git("rev-parse", "main:skills/csv-tables/SKILL.md").strip()
    (loop.folder.root / ".git/objects" / blob[:2] / blob[2:]).unlink()

    [fault] = [fault for fault in faults(loop) if fault["name"] == "objects"]

    assert blob in fault["detail"]


def test_a_damaged_main_is_not_an_empty_library_and_not_another_branch(
    two_open: Loop,
) -> None:
    loop = two_open
    loop.folder.git("branch", "feature")
    empty_main(loop)

    ran = loop("proposals")

    assert ran.code == 2
    assert "branch main is damaged" in ran.err
    assert "doctor --fix" in ran.err


def test_a_lock_in_the_way_is_named_with_its_age(two_open: Loop) -> None:
    loop = two_open
    loop.approve(1)
    leave_lock(loop)

    ran = loop("promote", 1)

    assert ran.code == 4
    assert "25 hours old" in ran.err
    assert f"rm {loop.folder.root}/.git/index.lock" in ran.err


def test_a_lock_that_a_killed_git_left_on_a_ref(two_open: Loop) -> None:
    """As a killed `close` or `import-pending` leaves it."""
    loop = two_open
    lock = loop.folder.root / f"{REF}.lock"
    lock.touch()
    os.utime(lock, (time.time() - 90_000,) * 2)

    refused = loop("close", 1)
    assert refused.code == 3
    assert "25 hours old" in refused.err
    assert f"rm {lock}" in refused.err

    assert fixed(loop) == ["lock"]
    loop.ok("close", 1)


def test_the_process_that_holds_our_lock_is_known(tmp_path: Path) -> None:
    assert holder(tmp_path) is None
    with exclusive(tmp_path):
        held = holder(tmp_path)
        assert held is not None
        assert held.process == os.getpid()
    assert holder(tmp_path) is None
