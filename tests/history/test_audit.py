"""`log`, `why` and `audit`: what history proves, from git alone."""

import re
from pathlib import Path
from typing import Any

import pytest

from skillforge.forge.local import LocalForge
from skillforge.history.audit import audit
from skillforge.model import Proposal
from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import REVIEWER, Loop


def versions(loop: Loop, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = loop.ok("log", name)["versions"]
    return found


def test_log_lists_versions_the_newest_first(loop: Loop) -> None:
    first = loop.land("xlsx-tables", "one")
    second = loop.land("xlsx-tables", "two")

    newest, oldest = versions(loop, "xlsx-tables")

    assert newest["version"] == "1.0.1"
    assert newest["tree"] == second["version"]
    assert newest["commit"] == second["merge"]
    assert newest["proposal"] == 2
    assert newest["author"] == "Test <test@example.invalid>"
    assert newest["approvers"] == [REVIEWER]
    assert newest["origin"] == "human"
    assert newest["replaces"] == oldest["tree"] == first["version"]
    assert newest["reverted_by"] is None
    assert newest["action"] == "edit"
    assert re.match(r"\d{4}-\d\d-\d\dT", newest["date"])
    assert "1.0.1" in loop("log", "xlsx-tables").out


def test_log_knows_a_skill_that_is_gone(loop: Loop) -> None:
    number = loop.ok("propose", "csv-tables", "--delete")["proposal"]
    loop.approve(number)
    loop.promote(number)

    newest, oldest = versions(loop, "csv-tables")

    assert newest["tree"] == ""
    assert newest["action"] == "delete"
    assert oldest["proposal"] is None
    ran = loop("log", "csv-table")
    assert ran.code == 2
    assert "did you mean csv-tables" in ran.err


def revert(loop: Loop, *arguments: str) -> str:
    loop.folder.git("revert", "--no-edit", *arguments)
    return loop.main()


def github_revert(loop: Loop, merge: str) -> str:
    """What GitHub's button does: a branch with a revert, and a merge of its own."""
    loop.folder.git("checkout", "--quiet", "-b", "revert-1-x")
    loop.folder.git("revert", "--no-edit", "-m", "1", merge)
    loop.folder.git("checkout", "--quiet", "main")
    message = "Merge pull request #9 from o/revert-1-x\n\nRevert it"
    loop.folder.git("merge", "--quiet", "--no-ff", "-m", message, "revert-1-x")
    return loop.main()


def github_squash(loop: Loop, merge: str) -> str:
    loop.folder.git("revert", "--no-commit", "-m", "1", merge)
    number = loop.ok("log", "xlsx-tables")["versions"][0]["proposal"]
    message = f'Revert "Edit xlsx-tables" (#9)\n\nReverts owner/repo#{number}'
    loop.folder.git("commit", "--quiet", "-m", message)
    return loop.main()


@pytest.mark.parametrize("how", ["merge", "github", "squash"])
def test_a_revert_by_hand_is_understood(loop: Loop, how: str) -> None:
    good = loop.land("xlsx-tables", "one")
    bad = loop.land("xlsx-tables", "two")

    if how == "merge":
        taken_back = revert(loop, "-m", "1", bad["merge"])
    elif how == "github":
        taken_back = github_revert(loop, bad["merge"])
    else:
        taken_back = github_squash(loop, bad["merge"])

    assert loop.tree("xlsx-tables") == good["version"]
    newest, reverted, _ = versions(loop, "xlsx-tables")
    assert newest["commit"] == taken_back
    assert newest["action"] == "revert"
    assert reverted["reverted_by"] == taken_back
    assert loop.audit_kinds() == []
    assert "reverted by" in loop("why", "xlsx-tables").out


@pytest.mark.slow
def test_a_revert_of_the_drafts_own_commit_is_understood(loop: Loop) -> None:
    loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")
    head = loop.folder.git("rev-parse", "main^2").strip()

    revert(loop, head)

    assert versions(loop, "xlsx-tables")[1]["reverted_by"] == loop.main()
    assert loop.audit_kinds() == []


@pytest.mark.slow
def test_reverted_content_can_be_proposed_again(loop: Loop) -> None:
    loop.land("xlsx-tables", "one")
    bad = loop.land("xlsx-tables", "two")
    revert(loop, "-m", "1", bad["merge"])

    again = loop.land("xlsx-tables", "two")

    assert "About two" in loop.text("xlsx-tables")
    assert again["proposal"] == 3
    assert loop.audit_kinds() == []


def test_a_revert_of_a_revert_brings_it_back_and_the_audit_names_it(loop: Loop) -> None:
    loop.land("xlsx-tables", "one")
    bad = loop.land("xlsx-tables", "two")
    first = revert(loop, "-m", "1", bad["merge"])

    revert(loop, first)

    assert loop.tree("xlsx-tables") == bad["version"]
    assert loop.audit_kinds() == ["returned-version"]


def test_a_message_alone_makes_no_revert(loop: Loop) -> None:
    bad = loop.land("xlsx-tables", "one")
    loop.write("xlsx-tables", "evil")
    loop.folder.commit(f'Revert "x"\n\nThis reverts commit {bad["merge"]}.')

    assert loop.audit_kinds() == ["inexact-revert"]


@pytest.mark.slow
def test_a_why_that_talks_of_a_revert_is_none(loop: Loop) -> None:
    first = loop.land("xlsx-tables", "one")
    why = f"This reverts commit {first['merge']}."
    loop.approve(number := loop.propose("xlsx-tables", "two", options=("--why", why)))
    loop.promote(number)

    assert versions(loop, "xlsx-tables")[1]["reverted_by"] is None


# --- why ---


def test_why_shows_the_chain(loop: Loop, tmp_path: Path) -> None:
    example = tmp_path / "one.json"
    example.write_text('{"task": "t"}')
    draft = loop.draft(tmp_path, "xlsx-tables", "one")
    options = ("--why", "Three people asked", "--example", example)
    loop.approve(loop.ok("propose", draft, *options)["proposal"])
    loop.promote(1)
    loop.folder.git("tag", "-a", "-m", "First", "v1.0.0")

    data = loop.ok("why", "xlsx-tables")
    words = loop("why", "xlsx-tables").out

    [version] = data["versions"]
    assert version["why"] == "Three people asked"
    assert len(version["examples"]) == 1
    assert version["proposal"] == 1
    assert version["approvers"] == [REVIEWER]
    assert version["checks"].startswith("sha256:")
    assert version["releases"] == ["v1.0.0"]
    example_id = version["examples"][0][:12]
    for part in ("Three people asked", example_id, "v1.0.0", REVIEWER):
        assert part in words


def test_why_follows_a_rename(loop: Loop) -> None:
    loop.land("xlsx-tables", "one")
    loop.folder.git("mv", "skills/xlsx-tables", "skills/excel-tables")
    loop.folder.commit("Rename it")

    data = loop.ok("why", "excel-tables")
    old = loop.ok("why", "xlsx-tables")

    assert [v["skill"] for v in data["versions"]] == [
        "xlsx-tables",
        "xlsx-tables",
        "excel-tables",
    ]
    assert old["became"] == ["excel-tables"]
    assert "was merged into excel-tables" in loop("why", "xlsx-tables").out


# --- audit ---


def test_a_library_of_proposals_passes_the_audit(loop: Loop) -> None:
    loop.land("aa-one")
    loop.land("bb-two")
    loop.folder.write("README.md", "x")
    loop.folder.commit("Not about a skill")

    data = loop.ok("audit")

    assert data["promotions"] == 2
    assert data["exceptions"] == []
    assert data["adopted"] == 1


def test_a_direct_push_is_an_exception(loop: Loop) -> None:
    loop.land("aa-one")
    loop.write("csv-tables", "sneaked", "in")
    commit = loop.folder.commit("Sneak")

    ran = loop("audit", "--json")

    assert ran.code == 1
    [exception] = ran.data["exceptions"]
    assert exception["commit"] == commit
    assert exception["kind"] == "direct-push"
    assert "csv-tables" in exception["message"]
    assert commit[:12] in loop("audit").out


def forge_merge(loop: Loop, head: str, **trailers: str) -> str:
    """A merge by hand that says what it likes."""
    tree = loop.folder.git("rev-parse", f"{head}^{{tree}}").strip()
    fields = {
        "Proposal": "1",
        "Approved-By": REVIEWER,
        "Approved-Tree": tree,
        "Checks-Digest": "sha256:00",
        "Policy": "none",
    }
    fields |= {key.replace("_", "-"): value for key, value in trailers.items()}
    lines = "\n".join(f"{key}: {value}" for key, value in fields.items() if value)
    merge = loop.folder.git(
        "commit-tree", tree, "-p", "main", "-p", head, "-m", f"Merge\n\n{lines}"
    ).strip()
    loop.folder.git("update-ref", "refs/heads/main", merge)
    loop.folder.git("reset", "--quiet", "--hard")
    return merge


@pytest.mark.parametrize(
    ("trailers", "kind"),
    [
        pytest.param({}, "record-mismatch", id="no-approval-in-the-record"),
        pytest.param({"Proposal": "9"}, "no-record", id="unknown-proposal"),
        pytest.param({"Approved_By": ""}, "missing-approval", id="nobody"),
        pytest.param(
            {"Approved_By": "Test <test@example.invalid>"}, "self-approval", id="self"
        ),
        pytest.param({"Approved_Tree": "0" * 40}, "tree-mismatch", id="tree"),
        pytest.param({"Policy": "1" * 40}, "policy-mismatch", id="policy"),
        pytest.param({"Checks_Digest": ""}, "missing-checks", id="checks"),
        pytest.param({"Rolled_Back_By": "x"}, "missing-approval", id="not-a-rollback"),
    ],
)
def test_a_forged_merge_is_an_exception(
    loop: Loop, trailers: dict[str, str], kind: str
) -> None:
    loop.propose("xlsx-tables")
    head = loop.ok("proposals")["proposals"][0]["head"]

    merge = forge_merge(loop, head, **trailers)

    found = loop("audit", "--json").data["exceptions"]
    assert kind in {exception["kind"] for exception in found}
    assert {exception["commit"] for exception in found} == {merge}


def test_a_merge_of_more_than_its_skill_is_an_exception(loop: Loop) -> None:
    loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    loop.folder.write("skillforge.yaml", "approvals: 0\n")
    head = loop.folder.commit()
    loop.folder.git("checkout", "--quiet", "main")

    forge_merge(loop, head)

    assert "outside-skill" in loop.audit_kinds()


def test_evidence_that_is_missing_is_an_exception(loop: Loop, tmp_path: Path) -> None:
    example = tmp_path / "one.json"
    example.write_text("{}")
    loop.propose("xlsx-tables", options=("--example", str(example)))
    proposal = loop.ok("proposals")["proposals"][0]
    loop.folder.git("checkout", "--quiet", proposal["branch"])
    loop.folder.git("rm", "--quiet", "-r", "evidence")
    head = loop.folder.commit()
    loop.folder.git("checkout", "--quiet", "main")

    forge_merge(loop, head)

    assert "unresolved-evidence" in loop.audit_kinds()


def test_a_rewritten_history_is_an_exception(loop: Loop) -> None:
    start = loop.main()
    loop.land("xlsx-tables")
    loop.folder.git("reset", "--quiet", "--hard", start)

    assert loop.audit_kinds() == ["lost-promotion"]


def test_a_promotion_during_an_audit_is_not_an_exception(loop: Loop) -> None:
    loop.land("xlsx-tables")
    number = loop.propose("docx-tables")
    loop.approve(number)

    class BusyForge(LocalForge):
        """Somebody promotes after the audit has read main, before it reads records."""

        def proposals(self, *, only_open: bool = False) -> list[Proposal]:
            loop.promote(number)
            return super().proposals(only_open=only_open)

    library = loop.folder.library
    done = audit(library, BusyForge(library.repository(), "main"))

    assert (done.promotions, done.exceptions) == (1, ())
    assert loop.ok("audit")["promotions"] == 2


def test_replaced_objects_tell_no_other_story(loop: Loop) -> None:
    loop.land("xlsx-tables")
    loop.write("csv-tables", "sneaked")
    bad = loop.folder.commit("Sneak")
    loop.folder.git("replace", bad, f"{bad}^")

    assert loop.audit_kinds() == ["direct-push"]


def test_an_older_library_names_its_adoption_commit(loop: Loop) -> None:
    loop.write("csv-tables", "before")
    loop.folder.commit("Long ago")
    loop.write("csv-tables", "before", "that")
    adopted = loop.folder.commit("Not so long ago")
    assert loop.audit_kinds() == ["direct-push", "direct-push"]

    loop.policy(f"adopted: '{adopted}'\n")

    assert loop.audit_kinds() == []
    assert loop.ok("audit")["adopted"] == 3
    loop.write("csv-tables", "after")
    loop.folder.commit("Sneak")
    assert loop.audit_kinds() == ["direct-push"]


def test_an_adoption_commit_that_is_not_there(loop: Loop) -> None:
    loop.policy("adopted: abcdef1\n")

    ran = loop("audit")

    assert ran.code == 2
    assert "abcdef1" in ran.err


def test_init_in_a_new_library_needs_no_adoption(tmp_path: Path, run: Run) -> None:
    root = tmp_path / "new"
    assert run("init", str(root)).code == 0
    folder = LibraryFolder(root)
    folder.commit("Start")
    loop = Loop(folder, run)

    loop.land("xlsx-tables")

    assert loop.audit_kinds() == []


def test_init_in_an_older_library_names_the_adoption_commit(
    loop: Loop, run: Run
) -> None:
    loop.write("csv-tables", "before")
    head = loop.folder.commit("Long ago")

    assert run("init", str(loop.folder.root)).code == 0

    assert head in (loop.folder.root / "skillforge.yaml").read_text()
    loop.folder.commit("Adopt")
    assert loop.audit_kinds() == []


@pytest.mark.slow
def test_a_range_and_a_date(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
    loop.folder.git("commit", "--quiet", "--amend", "--no-edit")
    loop.write("csv-tables", "sneaked")
    old = loop.folder.commit("Old sneak")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    loop.land("xlsx-tables")

    assert loop("audit").code == 1
    assert loop("audit", f"{old}..main").code == 0
    assert loop("audit", f"{old}..").code == 0
    assert loop("audit", old).code == 1
    assert loop("audit", "--since", "2021-01-01").code == 0
    assert loop("audit", "nothing..main").code == 2
    assert loop.ok("audit", f"{old}..main")["promotions"] == 1


def test_a_clone_without_the_records_can_be_audited(
    loop: Loop, tmp_path: Path, run: Run
) -> None:
    loop.land("xlsx-tables")
    url = f"file://{loop.folder.root}"
    loop.folder.git("clone", "--quiet", url, str(tmp_path / "clone"))
    clone = Loop(LibraryFolder(tmp_path / "clone"), run)

    data = clone.ok("audit")

    assert data["promotions"] == 1
    assert data["records"] is False
    assert "refs/skillforge/*" in clone("audit").out
