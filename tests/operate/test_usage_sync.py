"""Clones that share uses and rollouts get the same numbers, in any order."""

import json
import random
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from skillforge.model import Arm, Use
from skillforge.operate import usage_sync
from skillforge.store import Uses
from tests.conftest import LibraryFolder, Run
from tests.operate.conftest import NAME, POLICY, Field

USE = Use("u", NAME, "1" * 40, "v", 1_700_000_000, seconds=1.5, tokens=7)


@dataclass(frozen=True)
class Team:
    """Some clones of one repository."""

    remote: Path
    clones: tuple[Field, ...]

    def uses(self) -> list[int]:
        return [_uses(clone) for clone in self.clones]


def _uses(clone: Field) -> int:
    rows = clone.ok("stats")["skills"]
    return int(rows[0]["uses"]) if rows else 0


@pytest.fixture
def team(field: Field, run: Run, tmp_path: Path) -> Team:
    remote = tmp_path / "remote.git"
    field.folder.git("clone", "--quiet", "--bare", ".", str(remote))
    return Team(remote, tuple(_clone(remote, tmp_path / f"c{n}", run) for n in "123"))


def _clone(remote: Path, path: Path, run: Run) -> Field:
    LibraryFolder(remote).git("clone", "--quiet", str(remote), str(path))
    return Field(LibraryFolder(path), run)


def test_every_clone_counts_the_uses_of_all(team: Team) -> None:
    for number, clone in enumerate(team.clones, 1):
        clone.report([f"{number}-{key}" for key in range(number)], "success")
        clone.ok("sync-uses")
    for clone in team.clones:
        clone.ok("sync-uses")

    assert team.uses() == [6, 6, 6]


def test_a_lost_store_is_an_error_and_shared_uses_come_back(team: Team) -> None:
    clone, *_ = team.clones
    clone.report(["a", "b"], "success")
    clone.ok("sync-uses")
    store = clone.folder.root / ".git/skillforge/state.db"
    store.write_bytes(b"")
    for beside in ("-wal", "-shm"):
        store.with_name(store.name + beside).unlink(missing_ok=True)

    ran = clone("stats")
    assert ran.code == 3
    assert "is empty" in ran.err
    assert clone("doctor").code == 1

    Path(f"{store}.generation").unlink()  # as the hint says
    clone.ok("sync-uses")
    assert _uses(clone) == 2


@pytest.mark.slow
def test_an_exchange_in_any_order_and_number_changes_nothing(team: Team) -> None:
    chance = random.Random(11)
    for turn in range(12):
        clone = chance.choice(team.clones)
        if chance.random() < 0.5:
            clone.report([f"{turn}-{key}" for key in range(2)], "success")
        clone.ok("sync-uses")
    for clone in team.clones * 2:
        clone.ok("sync-uses")

    assert len(set(team.uses())) == 1
    received = [clone.ok("sync-uses")["received"] for clone in team.clones]
    assert received == [0, 0, 0]


def test_a_report_to_two_clones_counts_once(team: Team) -> None:
    for clone in team.clones[:2]:
        clone.report(["k"], "success", id="run-7")
        clone.ok("sync-uses")
    for clone in team.clones[:2]:
        clone.ok("sync-uses")

    assert team.uses()[:2] == [1, 1]


def test_a_clone_that_was_copied_with_its_store_takes_another_name(
    team: Team, tmp_path: Path, run: Run
) -> None:
    first = team.clones[0]
    first.report(["a"], "success")
    first.ok("sync-uses")
    copy = Field(LibraryFolder(tmp_path / "copy"), run)
    shutil.copytree(first.folder.root, copy.folder.root)
    first.report(["b"], "success")
    copy.report(["c"], "success")
    for clone in (first, copy, first, copy):
        clone.ok("sync-uses")

    assert [_uses(clone) for clone in (first, copy)] == [3, 3]


def test_notes_and_keys_stay_where_they_were_written(team: Team) -> None:
    team.clones[0].report(["ada@example.org"], "success", note="ask Ada", pitfall="x y")
    team.clones[0].ok("sync-uses")

    folder = LibraryFolder(team.remote)
    refs = folder.git("for-each-ref", "--format=%(refname)", "refs/skillforge/uses")
    [ref] = refs.split()
    log = folder.git("log", "-p", ref)
    assert "ask Ada" not in log
    assert "ada@example.org" not in log
    assert "x y" in log


def test_a_log_of_nonsense_is_harmless(team: Team) -> None:
    first, other = team.clones[:2]
    first.report(["k"], "success")
    first.ok("sync-uses")
    folder = first.folder
    ref = folder.git("for-each-ref", "--format=%(refname)", "refs/skillforge/uses")
    lines = folder.git("show", f"{ref.strip()}:000000000001.jsonl")
    ahead = lines.replace('"at":', '"at":9').replace('"id":"', '"id":"x')
    wrong = lines.replace('"share":0.0', '"share":1e400').replace('"id":"', '"id":"y')
    huge = lines.replace('"tokens":null', f'"tokens":{10**30}')
    folder.write("log.jsonl", f"{lines}{ahead}no json\n{wrong}[]\n{huge}")
    blob = folder.git("hash-object", "-w", "log.jsonl").strip()
    folder.git("checkout", "--quiet", "--orphan", "evil")
    folder.git("rm", "-rfq", ".")
    folder.git("update-index", "--add", "--cacheinfo", f"100644,{blob},1.jsonl")
    tree = folder.git("write-tree").strip()
    commit = folder.git("commit-tree", "-m", "x", tree).strip()
    folder.git("push", "-q", "origin", f"{commit}:refs/skillforge/uses/0123456789ab")

    answer = other.ok("sync-uses")

    assert (answer["unread"], answer["ahead"]) == (4, 1)
    assert _uses(other) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"tokens": 10**30},
        {"tokens": 1.5},
        {"tokens": True},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"seconds": -1.0},
        {"pitfall": "\ud800"},
        {"pitfall": "x" * 10_000},
        {"skill": "../csv-tables"},
        {"skill": ["csv-tables"]},
        {"version": "<script>"},
        {"share": True},
        {"at": True},
        {"id": ""},
        {"id": 7},
    ],
    ids=str,
)
def test_a_use_of_another_clone_that_cannot_be_is_not_kept(
    wrong: dict[str, object],
) -> None:
    whole = json.loads(usage_sync._line(USE))

    assert usage_sync._use(whole | {"note": {}, "node": []}) == USE
    with pytest.raises((TypeError, ValueError, AttributeError)):
        usage_sync._use(whole | wrong)


def test_uses_of_others_decide_a_rollout(team: Team) -> None:
    first, other = team.clones[:2]
    first.policy(f"{POLICY}canary: {{share: 50}}\n")
    first.land(NAME, "headers", "first")
    first.folder.git("push", "-q", "origin", "main")
    first.ok("sync-uses")
    other.folder.git("pull", "-q", "--ff-only")
    other.ok("sync-uses")
    assert other.status()["state"] == "running"
    first.report(first.keys(Arm.STABLE, 30), "success")
    first.ok("sync-uses")
    other.report(other.keys(Arm.CANARY, 9), "failure")
    assert other.status()["state"] == "running"

    other.ok("sync-uses")
    first.report(first.keys(Arm.CANARY, 12)[9:], "failure")
    first.ok("sync-uses")
    assert first.status()["state"] == "closed"

    other.ok("sync-uses")
    assert other.status()["state"] == "closed"
    for clone in (first, other, first):  # each has a forge of its own
        clone.ok("sync-uses")
        asked = [
            row for row in clone.ok("proposals")["proposals"] if row["state"] == "open"
        ]
        assert [proposal["action"] for proposal in asked] == ["rollback"]
        assert clone.status()["rollback"] == asked[0]["number"]


def test_of_two_decisions_the_careful_one_prevails(team: Team) -> None:
    first, other = team.clones[:2]
    first.land(NAME, "headers", "first")
    first.folder.git("push", "-q", "origin", "main")
    first.ok("sync-uses")
    other.folder.git("pull", "-q", "--ff-only")
    other.ok("sync-uses")
    first.ok("canary", "finish", NAME)
    other.ok("canary", "abort", NAME, "--why", "Users complain")

    for clone in (first, other, first):
        clone.ok("sync-uses")

    states = [clone.status()["state"] for clone in (first, other)]
    assert states == ["closed", "closed"]


@pytest.mark.parametrize("name", [NAME, "pdf-tables", "Not-A-Name"])
def test_a_rollout_forged_at_the_remote_blocks_no_user(team: Team, name: str) -> None:
    first, other = team.clones[:2]
    first.land(NAME, "headers", "first")
    first.folder.git("push", "-q", "origin", "main")
    other.folder.git("pull", "-q", "--ff-only")
    answer = first.rollout() | {"stable": first.evil(), "skill": name}
    before = first.folder.git("rev-parse", f"refs/skillforge/rollouts/{NAME}").strip()
    first.forge(json.dumps(answer) if name == NAME else "{", name)
    ref = f"refs/skillforge/rollouts/{name}"
    first.folder.git("push", "-q", "--force", "origin", ref, "evil")
    if name != NAME:
        first.folder.git(
            "push", "-q", "origin", f"{before}:refs/skillforge/rollouts/{NAME}"
        )

    answer = other.ok("sync-uses")

    assert list(answer["refused"]) == [name]
    assert answer["changed"] == ([] if name == NAME else [NAME])
    assert other.ok("use", NAME, "--key", "k")["version"] != first.tree(NAME, "evil")


def test_without_a_remote_the_error_has_a_hint(field: Field) -> None:
    ran = field("sync-uses")

    assert ran.code == 2
    assert "git remote add origin" in ran.err


def test_a_remote_that_is_away_loses_nothing(team: Team) -> None:
    first = team.clones[0]
    first.report(["a"], "success")
    away = team.remote.rename(team.remote.with_name("away.git"))
    assert first("sync-uses").code == 3
    away.rename(team.remote)

    first.ok("sync-uses")
    team.clones[1].ok("sync-uses")

    assert team.uses()[:2] == [1, 1]


def refuse(team: Team, prefix: str) -> Path:
    """Have the remote refuse every push below a prefix."""
    hook = team.remote / "hooks" / "update"
    hook.write_text(f'#!/bin/sh\ncase "$1" in {prefix}*) exit 1;; esac\n')
    hook.chmod(0o755)
    return hook


def test_a_refused_push_reports_how_many_uses_were_not_sent(team: Team) -> None:
    first, other = team.clones[:2]
    first.report(["a"], "success")
    first.ok("sync-uses")
    first.report(["b", "c"], "success")
    hook = refuse(team, "refs/skillforge/uses/")

    ran = first("sync-uses", "--json")

    assert ran.code == 3
    assert "2 uses not sent, kept in this clone" in ran.json["error"]["hint"]
    assert (ran.json["error"]["sent"], ran.json["error"]["unsent"]) == (0, 2)
    hook.unlink()
    assert first.ok("sync-uses")["sent"] == 2
    assert first.ok("sync-uses")["sent"] == 0
    assert other.ok("sync-uses")["received"] == 3


def test_a_refused_rollout_reports_what_was_sent_before(team: Team) -> None:
    first, other = team.clones[:2]
    other.report(["z"], "success")
    other.ok("sync-uses")
    first.report(["a", "b"], "success")
    first.ok("canary", "set", NAME, "--share", "50")
    refuse(team, "refs/skillforge/rollouts/")

    ran = first("sync-uses", "--json")

    assert ran.code == 3
    assert "sent 2 uses, received 1 use" in ran.json["error"]["hint"]
    assert (ran.json["error"]["sent"], ran.json["error"]["received"]) == (2, 1)


def test_two_processes_that_share_at_once_lose_no_use(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other = team.clones[:2]
    first.report(["a"], "success")
    with monkeypatch.context() as patch:

        def late(uses: Uses) -> str:
            """Another process is faster, and has one more use."""
            patch.undo()
            first.report(["b"], "success")
            first.ok("sync-uses")
            return usage_sync.node(uses)

        patch.setattr(usage_sync, "node", late)
        first.ok("sync-uses")
    # The note of the faster one comes last.
    Uses.of(first.folder.root / ".git").set_fact("exported", "2")
    first.ok("sync-uses")
    other.ok("sync-uses")

    assert _uses(other) == 2


def test_a_log_written_but_not_noted_is_written_again(team: Team) -> None:
    first, other = team.clones[:2]
    first.report(["a", "b"], "success")
    first.ok("sync-uses")
    uses = Uses.of(first.folder.root / ".git")
    uses.set_fact("exported", "0")  # as if it had been killed before that
    first.report(["c"], "success")

    first.ok("sync-uses")
    other.ok("sync-uses")

    assert [_uses(clone) for clone in (first, other)] == [3, 3]
