"""All or nothing, and safe to repeat: many at once, killed at any step, a full disk."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests import forks
from tests.conftest import LibraryFolder, Ran
from tests.propose.conftest import REVIEWER, Loop

GIT = shutil.which("git") or "git"
# Counts the calls of git that write, or may; at one of them kills whoever called,
# before or after. What only reads leaves nothing to be found half done.
KILLER = f"""#!/bin/sh
case " $* " in
    *" cat-file "*|*" diff-files "*|*" diff-index "*|*" diff-tree "*|*" log "*|\\
    *" ls-files "*|*" ls-tree "*|*" rev-parse "*|*" var "*|*" worktree list "*|\\
    *" read-tree --dry-run "*) exec {GIT} "$@";;
esac
echo x >> "$KILL_COUNT"
if [ "$(wc -l < "$KILL_COUNT")" -eq "$KILL_AT" ]; then
    if [ "$KILL_WHEN" = after ]; then {GIT} "$@"; fi
    kill -9 $PPID
    exit 1
fi
exec {GIT} "$@"
"""


def started(root: Path, *arguments: object, shell: str) -> Ran:
    """A Python of its own, started by a shell that has done something before."""
    line = [sys.executable, "-m", "skillforge", *_words(root, *arguments)]
    done = subprocess.run(
        ["sh", "-c", f'{shell}; exec "$@"', "sh", *line],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def forked(root: Path, *arguments: object, **env: str) -> Ran:
    """A process of its own, without the time that a Python needs to start."""
    return Ran(*forks.run(_words(root, *arguments), **env))


def _words(root: Path, *arguments: object) -> list[str]:
    command, *rest = map(str, arguments)
    return [command, "--library", str(root), *rest, "--json"]


def data_of(done: Ran) -> dict[str, Any]:
    assert done.code == 0, done.out + done.err
    return done.data


def at_once(*calls: tuple[Any, ...]) -> list[Ran]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(lambda call: forked(*call), calls))


def sixty_four_proposed(loop: Loop, drafts: list[Path]) -> list[dict[str, Any]]:
    root = loop.folder.root
    return [data_of(ran) for ran in at_once(*((root, "propose", d) for d in drafts))]


def test_sixty_four_drafts_at_once(loop: Loop, tmp_path: Path) -> None:
    loop.policy("proposals:\n  open: 100\n")
    drafts = [
        loop.draft(tmp_path, f"draft-{n:02}", "about", n, n * 7) for n in range(64)
    ]

    opened = sixty_four_proposed(loop, drafts)

    assert sorted(data["proposal"] for data in opened) == list(range(1, 65))
    assert all(data["created"] for data in opened)
    assert {data["skill"] for data in opened} == {draft.name for draft in drafts}
    listed = loop.ok("proposals")["proposals"]
    assert {p["skill"] for p in listed} == {draft.name for draft in drafts}
    loop.fsck()


@pytest.mark.slow
def test_the_same_draft_sixty_four_times_at_once(loop: Loop, tmp_path: Path) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")

    opened = sixty_four_proposed(loop, [draft] * 64)

    assert {data["proposal"] for data in opened} == {1}
    assert sum(data["created"] for data in opened) == 1
    assert len(loop.ok("proposals")["proposals"]) == 1
    loop.fsck()


@pytest.mark.slow
def test_different_drafts_of_one_skill_at_once(loop: Loop, tmp_path: Path) -> None:
    drafts = [loop.draft(tmp_path / str(n), "xlsx-tables", n, n + 9) for n in range(8)]

    done = at_once(*((loop.folder.root, "propose", draft) for draft in drafts))

    assert sorted(ran.code for ran in done) == [0] + [4] * 7
    assert len(loop.ok("proposals")["proposals"]) == 1


@pytest.mark.slow
def test_two_promotions_at_once(loop: Loop) -> None:
    numbers = [loop.propose("aa-one"), loop.propose("bb-two")]
    for number in numbers:
        loop.approve(number)

    done = at_once(*((loop.folder.root, "promote", n) for n in numbers))

    assert sorted(ran.code for ran in done) == [0, 4]
    listed = {p["number"]: p["state"] for p in loop.ok("proposals")["proposals"]}
    assert sorted(listed.values()) == ["merged", "open"]
    [waiting] = [number for number, state in listed.items() if state == "open"]
    loop.ok("refresh", waiting)
    loop.approve(waiting)
    loop.promote(waiting)
    assert loop.text("aa-one")
    assert loop.text("bb-two")
    assert loop.audit_kinds() == []


def test_one_proposal_promoted_and_reviewed_by_many_at_once(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    root = loop.folder.root
    people = [f"Reviewer {n} <r{n}@example.invalid>" for n in range(8)]

    done = at_once(*((root, "review", number, "--approve", "--as", p) for p in people))

    assert [ran.code for ran in done] == [0] * 8
    assert sorted(loop.ok("review", number)["approvals"]) == people
    merges = {
        data_of(ran)["merge"] for ran in at_once(*[(root, "promote", number)] * 4)
    }
    assert len(merges) == 1
    assert loop.audit_kinds() == []


@pytest.fixture
def killer(tmp_path: Path) -> dict[str, str]:
    """An environment in which a git of ours stands before the real one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(KILLER)
    (folder / "git").chmod(0o755)
    return {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "KILL_COUNT": str(tmp_path / "count"),
    }


def steps_of(root: Path, killer: dict[str, str], *arguments: object) -> int:
    """How often a command calls a git that may write."""
    count = Path(killer["KILL_COUNT"])
    count.unlink(missing_ok=True)
    data_of(forked(root, *arguments, **killer, KILL_AT="0"))
    return len(count.read_text().splitlines())


def killed(
    root: Path, killer: dict[str, str], at: int, when: str, *arguments: object
) -> int:
    Path(killer["KILL_COUNT"]).unlink(missing_ok=True)
    env = killer | {"KILL_AT": str(at), "KILL_WHEN": when}
    return forked(root, *arguments, **env).code


def copies(loop: Loop, tmp_path: Path, count: int) -> list[LibraryFolder]:
    folders = [tmp_path / f"copy-{n}" for n in range(count)]
    for folder in folders:
        shutil.copytree(loop.folder.root, folder, symlinks=True)
    return [LibraryFolder(folder) for folder in folders]


@pytest.mark.parametrize("when", ["before", "after"])
def test_propose_killed_at_any_step_is_whole_or_absent(
    loop: Loop, tmp_path: Path, killer: dict[str, str], when: str
) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    [probe] = copies(loop, tmp_path, 1)
    count = steps_of(probe.root, killer, "propose", draft)
    shutil.rmtree(probe.root)
    codes: list[int] = []

    for at, folder in enumerate(copies(loop, tmp_path, count), 1):
        before = folder.git("status", "--porcelain", "--branch")
        codes.append(killed(folder.root, killer, at, when, "propose", draft))
        half = folder.git("for-each-ref", "refs/skillforge", "refs/heads/skill")
        assert len(half.splitlines()) in (0, 2)

        data = Loop(folder, loop.run).ok("propose", draft)

        assert data["proposal"] == 1
        assert data["created"] is not bool(half)
        assert folder.git("rev-parse", data["branch"]).strip() == data["commit"]
        assert not folder.git("fsck", "--strict", "--no-dangling").strip()
        assert folder.git("status", "--porcelain", "--branch") == before
    # Two that start together may miss their turn; one that answers till the end, too.
    assert sum(map(bool, codes)) >= 3


def test_supersede_killed_at_any_step_closes_only_what_it_replaces(
    loop: Loop, tmp_path: Path, killer: dict[str, str]
) -> None:
    rival = loop.propose("xlsx-tables", "first")
    draft = loop.draft(tmp_path, "xlsx-tables", "second")
    command = ("propose", draft, "--supersede")
    [probe] = copies(loop, tmp_path, 1)
    count = steps_of(probe.root, killer, *command)
    shutil.rmtree(probe.root)

    for at, folder in enumerate(copies(loop, tmp_path, count), 1):
        killed(folder.root, killer, at, "after", *command)
        again = Loop(folder, loop.run)
        rows = again.ok("proposals")["proposals"]

        assert [row["state"] for row in rows] in (["open"], ["closed", "open"])
        assert again.ok(*command)["proposal"] == rival + 1
        assert not folder.git("fsck", "--strict", "--no-dangling").strip()


def test_promote_killed_at_any_step_is_whole_or_absent(
    loop: Loop, tmp_path: Path, killer: dict[str, str]
) -> None:
    """After each call of git that writes, which is before the next: all else reads."""
    loop.policy("checks: [validate]\n")  # what the others do has no part in a merge
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    [probe] = copies(loop, tmp_path, 1)
    count = steps_of(probe.root, killer, "promote", number)
    shutil.rmtree(probe.root)

    for at, folder in enumerate(copies(loop, tmp_path, count), 1):
        start = folder.git("rev-parse", "main")
        killed(folder.root, killer, at, "after", "promote", number)
        moved = folder.git("rev-parse", "main") != start

        data = Loop(folder, loop.run).promote(number)

        assert data["merge"] == folder.git("rev-parse", "main").strip()
        if moved:
            assert folder.git("rev-list", "--count", "--first-parent", "main") == "3\n"
        assert folder.git("status", "--porcelain") == ""
        assert (folder.root / "skills/xlsx-tables/SKILL.md").is_file()
        assert not folder.git("fsck", "--strict", "--no-dangling").strip()
        assert Loop(folder, loop.run).audit_kinds() == []
        assert "skill/" not in folder.git("branch", "--list")


def test_a_merge_that_was_not_noted_is_found_again(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    ref = f"refs/skillforge/proposals/{number}"
    loop.ok("gate", number)
    before = loop.folder.git("rev-parse", ref).strip()
    data = loop.promote(number)
    loop.folder.git("update-ref", ref, before)  # as if git had died between two refs

    assert loop.promote(number)["merge"] == data["merge"]
    assert loop.ok("proposals")["proposals"][0]["state"] == "merged"
    assert loop.audit_kinds() == []


def test_a_branch_that_was_not_made_is_made_again(loop: Loop, tmp_path: Path) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    data = loop.ok("propose", draft)
    loop.folder.git("update-ref", "-d", f"refs/heads/{data['branch']}")

    again = loop.ok("propose", draft)

    assert again["created"] is False
    assert loop.folder.git("rev-parse", data["branch"]).strip() == data["commit"]


@pytest.mark.parametrize("command", ["propose", "promote"])
def test_a_full_disk_is_a_clear_error_and_nothing_is_half_done(
    loop: Loop, tmp_path: Path, command: str
) -> None:
    subject: object = loop.draft(tmp_path, "xlsx-tables", *range(300))
    if command == "promote":
        subject = loop.ok("propose", subject)["proposal"]
        loop.approve(int(str(subject)))
    root = loop.folder.root
    refs = loop.folder.git("for-each-ref")

    done = started(root, command, subject, shell="ulimit -f 1")

    assert done.code == 3, done.out + done.err
    assert done.json["error"]["message"]
    assert "Traceback" not in done.err
    assert loop.folder.git("for-each-ref") == refs
    assert loop.folder.git("status", "--porcelain") == ""
    loop.fsck()
    assert not list((root / ".git").glob("fast_import_crash_*"))
    data_of(forked(root, command, subject))


def read_only(root: Path) -> str:
    """Shell words that make a repository read-only, for root as for others."""
    if os.geteuid():
        subprocess.run(["chmod", "-R", "a-w", str(root / ".git")], check=True)
        return "true"
    return f"mount --bind {root} {root} && mount -o remount,ro,bind {root}"


@pytest.mark.parametrize("command", ["propose", "promote", "proposals", "audit"])
def test_a_read_only_repository(loop: Loop, tmp_path: Path, command: str) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    subject: list[object] = [draft] if command == "propose" else []
    if command == "promote":
        subject = [loop.ok("propose", draft)["proposal"]]
        loop.ok("review", subject[0], "--approve", "--as", REVIEWER)
    root = loop.folder.root
    refs = loop.folder.git("for-each-ref")
    locked = read_only(root)
    line = [sys.executable, "-m", "skillforge", command, "--library", str(root)]
    words = [*line, *map(str, subject), "--json"]
    shell = ["sh", "-c", f'{locked} && exec "$@"', "sh", *words]
    unshare = ["unshare", "--mount"] if not os.geteuid() else []

    done = subprocess.run(
        [*unshare, *shell], capture_output=True, text=True, check=False
    )

    subprocess.run(["chmod", "-R", "u+w", str(root / ".git")], check=True)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("this machine's root may not mount")
    expected = 3 if command in ("propose", "promote") else 0
    assert done.returncode == expected, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert loop.folder.git("for-each-ref") == refs
    loop.fsck()
