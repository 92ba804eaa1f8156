"""A skill moves to the archive and back to the byte, and nothing else touches it."""

from pathlib import Path

import pytest

from skillforge.errors import ConflictError
from skillforge.model import Draft, DraftFile, Origin
from skillforge.propose.proposal_request import ProposalRequest
from skillforge.propose.submit import propose
from skillforge.propose.workspace import Workspace
from tests.conftest import skill_md
from tests.propose.conftest import Loop


def offer(loop: Loop, draft: Draft) -> int:
    workspace = Workspace.at_work(loop.folder.root, None)
    request = ProposalRequest(draft, workspace.base)
    [outcome] = propose(workspace, [request])
    assert outcome.proposal is not None, outcome.report
    return outcome.proposal.number


def archiving(loop: Loop, name: str = "csv-tables", tree: str = "") -> Draft:
    tree = tree or loop.tree(name)
    return Draft(name, archives=tree, origin=Origin.CURATOR, why="Nobody uses it")


def archived(loop: Loop, name: str = "csv-tables") -> str:
    """Archive a skill; the tree that it was."""
    tree = loop.tree(name)
    number = offer(loop, archiving(loop, name))
    loop.approve(number)
    loop.promote(number)
    return tree


def names(loop: Loop, top: str, revision: str = "main") -> list[str]:
    return loop.folder.git("ls-tree", "--name-only", f"{revision}:{top}").split()


def tree_in_archive(loop: Loop, name: str = "csv-tables") -> str:
    return loop.folder.git("rev-parse", f"main:archive/{name}").strip()


def amend(loop: Loop, number: int, path: str, text: str | None) -> None:
    """Change what a proposal's branch holds, behind the tool's back."""
    rows = loop.ok("proposals")["proposals"]
    branch = next(row["branch"] for row in rows if row["number"] == number)
    loop.folder.git("checkout", "--quiet", branch)
    file = loop.folder.root / path
    if text is None:
        file.unlink()
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    loop.folder.git("add", "--all")
    loop.folder.git("commit", "--quiet", "--amend", "--no-edit")
    loop.folder.git("checkout", "--quiet", "main")


def test_a_skill_moves_to_the_archive_as_it_is(loop: Loop) -> None:
    tree = archived(loop)

    assert tree_in_archive(loop) == tree
    assert names(loop, "skills") == ["pdf-tables"]
    assert (loop.folder.root / "archive/csv-tables/SKILL.md").is_file()
    assert not (loop.folder.root / "skills/csv-tables").exists()
    assert loop.audit_kinds() == []
    newest = loop.ok("log", "csv-tables")["versions"][0]
    assert (newest["action"], newest["origin"]) == ("archive", "curator")
    loop.fsck()


def test_a_rollback_brings_it_back_to_the_byte(loop: Loop) -> None:
    tree = archived(loop)

    loop.ok("rollback", "csv-tables", "--now", "--why", "It is needed")

    assert loop.tree("csv-tables") == tree
    assert "archive" not in loop.folder.git("ls-tree", "--name-only", "main").split()
    assert loop.audit_kinds() == []


def test_a_plain_revert_brings_it_back_as_well(loop: Loop) -> None:
    tree = archived(loop)
    archived(loop, "pdf-tables")

    loop.folder.git("revert", "--no-edit", "--mainline", "1", "HEAD~1")

    assert loop.tree("csv-tables") == tree
    assert names(loop, "archive") == ["pdf-tables"]
    assert loop.audit_kinds() == []


@pytest.mark.slow
def test_it_can_be_archived_again_and_is_known_by_its_bytes(loop: Loop) -> None:
    archived(loop)
    loop.ok("rollback", "csv-tables", "--now", "--why", "It is needed")
    loop.land("csv-tables", "better")

    tree = archived(loop)

    assert tree_in_archive(loop) == tree
    assert loop.audit_kinds() == []


def test_the_same_draft_finds_its_proposal(loop: Loop) -> None:
    draft = archiving(loop)
    number = offer(loop, draft)

    assert offer(loop, draft) == number
    loop.approve(number)
    loop.promote(number)
    assert offer(loop, draft) == number


def test_what_moves_is_what_was_on_main(loop: Loop) -> None:
    other = loop.tree("pdf-tables")

    with pytest.raises(ConflictError, match="can only be archived unchanged"):
        offer(loop, archiving(loop, tree=other))


def test_an_archived_name_is_not_taken_by_another_skill(loop: Loop) -> None:
    archived(loop)

    ran = loop("propose", loop.draft(loop.folder.root.parent, "csv-tables", "new"))

    assert ran.code == 4
    assert "skillforge curate --restore csv-tables" in ran.err


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("archive/csv-tables/SKILL.md", "Obey me.", id="other-bytes"),
        pytest.param("archive/csv-tables/SKILL.md", None, id="lost-on-the-way"),
        pytest.param("archive/csv-tables/scripts/x.sh", "rm -r .", id="one-more"),
        pytest.param("archive/pdf-tables/SKILL.md", "Obey me.", id="another-archive"),
        pytest.param("archive/README.md", "Hello.", id="beside-it"),
        pytest.param("Archive/csv-tables/SKILL.md", "Hello.", id="other-case"),
        pytest.param("skills/csv-tables/SKILL.md", "Obey me.", id="stays-as-well"),
        pytest.param("skills/pdf-tables/SKILL.md", "Obey me.", id="another-skill"),
        pytest.param("evidence/csv-tables/a.json", "{}", id="evidence"),
    ],
)
def test_the_gate_lets_nothing_else_move(
    loop: Loop, path: str, text: str | None
) -> None:
    number = offer(loop, archiving(loop))
    amend(loop, number, path, text)

    data = loop("gate", number, "--json").data

    assert not data["passed"]
    loop.approve_as_it_is(number)
    assert loop("promote", number).code == 1
    assert names(loop, "skills") == ["csv-tables", "pdf-tables"]


def test_an_edit_may_not_touch_the_archive(loop: Loop) -> None:
    archived(loop)
    number = loop.propose("pdf-tables", "better")
    amend(loop, number, "archive/csv-tables/SKILL.md", "Obey me.")

    data = loop("gate", number, "--json").data

    assert not data["passed"]
    assert "archive/csv-tables/SKILL.md" in [f["path"] for f in data["findings"]]


def test_a_rollback_may_not_change_what_is_archived(loop: Loop) -> None:
    loop.land("pdf-tables", "better")
    archived(loop)
    number = loop.ok("rollback", "pdf-tables", "--why", "Worse")["proposal"]
    amend(loop, number, "archive/csv-tables/SKILL.md", "Obey me.")

    assert loop("gate", number).code == 1


def test_what_was_never_on_main_is_not_restored(loop: Loop) -> None:
    foreign = loop.folder.git("rev-parse", "main:skills").strip()
    number = offer(loop, Draft("csv-tables", restores={"csv-tables": foreign}))

    found = loop("gate", number, "--json").data["findings"]

    assert "exact" in [finding["rule"] for finding in found]


def test_a_branch_that_only_changes_the_archive_is_checked(loop: Loop) -> None:
    loop.folder.git("checkout", "--quiet", "-b", "sly")
    loop.folder.write("archive/old/SKILL.md", skill_md("old"))
    loop.folder.commit("Slip it in")
    loop.folder.git("checkout", "--quiet", "main")

    assert loop("gate", "--base", "main", "--head", "sly").code == 1


@pytest.mark.parametrize("top", ["archive", "Archive"])
def test_the_audit_names_a_direct_push_to_the_archive(loop: Loop, top: str) -> None:
    archived(loop)
    loop.folder.write(f"{top}/csv-tables/SKILL.md", "Obey me.")
    loop.folder.commit("Slip it in")

    ran = loop("audit", "--json")

    assert ran.code == 1
    assert [exception["kind"] for exception in ran.data["exceptions"]] == [
        "direct-push"
    ]
    assert top in ran.data["exceptions"][0]["message"]


def test_the_audit_names_a_merge_that_changed_bytes_on_the_way(loop: Loop) -> None:
    number = offer(loop, archiving(loop))
    amend(loop, number, "archive/csv-tables/SKILL.md", "Obey me.")
    verdict = loop("gate", number, "--json").data
    trailers = {
        "Proposal": number,
        "Approved-By": "Rita Reviewer <rita@example.invalid>",
        "Approved-Tree": verdict["tree"],
        "Checks-Digest": verdict["digest"],
        "Policy": "none",
    }
    lines = "\n".join(f"{key}: {value}" for key, value in trailers.items())
    parents = ("-p", "main", "-p", verdict["head"])
    line = (verdict["tree"], *parents, "-m", f"Merge\n\n{lines}")
    merge = loop.folder.git("commit-tree", *line).strip()
    loop.folder.git("update-ref", "refs/heads/main", merge)

    assert "inexact-archive" in loop.audit_kinds()


def test_an_archiving_is_put_on_todays_main(loop: Loop) -> None:
    tree = loop.tree("csv-tables")
    number = offer(loop, archiving(loop))
    loop.land("pdf-tables", "better")

    loop.ok("refresh", number)
    loop.approve(number)
    loop.promote(number)

    assert tree_in_archive(loop) == tree
    assert loop.audit_kinds() == []


def test_a_skill_that_changed_meanwhile_is_not_archived(loop: Loop) -> None:
    number = offer(loop, archiving(loop))
    loop.write("csv-tables", "better")
    loop.folder.commit("A person mends it by hand")

    ran = loop("refresh", number)

    assert ran.code == 4
    assert "has changed skills/csv-tables" in ran.err


def test_an_adopted_skill_with_a_link_comes_back_as_it_was(
    loop: Loop, tmp_path: Path
) -> None:
    (loop.folder.root / "skills/csv-tables/link").symlink_to("SKILL.md")
    loop.folder.commit("As it was")
    tree = archived(loop)

    loop.ok("rollback", "csv-tables", "--now", "--why", "It is needed")

    assert loop.tree("csv-tables") == tree


def test_a_draft_with_files_does_not_archive(loop: Loop) -> None:
    """Files beside the tree that moves would be more than the move."""
    files = {"SKILL.md": DraftFile(b"Obey me.")}
    draft = Draft("csv-tables", files, archives=loop.tree("csv-tables"))

    with pytest.raises(ConflictError, match="can only be archived unchanged"):
        offer(loop, draft)
