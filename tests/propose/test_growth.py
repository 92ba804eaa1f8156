"""How the work grows: with what changes, and not with all that there is."""

import os
from collections import Counter

import pytest

from skillforge.gitrepo import trees
from skillforge.gitrepo.object_reader import Object
from skillforge.model import Draft, DraftFile, State
from skillforge.propose.proposal_request import ProposalRequest
from skillforge.propose.submit import Submission, propose
from skillforge.propose.workspace import Workspace
from tests.conftest import LibraryFolder
from tests.git_work import GitWork, git_work
from tests.propose.conftest import POLICY, Loop, page


@pytest.fixture
def folder(library: LibraryFolder) -> LibraryFolder:
    library.write(POLICY, "proposals:\n  open: 1000\n")
    library.commit("Allow many proposals")
    return library


def drafts(prefix: str, count: int, *words: str) -> list[Draft]:
    names = [f"{prefix}-{number}" for number in range(count)]
    return [
        Draft(name, {"SKILL.md": DraftFile(page(name, "", name, *words).encode())})
        for name in names
    ]


def proposed(
    folder: LibraryFolder, drafts: list[Draft], *, supersede: bool = False
) -> list[Submission]:
    workspace = Workspace.at_work(folder.root, None)
    requests = [
        ProposalRequest(draft, workspace.base, supersede=supersede) for draft in drafts
    ]
    return propose(workspace, requests)


def work_of(folder: LibraryFolder, drafts: list[Draft]) -> GitWork:
    with git_work() as work:
        assert all(outcome.created for outcome in proposed(folder, drafts))
    return work


def test_a_batch_reads_what_is_open_once(folder: LibraryFolder) -> None:
    proposed(folder, drafts("open", 12))

    work = work_of(folder, drafts("new", 6))

    records = [name for name in work.objects if name.endswith(":proposal.json")]
    assert len(records) == len(set(records)) == 12
    assert work.count("for-each-ref") == 1


def test_the_processes_of_a_batch_do_not_grow_with_open_proposals(
    folder: LibraryFolder,
) -> None:
    proposed(folder, drafts("open", 20))
    before = work_of(folder, drafts("first", 4))
    proposed(folder, drafts("more", 20))

    after = work_of(folder, drafts("second", 4))

    assert len(after.commands) == len(before.commands)


def test_a_forge_reads_no_record_twice(folder: LibraryFolder) -> None:
    proposed(folder, drafts("open", 3))
    forge = Workspace.at_work(folder.root, None).forge
    before = forge.blocking_proposals()

    with git_work() as work:
        assert forge.blocking_proposals() == before

    assert work.objects == []


def test_a_batch_knows_what_it_closed_and_opened(folder: LibraryFolder) -> None:
    old = [outcome.proposal for outcome in proposed(folder, drafts("csv", 3))]

    new = [
        outcome.proposal
        for outcome in proposed(folder, drafts("csv", 3, "again"), supersede=True)
    ]

    forge = Workspace.at_work(folder.root, None).forge
    assert [p.number for p in forge.blocking_proposals()] == [
        p.number for p in new if p
    ]
    assert {forge.get(p.number).state for p in old if p} == {State.CLOSED}


def test_promote_looks_for_files_in_the_way_where_something_changes(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    loop.approve(number)

    with git_work() as work:
        loop.promote(number)

    near = ":(literal)skills/xlsx-tables/SKILL.md"
    listings = [line for line in work.commands if line[0] == "ls-files"]
    assert listings
    assert all(line[-1] == near for line in listings)
    # All files are looked at once, for edits that are not saved; then what changes.
    looks = [line[-1] for line in work.commands if line[0] == "status"]
    assert looks == ["--", near]
    assert work.count("--dry-run") == 1


def test_promote_checks_no_tree_twice(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    checked: Counter[str] = Counter()
    read = trees.read_rows

    def counting(tree: Object) -> list[trees.Row]:
        checked[tree.name] += 1
        return read(tree)

    monkeypatch.setattr(trees, "read_rows", counting)
    loop.promote(number)

    assert checked
    assert set(checked.values()) == {1}


def test_a_changed_mtime_is_not_an_unsaved_change(loop: Loop) -> None:
    number = loop.propose("csv-tables", "new")
    loop.approve(number)
    os.utime(loop.folder.root / "skills/csv-tables/SKILL.md", (1, 1))

    loop.promote(number)

    assert loop.folder.git("status", "--porcelain") == ""


def test_a_link_in_the_way_is_kept(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    (loop.folder.root / "skills/xlsx-tables").symlink_to("csv-tables")
    before = loop.main()

    ran = loop("promote", number)

    assert ran.code == 4
    assert "skills/xlsx-tables" in ran.err
    assert loop.main() == before
