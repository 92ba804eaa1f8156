"""Attacks that got through once: each of them is an exception or a refusal now."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import REVIEWER, Loop


@pytest.fixture(autouse=True)
def _quick(loop: Loop) -> None:
    """What the other checks say is no part of these tests."""
    loop.policy("checks: [validate]\n")


def evil(loop: Loop, message: str) -> str:
    loop.write("csv-tables", "evil")
    return loop.folder.commit(message)


def test_a_push_that_claims_to_revert_what_is_yet_to_come(loop: Loop) -> None:
    loop.land("xlsx-tables")
    evil(loop, "Tidy\n\nReverts #2")
    loop.land("csv-tables", "evil", "and", "more")

    assert loop.audit_kinds() == ["direct-push"]


def test_a_folder_replaced_by_a_link_is_not_a_revert(loop: Loop) -> None:
    merge = loop.land("xlsx-tables")["merge"]
    loop.folder.git("rm", "-r", "--quiet", "skills/xlsx-tables")
    loop.folder.write("lib/SKILL.md", "evil")
    (loop.folder.root / "skills/xlsx-tables").symlink_to("../lib")
    loop.folder.commit(f"x\n\nThis reverts commit {merge}.")

    assert loop.audit_kinds() == ["inexact-revert"]


def test_evidence_cannot_be_changed_in_the_name_of_a_revert(loop: Loop) -> None:
    merge = loop.land("xlsx-tables")["merge"]
    loop.folder.write("evidence/csv-tables/abcd1234.json", "{}")
    loop.folder.commit(f"x\n\nThis reverts commit {merge}.")

    assert loop.audit_kinds() == ["inexact-revert"]


@pytest.mark.parametrize("path", ["skills/evil", "vendor/tool"])
def test_a_submodule_that_hides_is_seen(loop: Loop, path: str) -> None:
    text = f'[submodule "t"]\n path = {path}\n url = ../t\n ignore = all\n'
    loop.folder.write(".gitmodules", text)
    loop.folder.git("add", ".gitmodules")
    loop.folder.git("commit", "--quiet", "--message", "Modules")
    link = f"160000,{loop.main()},{path}"
    if path == "skills/evil":
        loop.folder.git("update-index", "--add", "--cacheinfo", link)
        loop.folder.git("commit", "--quiet", "--message", "Sneak")
        assert loop.audit_kinds() == ["direct-push"]
        return
    number = loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    loop.folder.git("update-index", "--add", "--cacheinfo", link)
    loop.folder.git("commit", "--quiet", "--message", "Sneak")
    loop.folder.git("checkout", "--quiet", "main")

    assert loop("gate", number).code == 1


@pytest.mark.parametrize("path", ["Skills/evil/SKILL.md", "SKILLS"])
def test_a_revert_adds_nothing_under_another_spelling(loop: Loop, path: str) -> None:
    merge = loop.land("xlsx-tables")["merge"]
    loop.folder.git("rm", "-r", "--quiet", "skills/xlsx-tables")
    loop.folder.write(path, "evil")
    loop.folder.commit(f"x\n\nThis reverts commit {merge}.")

    assert loop.audit_kinds() == ["inexact-revert"]


def test_a_merge_that_claims_a_proposal_cannot_hide_another_promotion(
    loop: Loop, tmp_path: Path, run: Run
) -> None:
    loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")
    claims = loop.folder.git("log", "-1", "--format=%B", "main")
    parents = ("-p", "main~1", "-p", "main")
    forged = ("commit-tree", "main^{tree}", *parents, "-m", claims)
    loop.folder.git("reset", "--quiet", "--hard", loop.folder.git(*forged).strip())
    url = f"file://{loop.folder.root}"
    loop.folder.git("clone", "--quiet", url, str(tmp_path / "clone"))
    clone = Loop(LibraryFolder(tmp_path / "clone"), run)

    assert clone.audit_kinds() == ["side-history"]


def test_main_cannot_be_swapped_for_another_line(
    loop: Loop, tmp_path: Path, run: Run
) -> None:
    loop.land("xlsx-tables")
    loop.folder.git("checkout", "--quiet", "--orphan", "other")
    evil(loop, "Start anew")
    options = ("-s", "ours", "--allow-unrelated-histories", "-m", "Merge")
    loop.folder.git("merge", "--quiet", *options, "main")
    loop.folder.git("branch", "--force", "main", "HEAD")
    loop.folder.git("checkout", "--quiet", "main")
    url = f"file://{loop.folder.root}"
    loop.folder.git("clone", "--quiet", "-b", "main", url, str(tmp_path / "clone"))
    clone = Loop(LibraryFolder(tmp_path / "clone"), run)

    assert clone.audit_kinds() == ["side-history"]


def test_a_policy_that_comes_late_adopts_nothing(loop: Loop) -> None:
    loop.land("xlsx-tables")
    loop.folder.write("skillforge.yaml", "approvals: 1\n")
    evil(loop, "Add a policy")

    assert loop.audit_kinds() == ["direct-push"]


def test_an_adoption_cannot_be_moved_over_promotions(loop: Loop) -> None:
    loop.land("xlsx-tables")
    bad = evil(loop, "Sneak")
    loop.policy(f"adopted: '{bad}'\n")

    assert loop.audit_kinds() == ["adoption-moved"]


def test_a_forged_date_hides_nothing(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil(loop, "Sneak")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")
    loop.folder.write("README.md", "x")
    loop.folder.commit("An old tip")

    assert loop("audit", "--since", "2020-01-01").code == 1
    assert loop("audit", "--since", "lsat tuseday").code == 2


@pytest.mark.parametrize("path", ["Skills/csv-tables/SKILL.md", "skills"])
def test_other_ways_to_the_skills_folder_are_seen(loop: Loop, path: str) -> None:
    if path == "skills":
        loop.folder.git("mv", "skills", "lib")
        (loop.folder.root / "skills").symlink_to("lib")
    else:
        loop.folder.write(path, "evil")
    loop.folder.commit("Sneak")

    assert loop.audit_kinds() == ["direct-push"]
    loop.folder.git("checkout", "--quiet", "-b", "branch")
    assert loop("gate", "--base", "main^", "--head", "branch").code == 1


def test_trailers_of_a_branch_cannot_point_the_checks_elsewhere(loop: Loop) -> None:
    loop.folder.git("checkout", "--quiet", "-b", "branch")
    loop.folder.write("skills/csv-tables/refs/SKILL.md", "bad")
    loop.folder.commit("Edit\n\nSkill: csv-tables/refs")

    assert loop("gate", "--base", "main", "--head", "branch").code == 1


def test_a_branch_cannot_choose_an_older_policy(loop: Loop) -> None:
    loop.folder.git("checkout", "--quiet", "-b", "branch")
    loop.write("csv-tables", "other")
    loop.folder.commit()
    loop.folder.git("checkout", "--quiet", "main")
    loop.policy("checks: [validate, overlap, taste]\n")

    ran = loop("gate", "--base", "main", "--head", "branch", "--json")

    assert ran.code == 3  # the check is not on this machine
    assert ran.data["checks"][-1] | {"seconds": 0, "digest": ""} == {
        "name": "taste",
        "status": "not-run",
        "seconds": 0,
        "digest": "",
        "skills": {},
    }


def forge_record(loop: Loop, number: int, **changes: object) -> None:
    """Write what one likes into the record of a proposal."""
    ref = f"refs/skillforge/proposals/{number}"
    about = json.loads(loop.folder.git("show", f"{ref}:proposal.json")) | changes
    file = loop.folder.write("record.json", json.dumps(about))
    blob = loop.folder.git("hash-object", "-w", "record.json").strip()
    file.unlink()
    loop.folder.write("tree", f"100644 blob {blob}\tproposal.json\n")
    with (loop.folder.root / "tree").open() as listing:
        tree = subprocess.run(
            ["git", "mktree"],
            stdin=listing,
            cwd=loop.folder.root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    (loop.folder.root / "tree").unlink()
    commit = loop.folder.git("commit-tree", tree, "-p", ref, "-m", "opened x").strip()
    loop.folder.git("update-ref", ref, commit)


@pytest.mark.parametrize(
    "changes",
    [
        {"branch": "main", "opened": 1},
        {"branch": "skill/other-skill/12345678"},
        {"skill": "../x"},
        {"head": "main"},
        {"opened": "x"},
        {"author": None},
        {"format": "other"},
    ],
    ids=str,
)
def test_a_record_from_elsewhere_is_held_to_its_form(
    loop: Loop, changes: dict[str, object]
) -> None:
    number = loop.propose("xlsx-tables")
    before = loop.main()
    forge_record(loop, number, **changes)

    listed = loop.ok("proposals", "--expire")
    assert listed["proposals"] == []
    assert f"proposal {number} cannot be read" in listed["broken"][0]
    assert loop.audit_kinds() == ["unreadable-record"]
    for command in ("promote", "review", "close"):
        ran = loop(command, number)
        assert ran.code == 2, ran.err
        assert f"proposal {number} cannot be read" in ran.err
    assert loop.main() == before


def test_what_was_swapped_after_it_was_shown_is_not_approved(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    head = loop.ok("review", number)["head"]
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    loop.write("xlsx-tables", "evil")
    loop.folder.commit()
    loop.folder.git("checkout", "--quiet", "main")

    plain = loop("review", number, "--approve", "--as", REVIEWER)
    as_seen = loop("review", number, "--approve", "--as", REVIEWER, "--head", head)

    assert (plain.code, as_seen.code) == (4, 4)
    assert "--head" in plain.err


def test_a_rejected_proposal_that_is_merged_by_hand(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    verdict = loop.ok("gate", number)
    loop.ok("review", number, "--reject", "--why", "No", "--as", REVIEWER)
    fields = {
        "Proposal": number,
        "Approved-By": REVIEWER,
        "Approved-Tree": verdict["tree"],
        "Checks-Digest": verdict["digest"],
        "Policy": verdict["policy"],
    }
    lines = "\n".join(f"{key}: {value}" for key, value in fields.items())
    words = (
        verdict["tree"],
        "-p",
        "main",
        "-p",
        verdict["head"],
        "-m",
        f"M\n\n{lines}",
    )
    merge = loop.folder.git("commit-tree", *words).strip()
    loop.folder.git("update-ref", "refs/heads/main", merge)

    assert loop.audit_kinds() == ["record-mismatch"]


def test_a_manual_merge_is_not_a_promotion(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("merge", "--quiet", "--no-ff", "--no-edit", branch)

    assert loop("promote", number).code == 4
    assert loop.ok("proposals")["proposals"][0]["state"] == "open"
    assert loop.audit_kinds() == ["direct-push"]


@pytest.mark.parametrize(
    "message", ["wip", "Add x\n\nSkill: xlsx-tables\nOrigin: human"]
)
def test_a_branch_that_was_rewritten_is_refused(loop: Loop, message: str) -> None:
    number = loop.propose("xlsx-tables", options=("--origin", "agent-background"))
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    loop.folder.git("commit", "--quiet", "--amend", "--message", message)
    loop.folder.git("checkout", "--quiet", "main")

    assert loop("gate", number).code == 1
    loop.approve_as_it_is(number)
    assert loop("promote", number).code == 1


def test_an_unrelated_branch_does_not_block_the_library(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    tree = loop.folder.git("rev-parse", "main^{tree}").strip()
    orphan = loop.folder.git("commit-tree", tree, "-m", "Orphan").strip()
    loop.folder.git("update-ref", f"refs/heads/{branch}", orphan)

    assert loop("gate", number).code == 1
    assert loop("refresh", number).code in (0, 3, 4)
    assert loop.ok("audit")["exceptions"] == []
    loop.propose("ods-tables")
    loop.ok("close", number)


def test_a_rollback_takes_no_unrelated_skill_along(loop: Loop) -> None:
    before = loop.tree("pdf-tables")
    loop.write("csv-tables", "one")
    loop.write("pdf-tables", "two")
    loop.folder.commit("Both at once, by hand")
    after = loop.tree("pdf-tables")

    loop.ok("rollback", "csv-tables", "--now", "--why", "x")

    assert loop.tree("pdf-tables") == after != before


def test_an_adopted_skill_is_not_rolled_back_to_nothing(loop: Loop) -> None:
    ran = loop("rollback", "csv-tables", "--now", "--why", "x")

    assert ran.code == 4
    assert "skillforge propose csv-tables --delete" in ran.err
    assert loop.tree("csv-tables")


# --- unsaved work ---


def test_an_ignored_file_in_the_way_is_kept(loop: Loop) -> None:
    loop.folder.write(".gitignore", "/skills/xlsx-tables\n")
    loop.folder.commit()
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    notes = loop.folder.write("skills/xlsx-tables", "my notes")
    before = loop.main()

    ran = loop("promote", number)

    assert ran.code == 4
    assert notes.read_text() == "my notes"
    assert loop.main() == before


def test_a_repository_in_the_way_is_kept(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    loop.folder.git("init", "--quiet", "skills/xlsx-tables")
    before = loop.main()

    assert loop("promote", number).code == 4
    assert loop.main() == before


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_an_edit_that_git_does_not_look_at_is_kept(loop: Loop, flag: str) -> None:
    number = loop.propose("csv-tables", "new")
    loop.approve(number)
    loop.folder.git("update-index", flag, "skills/csv-tables/SKILL.md")
    file = loop.folder.write("skills/csv-tables/SKILL.md", "precious")
    before = loop.main()

    assert loop("promote", number).code == 4
    assert file.read_text() == "precious"
    assert loop.main() == before


def test_staged_work_is_kept_though_the_disk_holds_the_draft(loop: Loop) -> None:
    loop.folder.write("skills/csv-tables/SKILL.md", "precious")
    loop.folder.git("add", "--all")
    loop.write("csv-tables", "new")
    number = loop.ok("propose", "csv-tables")["proposal"]
    loop.approve(number)

    assert loop("promote", number).code == 4
    assert loop.folder.git("show", ":skills/csv-tables/SKILL.md") == "precious"


def test_an_index_that_is_locked_stops_it(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    (loop.folder.root / ".git/index.lock").touch()
    before = loop.main()

    assert loop("promote", number).code == 4
    assert loop.main() == before


def test_a_branch_that_is_checked_out_stays(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    loop.approve(number)
    loop.promote(number)

    assert loop.folder.git("rev-parse", "--abbrev-ref", "HEAD").strip() == branch
    assert loop.folder.git("status", "--porcelain") == ""


def test_a_branch_that_is_checked_out_is_not_refreshed(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    loop.land("ods-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("checkout", "--quiet", branch)

    assert loop("refresh", number).code == 4
    assert loop.folder.git("status", "--porcelain") == ""


def test_a_branch_that_is_checked_out_is_not_taken_over(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    loop.ok("close", number)
    loop.land("ods-tables")

    draft = loop.draft(loop.folder.root.parent, "xlsx-tables")
    assert loop("propose", draft).code == 4
    assert loop.folder.git("status", "--porcelain") == ""


# --- all or nothing ---


def test_if_one_of_several_is_in_the_way_none_is_opened(
    loop: Loop, tmp_path: Path
) -> None:
    loop.propose("bb-two", "old")
    drafts = [loop.draft(tmp_path, name) for name in ("aa-one", "bb-two", "cc-three")]

    ran = loop("propose", *drafts)

    assert ran.code == 4
    assert len(loop.ok("proposals")["proposals"]) == 1


def test_the_cap_counts_all_of_several(loop: Loop, tmp_path: Path) -> None:
    loop.policy("proposals:\n  open: 2\n")
    drafts = [loop.draft(tmp_path, name) for name in ("aa-one", "bb-two", "cc-three")]

    assert loop("propose", *drafts).code == 4
    assert loop.ok("proposals")["proposals"] == []


def test_of_several_those_that_did_not_change_are_passed_over(loop: Loop) -> None:
    loop.write("csv-tables", "new")

    data = loop.ok("propose", "csv-tables", "pdf-tables")

    assert [p["skill"] for p in data["proposals"]] == ["csv-tables"]


def test_superseding_beyond_the_cap_closes_nothing(loop: Loop, tmp_path: Path) -> None:
    loop.propose("aa-one", "x")
    loop.propose("bb-two", "y")
    loop.policy("proposals:\n  open: 1\n")

    ran = loop("propose", loop.draft(tmp_path, "aa-one", "z"), "--supersede")

    assert ran.code == 4
    states = [p["state"] for p in loop.ok("proposals")["proposals"]]
    assert states == ["open", "open"]


def test_what_is_not_admitted_leaves_no_files(loop: Loop, tmp_path: Path) -> None:
    loop.propose("xlsx-tables", "one")
    for _ in range(3):
        loop.propose("xlsx-tables", "one")
        loop("propose", loop.draft(tmp_path, "xlsx-tables", "two"))

    left = list((loop.folder.root / ".git/objects/pack").glob("tmp_*"))
    assert left == []


def test_a_clone_continues_the_numbers(loop: Loop, tmp_path: Path, run: Run) -> None:
    loop.land("aa-one")
    loop.land("bb-two")
    url = f"file://{loop.folder.root}"
    loop.folder.git("clone", "--quiet", url, str(tmp_path / "clone"))
    clone = Loop(LibraryFolder(tmp_path / "clone"), run)

    assert clone.land("cc-three")["proposal"] == 3
    assert clone.audit_kinds() == []


# --- adopted skills ---


def test_an_adopted_skill_with_an_odd_file_can_be_fixed(loop: Loop) -> None:
    loop.folder.write("skills/csv-tables/scripts/.gitkeep", "")
    (loop.folder.root / "skills/csv-tables/link").symlink_to("SKILL.md")
    loop.folder.commit("As it was")
    before = loop.tree("csv-tables")
    loop.approve(number := loop.ok("propose", "csv-tables", "--delete")["proposal"])
    loop.promote(number)

    loop.ok("rollback", "csv-tables", "--now", "--why", "We need it")

    assert loop.tree("csv-tables") == before


# --- odd input ---


def test_private_files_behind_a_link_are_not_taken(loop: Loop, tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir()
    (private / "config.json").write_text('{"token": "x"}')
    (loop.folder.root / "evidence").mkdir()
    (loop.folder.root / "evidence/csv-tables").symlink_to(private)
    loop.write("csv-tables", "new")

    assert loop("propose", "csv-tables").code == 2


@pytest.mark.parametrize(
    "who", ["Test.", '"Test" <q@y>', "Test, <q@y>", "test@example.invalid."]
)
def test_a_name_spelled_otherwise_is_the_same_person(loop: Loop, who: str) -> None:
    number = loop.propose("xlsx-tables")

    assert loop("review", number, "--approve", "--as", who).code == 4


def test_commits_with_odd_numbers_and_dates_are_read(loop: Loop) -> None:
    tree = loop.folder.git("rev-parse", "main^{tree}").strip()
    raw = f"tree {tree}\nparent {loop.main()}\nauthor A <a@x> 99999999999999 +0000\n"
    raw += f"committer A <a@x> 99999999999999 +0000\n\nOdd (#{'9' * 5000})\n"
    file = loop.folder.write("raw", raw)
    line = ("hash-object", "-t", "commit", "-w", "--literally", "raw")
    commit = loop.folder.git(*line).strip()
    file.unlink()
    loop.folder.git("update-ref", "refs/heads/main", commit)

    assert loop("audit").code == 0
    assert loop("log", "csv-tables").code == 0
    assert loop("why", "csv-tables").code == 0


def test_as_needs_no_identity_of_git(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{who}_NAME")
        monkeypatch.delenv(f"GIT_{who}_EMAIL")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.useConfigOnly")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    draft = loop.draft(tmp_path, "xlsx-tables")

    number = loop.ok("propose", draft, "--as", "Zed <z@x.org>")["proposal"]
    loop.ok("review", number)
    loop.ok("review", number, "--approve", "--as", REVIEWER)
    loop.ok("promote", number, "--as", "Zed <z@x.org>")

    assert loop.ok("log", "xlsx-tables")["versions"][0]["author"] == "Zed <z@x.org>"
