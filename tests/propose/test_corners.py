"""Corners of the loop that reviewers found: each was wrong once."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from skillforge import processes
from skillforge.checks.overlap import neighbours
from skillforge.errors import ToolError
from skillforge.gitrepo.object_reader import Objects
from skillforge.propose import draft_source
from skillforge.propose.proposal_request import ProposalRequest
from skillforge.propose.submit import propose
from skillforge.propose.workspace import Workspace
from skillforge.store import Cache
from skillforge.text import nearest_lines
from tests.conftest import LibraryFolder, Run, parse_text, skill_md
from tests.history.test_audit import forge_merge
from tests.propose.conftest import REVIEWER, Loop, body
from tests.propose.test_operations import send  # noqa: F401 - a fixture
from tests.propose.test_rollback import consolidate


@pytest.fixture(autouse=True)
def _quick(loop: Loop) -> None:
    """What the other checks say is no part of these tests."""
    loop.policy("checks: [validate]\n")


def test_promoting_an_old_proposal_again_moves_no_checkout(loop: Loop) -> None:
    loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")
    loop.land("xlsx-tables", "one")

    loop.promote(1)

    assert loop.folder.git("status", "--porcelain") == ""


def test_what_git_ignores_is_left_out_and_named(loop: Loop) -> None:
    loop.folder.write(".gitignore", ".env\n*.log\n")
    loop.folder.commit()
    loop.write("csv-tables", "new")
    loop.folder.write("skills/csv-tables/.env", "TOKEN=x")
    loop.folder.write("skills/csv-tables/deep/x.log", "x")

    data = loop.ok("propose", "csv-tables")

    files = loop.folder.git("ls-tree", "-r", "--name-only", data["commit"], "skills/")
    assert ".env" not in files
    assert "x.log" not in files
    assert data["left_out"] == ["csv-tables/.env", "csv-tables/deep/x.log"]


def test_an_ignored_folder_is_not_a_removal(loop: Loop) -> None:
    loop.write("csv-tables", "new")
    loop.folder.write(".git/info/exclude", "skills/new-*\n")
    loop.write("new-skill")

    assert loop("propose", "new-skill").code == 2


def test_odd_line_ends_in_a_subject_break_nothing(loop: Loop) -> None:
    loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    loop.folder.git("commit", "--quiet", "--allow-empty", "-m", "a\u2028b\x0cc\x85d")
    loop.folder.git("checkout", "--quiet", "main")

    assert len(loop.ok("proposals")["proposals"]) == 1
    loop.propose("ods-tables")


def test_half_a_character_in_a_reason_stops_nothing(loop: Loop, tmp_path: Path) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")

    number = loop.ok("propose", draft, "--why", "caf\udce9", "--session", "\ud83d")

    loop.ok("gate", number["proposal"])
    loop.approve(number["proposal"])
    loop.promote(number["proposal"])
    assert loop.audit_kinds() == []


def test_a_rename_on_main_does_not_swallow_a_proposal(loop: Loop) -> None:
    words = [f"word{n}" for n in range(40)]
    loop.land("xlsx-tables", *words)
    number = loop.propose("xlsx-tables", *words[:39], "better")
    loop.folder.git("mv", "skills/xlsx-tables", "skills/excel-tables")
    loop.folder.commit("Rename it")

    assert loop("refresh", number).code == 4
    assert loop.ok("proposals")["proposals"][-1]["conflicts"] is True


def test_a_proposal_that_main_took_back_is_not_refreshed_to_nothing(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("merge", "--quiet", "--ff-only", branch)
    loop.folder.git("revert", "--no-edit", "HEAD")

    ran = loop("refresh", number)

    assert ran.code == 4
    assert "propose it again" in ran.err


@pytest.mark.slow
def test_rollback_finds_the_nearest_of_equal_versions(loop: Loop) -> None:
    first = loop.land("xlsx-tables", "one")
    loop.approve(number := loop.ok("propose", "xlsx-tables", "--delete")["proposal"])
    loop.promote(number)
    loop.land("xlsx-tables", "two")

    loop.ok("rollback", "xlsx-tables", "--now", "--why", "x")
    assert "xlsx-tables" not in loop.folder.git("ls-tree", "--name-only", "main:skills")
    back = loop.ok("rollback", "xlsx-tables", "--why", "x")["proposal"]
    loop.approve(back)
    loop.promote(back)

    assert loop.tree("xlsx-tables") == first["version"]


def test_a_draft_is_based_on_what_it_was_made_from(loop: Loop) -> None:
    workspace = Workspace.at_work(loop.folder.root, None)
    before = workspace.base
    loop.write("csv-tables", "mine")
    [draft] = draft_source.drafts(workspace, ("csv-tables",))
    loop.folder.git("stash", "--quiet")
    loop.write("csv-tables", "somebody else")
    loop.folder.commit("Meanwhile")

    request = ProposalRequest(draft, before)
    [outcome] = propose(workspace, [request])

    assert outcome.proposal is not None
    assert outcome.proposal.base == before
    loop.approve(outcome.proposal.number)
    assert loop("promote", outcome.proposal.number).code == 4


@pytest.mark.parametrize("metadata", ["important words", "[a]"])
def test_a_draft_is_checked_as_it_was_written(
    loop: Loop, tmp_path: Path, metadata: str
) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables", extra=f"metadata: {metadata}\n")

    assert loop("propose", draft).code == 1


def test_sketches_of_another_tree_are_not_mixed_in(library: LibraryFolder) -> None:
    words = [f"word{n}" for n in range(60)]
    library.write("skills/old/SKILL.md", skill_md("old", body=" ".join(words)))
    library.commit()
    document = parse_text(skill_md("new", body=" ".join(words)))
    assert [n.name for n in neighbours(library.library, "main", document)] == ["old"]
    cache = Cache.of(library.root / ".git")

    cache.save_sketches("another tree", {"old": []}, {}, "a third tree")

    assert [n.name for n in neighbours(library.library, "main", document)] == ["old"]


def test_a_folder_with_an_undecodable_name_is_ignored(
    loop: Loop, tmp_path: Path
) -> None:
    odd = os.fsencode(loop.folder.root) + b"/skills/\xff"
    folder = Path(os.fsdecode(odd))
    folder.mkdir()
    (folder / "SKILL.md").write_text(skill_md("odd", body=body(*range(30))))
    loop.folder.commit()

    assert loop("propose", loop.draft(tmp_path, "xlsx-tables", *range(40))).code == 0


def test_an_empty_skill_may_grow(loop: Loop, tmp_path: Path) -> None:
    loop.folder.write("skills/xlsx-tables/SKILL.md", "")
    loop.folder.commit()

    assert loop("propose", loop.draft(tmp_path, "xlsx-tables", *range(200))).code == 0


def test_a_truncated_object_is_not_read(tmp_path: Path) -> None:
    script = "read line; printf '%040d blob 100\\nshort' 1"
    objects = Objects(processes.start(["sh", "-c", script], stdin=True))

    with pytest.raises(ToolError):
        objects.find_all(["main"])


def test_a_range_before_the_adoption_is_adopted(loop: Loop) -> None:
    loop.write("csv-tables", "one")
    early = loop.folder.commit("Early")
    loop.write("csv-tables", "two")
    adopted = loop.folder.commit("Later")
    loop.policy(f"adopted: '{adopted}'\n")

    assert loop("audit", f"{early}^..{early}").code == 0
    assert loop("audit", early).code == 0


@pytest.mark.slow
def test_a_long_patch_that_does_not_match_is_answered_soon() -> None:
    page = "\n".join(f"line {n} with some words in it" for n in range(3000))
    text = "\n".join(f"line {n} with other words in it" for n in range(800))
    start = time.monotonic()

    line, _ = nearest_lines(page, text)

    assert line == 1
    assert time.monotonic() - start < 20


def test_evidence_with_other_bytes_is_refused_at_once(loop: Loop) -> None:
    loop.folder.write("evidence/csv-tables/abcd1234.json", "{}")
    loop.folder.commit()
    loop.write("csv-tables", "new")
    loop.folder.write("evidence/csv-tables/abcd1234.json", '{"other": 1}')

    ran = loop("propose", "csv-tables")

    assert ran.code == 4
    assert "never changed" in ran.err


def test_another_bump_is_another_draft(loop: Loop, tmp_path: Path) -> None:
    draft = loop.draft(tmp_path, "csv-tables", "new")
    loop.ok("propose", draft)

    assert loop("propose", draft, "--bump", "major").code == 4
    data = loop.ok("propose", draft, "--bump", "major", "--supersede")
    assert data["proposal"] == 2


def test_work_on_an_unknown_branch_is_kept(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    proposal = loop.ok("proposals")["proposals"][0]
    loop.ok("close", number)
    loop.folder.git("checkout", "--quiet", "-b", proposal["branch"])
    loop.folder.write("notes.txt", "mine")
    mine = loop.folder.commit("By hand")
    loop.folder.git("checkout", "--quiet", "main")

    draft = loop.draft(loop.folder.root.parent, "xlsx-tables")
    ran = loop("propose", draft)

    assert ran.code == 4
    assert "git branch -m" in ran.err
    assert loop.folder.git("rev-parse", proposal["branch"]).strip() == mine


@pytest.mark.parametrize(
    ("before", "given", "after"),
    [
        ("1.0.0-rc1", "1.0.0", "1.0.0"),
        ("", "2024a", "2024a"),
        ("beta", "beta", "1.0.0"),
    ],
)
def test_versions_that_are_not_three_numbers(
    loop: Loop, tmp_path: Path, before: str, given: str, after: str
) -> None:
    def extra(version: str) -> str:
        return f'metadata:\n  version: "{version}"\n' if version else ""

    loop.write("xlsx-tables", "one", extra=extra(before))
    loop.folder.commit()

    draft = loop.draft(tmp_path, "xlsx-tables", "two", extra=extra(given))
    data = loop.ok("propose", draft)

    assert f'"{after}"' in loop.text("xlsx-tables", data["commit"])


def test_refresh_carries_evidence_over(loop: Loop, tmp_path: Path) -> None:
    example = tmp_path / "one.json"
    example.write_text("{}")
    number = loop.propose("xlsx-tables", options=("--example", str(example)))
    loop.land("ods-tables")

    head = loop.ok("refresh", number)["head"]

    assert loop.folder.git("ls-tree", "-r", head, "evidence/xlsx-tables/")


def bare_clone(loop: Loop, tmp_path: Path, run: Run) -> Loop:
    """A clone without records, where only the merges can be believed."""
    url = f"file://{loop.folder.root}"
    loop.folder.git("clone", "--quiet", url, str(tmp_path / "clone"))
    return Loop(LibraryFolder(tmp_path / "clone"), run)


@pytest.mark.parametrize("now", ["nobody", "people"])
def test_a_forged_rollback_is_an_exception(
    loop: Loop, tmp_path: Path, run: Run, now: str
) -> None:
    loop.policy(f"rollback:\n  now: {now}\n")
    loop.folder.git("checkout", "--quiet", "-b", "forged")
    loop.write("csv-tables", "evil")
    head = loop.folder.commit("x\n\nSkill: csv-tables\nAction: rollback\nOrigin: human")
    loop.folder.git("checkout", "--quiet", "main")
    policy = loop.folder.git("rev-parse", "main:skillforge.yaml").strip()
    digest = "sha256:" + "0" * 64
    trailers = {
        "Policy": policy,
        "Rolled_Back_By": "Eve <e@x>",
        "Checks_Digest": digest,
    }
    forge_merge(loop, head, **trailers)

    kinds = bare_clone(loop, tmp_path, run).audit_kinds()

    expected = {"inexact-revert"} | ({"missing-approval"} if now == "nobody" else set())
    assert set(kinds) == expected


def test_one_reviewer_under_two_names_counts_once(loop: Loop) -> None:
    loop.policy("approvals: 2\n")
    number = loop.propose("xlsx-tables")
    loop.approve(number, "Rita <rita@example.invalid>")
    loop.approve(number, "rita@example.invalid")

    assert "1 of 2 approvals" in loop("promote", number).err


def test_what_was_made_again_since_stays_when_a_consolidation_goes_back(
    loop: Loop,
    send: Any,  # noqa: F811 - the fixture
) -> None:
    consolidate(loop, send)
    again = loop.land("pdf-tables", "quite", "another")

    loop.ok("rollback", "csv-tables", "--now", "--why", "x")

    assert loop.tree("pdf-tables") == again["version"]


def test_the_executable_bit_is_worth_a_proposal(loop: Loop) -> None:
    script = loop.folder.write("skills/csv-tables/scripts/x.py", "print(1)\n")
    loop.folder.commit()
    script.chmod(0o755)

    assert loop.ok("propose", "csv-tables")["created"] is True


def test_an_error_has_facts_for_scripts(loop: Loop, tmp_path: Path) -> None:
    loop.propose("xlsx-tables", "one")

    ran = loop("propose", loop.draft(tmp_path, "xlsx-tables", "two"), "--json")

    error = json.loads(ran.out)["error"]
    assert (error["proposal"], error["skill"]) == (1, "xlsx-tables")
    assert REVIEWER not in ran.out
