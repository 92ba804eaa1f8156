"""`promote`: exactly what was judged reaches main, and checkouts lose nothing."""

from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import REVIEWER, Loop


def approved(loop: Loop, name: str = "xlsx-tables", *words: object) -> int:
    number = loop.propose(name, *words)
    loop.approve(number)
    return number


def test_a_promotion_is_a_merge_with_the_record(loop: Loop) -> None:
    base = loop.main()
    number = approved(loop)
    head = loop.ok("proposals")["proposals"][0]["head"]

    data = loop.promote(number)

    assert data["merge"] == loop.main()
    assert data["version"] == loop.tree("xlsx-tables")
    parents = loop.folder.git("log", "-1", "--format=%P", "main").split()
    assert parents == [base, head]
    trailers = loop.folder.git("log", "-1", "--format=%(trailers)", "main")
    tree = loop.folder.git("rev-parse", f"{head}^{{tree}}").strip()
    assert f"Proposal: {number}\n" in trailers
    assert f"Approved-By: {REVIEWER}\n" in trailers
    assert f"Approved-Tree: {tree}\n" in trailers
    assert "Checks-Digest: sha256:" in trailers
    assert "Policy: none\n" in trailers
    assert loop.folder.git("rev-parse", "main^{tree}").strip() == tree


def test_the_branch_is_gone_and_its_commits_are_kept(loop: Loop) -> None:
    loop.land("xlsx-tables")

    assert "skill/" not in loop.folder.git("branch", "--list")
    assert loop.ok("proposals")["proposals"][0]["state"] == "merged"
    loop.fsck()


def test_promoting_again_has_the_same_result(loop: Loop) -> None:
    number = approved(loop)

    assert loop.promote(number) == loop.promote(number)


def test_without_approval_it_waits(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")

    ran = loop("promote", number)

    assert ran.code == 4
    assert "0 of 1 approvals" in ran.err
    assert f"skillforge review {number} --approve" in ran.err


def test_the_policy_may_ask_for_no_approval(loop: Loop) -> None:
    loop.policy("approvals: 0\n")

    loop.promote(loop.propose("xlsx-tables"))

    assert loop.audit_kinds() == []


def test_a_base_that_is_no_longer_current_has_to_be_refreshed(loop: Loop) -> None:
    first, second = approved(loop, "aa-one"), approved(loop, "bb-two")
    loop.promote(first)

    ran = loop("promote", second)
    assert ran.code == 4
    assert f"skillforge refresh {second}" in ran.err
    loop.ok("refresh", second)
    assert loop("promote", second).code == 4
    loop.approve(second)
    loop.promote(second)

    assert loop.text("aa-one")
    assert loop.text("bb-two")
    assert loop.audit_kinds() == []


@pytest.mark.slow
def test_an_old_proposal_has_to_be_refreshed(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
    number = approved(loop)
    monkeypatch.delenv("GIT_COMMITTER_DATE")

    assert "older than 14 days" in loop("promote", number).err
    loop.ok("refresh", number)
    loop.approve(number)
    loop.promote(number)


def test_refresh_stops_where_both_sides_changed_the_same(loop: Loop) -> None:
    words = [f"word{n}" for n in range(30)]
    loop.land("xlsx-tables", *words)
    other = loop.propose("xlsx-tables", *words[:29], "changed-last")
    loop.write("xlsx-tables", "changed-first", *words[1:])
    text = loop.folder.root.joinpath("skills/xlsx-tables/SKILL.md").read_text()
    extra = 'metadata:\n  version: "1.0.1"\n'
    loop.folder.write(
        "skills/xlsx-tables/SKILL.md", text.replace("\n---\n", f"\n{extra}---\n", 1)
    )
    loop.folder.commit("A hotfix by hand")

    ran = loop("refresh", other)

    assert ran.code == 4
    assert "conflicts with main" in ran.err
    assert loop.ok("proposals")["proposals"][-1]["conflicts"] is True


def test_refresh_merges_what_does_not_conflict(loop: Loop) -> None:
    lines = "".join(f"Line {n}.\n\n" for n in range(30))
    text = "---\nname: xlsx-tables\ndescription: Reads it. Use when asked.\nmetadata:\n"
    text += '  version: "1.0.0"\n---\n# Title\n\n' + lines
    loop.folder.write("skills/xlsx-tables/SKILL.md", text)
    loop.folder.commit()
    loop.folder.write(
        "skills/xlsx-tables/SKILL.md", text.replace("Line 29.", "Line last.")
    )
    number = loop.ok("propose", "xlsx-tables")["proposal"]
    loop.folder.write(
        "skills/xlsx-tables/SKILL.md",
        text.replace("Line 1.", "Line first.").replace("1.0.0", "1.0.1"),
    )
    loop.folder.commit("By hand")

    data = loop.ok("refresh", number)

    merged = loop.text("xlsx-tables", data["head"])
    assert "Line first." in merged
    assert "Line last." in merged
    assert 'version: "1.0.2"' in merged
    assert loop.folder.git("rev-parse", f"{data['head']}^").strip() == loop.main()


def test_refresh_without_need_changes_nothing(loop: Loop) -> None:
    number = approved(loop)
    refs = loop.folder.git("for-each-ref")

    loop.ok("refresh", number)

    assert loop.folder.git("for-each-ref") == refs


def test_close_and_expire(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    number = loop.propose("xlsx-tables")
    loop.ok("close", number, "--why", "Not needed")
    assert loop("close", number).code == 4
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
    old = loop.propose("ods-tables")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    fresh = loop.propose("odt-tables")

    listed = loop.ok("proposals", "--expire")

    assert listed["expired"] == [old]
    states = {p["number"]: p["state"] for p in listed["proposals"]}
    assert states == {number: "closed", old: "expired", fresh: "open"}
    assert listed["proposals"][1]["age_days"] > 365


def test_a_closed_draft_can_be_proposed_again(loop: Loop) -> None:
    first = loop.propose("xlsx-tables")
    loop.ok("close", first)

    assert loop.propose("xlsx-tables") == first + 1


# --- the checkout ---


def test_a_clean_checkout_of_main_follows(loop: Loop) -> None:
    loop.folder.write("untracked.txt", "mine")

    loop.land("xlsx-tables")

    assert (loop.folder.root / "skills/xlsx-tables/SKILL.md").is_file()
    assert loop.folder.git("status", "--porcelain") == "?? untracked.txt\n"


@pytest.mark.parametrize("how", ["edited", "staged", "removed", "in-the-way"])
def test_unsaved_changes_stop_it_before_anything_moves(loop: Loop, how: str) -> None:
    name = "xlsx-tables" if how == "in-the-way" else "csv-tables"
    number = approved(loop, name)
    page = loop.folder.root / f"skills/{name}/SKILL.md"
    if how == "removed":
        page.unlink()
    else:
        page.parent.mkdir(exist_ok=True)
        page.write_text("half an edit")
    if how == "staged":
        loop.folder.git("add", "--all")
    before = loop.folder.git("status", "--porcelain"), loop.main()

    ran = loop("promote", number)

    assert ran.code == 4
    assert "unsaved" in ran.err
    assert (loop.folder.git("status", "--porcelain"), loop.main()) == before
    assert loop.ok("proposals")["proposals"][0]["state"] == "open"


@pytest.mark.parametrize("how", ["edited", "staged", "removed", "added"])
def test_unsaved_changes_of_other_files_stay_as_they_are(loop: Loop, how: str) -> None:
    number = approved(loop)
    page = loop.folder.root / "skills/csv-tables/SKILL.md"
    if how == "removed":
        page.unlink()
    elif how == "added":
        loop.folder.write("notes.txt", "mine")
    else:
        page.write_text("half an edit")
    if how in ("staged", "added"):
        loop.folder.git("add", "--all")
    before = loop.folder.git("status", "--porcelain")

    loop.promote(number)

    assert loop.folder.git("status", "--porcelain") == before
    assert (loop.folder.root / "skills/xlsx-tables/SKILL.md").is_file()
    if how in ("edited", "staged"):
        assert page.read_text() == "half an edit"


@pytest.mark.parametrize("kind", ["new", "edit"])
def test_the_draft_itself_is_not_in_the_way(loop: Loop, kind: str) -> None:
    name = "xlsx-tables" if kind == "new" else "csv-tables"
    loop.write(name, "my", "draft")
    number = loop.ok("propose", name)["proposal"]
    loop.approve(number)

    loop.promote(number)

    assert loop.folder.git("status", "--porcelain") == ""
    assert "version" in (loop.folder.root / f"skills/{name}/SKILL.md").read_text()


def test_a_checkout_of_another_branch_stays(loop: Loop) -> None:
    loop.folder.git("checkout", "--quiet", "-b", "work")
    loop.folder.write("skills/csv-tables/SKILL.md", "half an edit")

    loop.land("xlsx-tables")

    assert loop.folder.git("status", "--porcelain") == " M skills/csv-tables/SKILL.md\n"
    assert loop.text("xlsx-tables")


@pytest.mark.slow
def test_a_linked_worktree_on_main_follows_or_stops_it(
    loop: Loop, tmp_path: Path, run: Run
) -> None:
    loop.folder.git("checkout", "--quiet", "-b", "work")
    loop.folder.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "main")
    linked = LibraryFolder(tmp_path / "linked")
    loop.land("xlsx-tables")
    assert (linked.root / "skills/xlsx-tables/SKILL.md").is_file()
    assert linked.git("status", "--porcelain") == ""

    number = approved(loop, "csv-tables")
    linked.write("skills/csv-tables/SKILL.md", "half an edit")

    assert loop("promote", number).code == 4


def test_deleting_a_skill_takes_its_folder_along(loop: Loop) -> None:
    number = loop.ok("propose", "csv-tables", "--delete")["proposal"]
    loop.approve(number)

    loop.promote(number)

    assert not (loop.folder.root / "skills/csv-tables").exists()
    assert loop.folder.git("status", "--porcelain") == ""


def test_a_library_on_master(tmp_path: Path, run: Run, loop: Loop) -> None:
    loop.folder.git("branch", "--move", "main", "master")

    number = loop.propose("xlsx-tables")
    loop.approve(number)
    loop.promote(number)

    assert loop.text("xlsx-tables", "master")
    assert loop.audit_kinds() == []


def test_an_unknown_number_is_named(loop: Loop) -> None:
    for command in ("promote", "review", "refresh", "close", "gate"):
        ran = loop(command, 7)
        assert ran.code == 2
        assert "no such proposal: 7" in ran.err


@pytest.mark.slow
def test_a_refresh_keeps_every_author(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    branch = loop.ok("review", number)["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    loop.write("xlsx-tables", "by", "rita")
    loop.folder.git("add", "--all")
    loop.folder.git("commit", "--quiet", "--author", REVIEWER, "--message", "Mine")
    loop.folder.git("checkout", "--quiet", "main")
    loop.land("aa-one")
    loop.ok("refresh", number)

    refused = loop("review", number, "--approve", "--as", REVIEWER)

    assert refused.code == 4
    assert "can't approve it" in refused.err
    loop.approve(number, "Olga <olga@example.invalid>")
    loop.promote(number)
    assert loop.audit_kinds() == []
