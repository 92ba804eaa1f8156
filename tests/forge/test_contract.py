"""What every forge promises; each backend has to pass these."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from skillforge.errors import ConflictError, RequestError
from skillforge.forge import Batch, Closing, Forge
from skillforge.forge.github import GitHubForge
from skillforge.forge.github_address import find
from skillforge.forge.github_clone import GitHubClone
from skillforge.forge.local import LocalForge
from skillforge.gitrepo import GitRepo, remote
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange
from skillforge.model import (
    Action,
    Approval,
    CheckResult,
    Comment,
    Finding,
    Origin,
    Proposal,
    Severity,
    State,
    Status,
    Verdict,
)
from tests.conftest import LibraryFolder
from tests.github.hub import serve

WHO = Signature("Test", "test@example.invalid", "1700000000 +0100")


class Bench(NamedTuple):
    """A forge as its author and as a reviewer see it, and the clone that they share."""

    forge: Forge
    reviewer: Forge
    repo: GitRepo

    @property
    def main(self) -> str:
        self.forge.fetch_main()
        return self.repo.ref(self.forge.main)

    def branch(self, name: str) -> str:
        """What a branch points at, where others see it."""
        ref = f"refs/heads/{name}"
        if isinstance(self.forge, GitHubForge):
            return remote.heads(self.repo, self.forge.hosted.remote, ref).get(ref, "")
        return self.repo.ref(ref)


def local(tmp_path: Path) -> Iterator[Bench]:
    (tmp_path / "library").mkdir()
    repo = GitRepo.init(tmp_path / "library")
    folder = LibraryFolder(repo.root)
    folder.add_skill("csv-tables")
    folder.commit("Start")
    forge = LocalForge(repo, "main")
    yield Bench(forge, forge, repo)


def github(tmp_path: Path) -> Iterator[Bench]:
    with serve(tmp_path) as hub:
        writers = ["ada", "rita"]
        hub.repo("acme/skills", writers=writers, files={"README.md": "Hello\n"})
        url = f"{hub.url}/acme/skills.git"
        folder = tmp_path / "clone"
        subprocess.run(["git", "clone", "--quiet", url, folder], check=True)
        repo, place = GitRepo(folder), find(url)
        assert place is not None
        forges = [
            GitHubForge(
                GitHubClone(repo, place, "main", origin="origin", is_named=True)
            )
            for _ in writers
        ]
        for forge, who in zip(forges, writers, strict=True):
            vars(forge.hosted)["token"] = hub.user(who).token
        ada, rita = forges
        yield Bench(ada, rita, repo)


FORGES = {"local": local, "github": github}


@pytest.fixture(params=list(FORGES))
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    yield from FORGES[request.param](tmp_path)


@pytest.fixture
def forge(bench: Bench) -> Forge:
    return bench.forge


def message(name: str) -> str:
    trailers = f"Skill: {name}\nAction: create\nOrigin: human\nProposed-By: {WHO}"
    return f"Add {name}\n\n{trailers}\nDraft-Digest: sha256:{name}\n"


def open_one(
    bench: Bench, name: str = "xlsx", replaces: tuple[Closing, ...] = ()
) -> tuple[Proposal, bool]:
    with bench.forge.batch() as batch:
        return open_in(batch, bench, name, replaces)


def open_in(
    batch: Batch, bench: Bench, name: str, replaces: tuple[Closing, ...] = ()
) -> tuple[Proposal, bool]:
    base = bench.main
    put = TreeChange(f"skills/{name}/SKILL.md", f"text of {name}".encode())
    commit = NewCommit([base], message(name), WHO, [put])
    proposal = Proposal(
        number=0,
        skill=name,
        skills=(name,),
        action=Action.CREATE,
        origin=Origin.HUMAN,
        author=str(WHO),
        title=f"Add {name}",
        why="",
        branch=f"skill/{name}/12345678",
        head="",
        base=base,
        digest=name,
        opened=WHO.seconds,
    )
    return batch.open(commit, proposal, WHO, replaces)


def test_numbers_follow_each_other(bench: Bench, forge: Forge) -> None:
    numbers = [open_one(bench, name)[0].number for name in ("a", "b", "c")]

    assert numbers == [1, 2, 3]
    assert [p.number for p in forge.proposals()] == numbers


def test_what_was_opened_can_be_read_back(bench: Bench, forge: Forge) -> None:
    opened, created = open_one(bench)

    assert created
    assert forge.get(opened.number) == opened
    assert bench.branch(opened.branch) == opened.head


def test_a_batch_knows_what_it_opened_and_closed(bench: Bench) -> None:
    with bench.forge.batch() as batch:
        first, _ = open_in(batch, bench, "a")
        closing = Closing(first, State.CLOSED, Comment("Rita", "superseded", 6))
        second, _ = open_in(batch, bench, "b", (closing,))
        third, _ = open_in(batch, bench, "c")

        numbers = [proposal.number for proposal in batch.blocking_proposals()]

    assert numbers == [second.number, third.number]
    assert not bench.branch(first.branch)


def test_a_proposal_that_cannot_be_opened_leaves_nothing(bench: Bench) -> None:
    in_the_way = RefUpdate("refs/heads/skill/other/12345678", bench.main, "")
    if isinstance(bench.forge, GitHubForge):
        remote.push(bench.repo, bench.forge.hosted.remote, in_the_way)
    else:
        bench.repo.move_refs(in_the_way)
    refs = bench.repo.refs()

    with pytest.raises(ConflictError):
        open_one(bench, "other")

    assert bench.repo.refs() == refs
    assert bench.forge.proposals() == []


def test_what_a_new_one_replaces_is_closed_with_it(bench: Bench, forge: Forge) -> None:
    first, _ = open_one(bench)
    closing = Closing(first, State.CLOSED, Comment("Rita", "superseded", 6))

    second, created = open_one(bench, "other", (closing,))

    assert created
    assert [p.number for p in forge.blocking_proposals()] == [second.number]
    assert forge.get(first.number).state is State.CLOSED
    assert not bench.branch(first.branch)


def test_an_unknown_number_is_a_request_that_is_not_understood(forge: Forge) -> None:
    with pytest.raises(RequestError):
        forge.get(1)


def verdict(proposal: Proposal) -> Verdict:
    finding = Finding("r", Severity.WARNING, "m", "p", 3, "h")
    skills = {proposal.skill: Status.PASSED}
    check = CheckResult("validate", Status.PASSED, (finding,), skills, 0.5)
    return Verdict(proposal.head, proposal.base, "t", "", (check,))


def approve(bench: Bench, proposal: Proposal) -> Approval:
    """A reviewer approves; the answer is what the forge has to remember."""
    user = bench.reviewer.user()
    who = f"{user[0]} <{user[1]}>" if user else "Rita"
    tree = bench.repo.name_of(f"{proposal.head}^{{tree}}")
    approval = Approval(who, proposal.head, tree, proposal.base, "", 5)
    bench.reviewer.approve(proposal, approval, WHO)
    return approval


def test_events_are_kept(bench: Bench, forge: Forge) -> None:
    opened, _ = open_one(bench)

    judged = forge.record_verdict(opened, verdict(opened), WHO)
    approval = approve(bench, opened)
    approve(bench, opened)
    bench.reviewer.comment(opened, Comment("Rita", "Well…", 6), WHO)

    read = forge.get(opened.number)
    assert judged.verdict == verdict(opened)
    assert read.verdict == (verdict(opened) if forge.is_local else None)
    assert [entry._replace(seconds=5) for entry in read.approvals] == [approval]
    assert [comment.text for comment in read.comments] == ["Well…"]


@pytest.mark.parametrize("state", [State.CLOSED, State.EXPIRED])
def test_an_end_is_an_end(bench: Bench, forge: Forge, state: State) -> None:
    opened, _ = open_one(bench)

    forge.close(opened, state, Comment("Rita", "no", 6), WHO)

    assert forge.get(opened.number).state is state
    assert forge.proposals(only_open=True) == []
    assert not bench.branch(opened.branch)
    assert bench.repo.find(opened.head)
    with pytest.raises(ConflictError):
        forge.merge(opened, "Merge\n", WHO)


def test_an_update_replaces_the_head_and_voids_approvals(
    bench: Bench, forge: Forge
) -> None:
    opened, _ = open_one(bench)
    forge.record_verdict(opened, verdict(opened), WHO)
    approve(bench, opened)
    commit = NewCommit(
        [opened.base], message("xlsx"), WHO, [TreeChange("skills/x/y", b"z")]
    )

    updated = forge.update(opened, commit, opened.base, WHO)

    read = forge.get(opened.number)
    assert read == updated
    assert read.head != opened.head
    assert [approval for approval in read.approvals if approval.head == read.head] == []
    assert read.verdict is None


def test_a_merge_is_the_proposals_tree_on_its_base(bench: Bench, forge: Forge) -> None:
    opened, _ = open_one(bench)

    merged = forge.merge(opened, "Merge it\n", WHO)

    repo = bench.repo
    assert bench.main == merged.merge
    tree = repo.name_of(f"{opened.head}^{{tree}}")
    assert repo.name_of(f"{merged.merge}^{{tree}}") == tree
    [commit] = repo.log("-1", merged.merge)
    assert commit.parents == (opened.base, opened.head)
    assert forge.get(opened.number).state is State.MERGED


def test_a_merge_needs_main_at_the_base(bench: Bench, forge: Forge) -> None:
    first, _ = open_one(bench, "a")
    second, _ = open_one(bench, "b")
    forge.merge(first, "Merge\n", WHO)

    with pytest.raises(ConflictError):
        forge.merge(second, "Merge\n", WHO)

    assert forge.get(second.number).is_open


def test_what_has_changed_since_it_was_seen_is_not_acted_on(
    bench: Bench, forge: Forge
) -> None:
    opened, _ = open_one(bench)
    stale = replace(opened, head=opened.base)

    with pytest.raises(ConflictError):
        approve(bench, stale)
