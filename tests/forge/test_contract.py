"""What every forge promises; each backend has to pass these."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from skillforge.errors import ConflictError, RequestError
from skillforge.forge import Forge
from skillforge.forge.local import LocalForge
from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.writing import NewCommit, Put, Who
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

WHO = Who("Test", "test@example.invalid", "1700000000 +0100")
FORGES: dict[str, Callable[[GitRepo], Forge]] = {
    "local": lambda repo: LocalForge(repo, "main"),
}


@pytest.fixture
def repo(library: LibraryFolder) -> GitRepo:
    return GitRepo(library.root)


@pytest.fixture(params=list(FORGES))
def forge(request: pytest.FixtureRequest, repo: GitRepo) -> Forge:
    return FORGES[request.param](repo)


def open_one(
    forge: Forge, repo: GitRepo, name: str = "xlsx", there: Proposal | None = None
) -> tuple[Proposal, bool]:
    base = repo.ref("refs/heads/main")
    put = Put(f"skills/{name}/SKILL.md", f"text of {name}".encode())
    commit = NewCommit([base], f"Add {name}\n", WHO, [put])
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
    return forge.open(commit, proposal, WHO, lambda _waiting: there)


def test_numbers_follow_each_other(forge: Forge, repo: GitRepo) -> None:
    numbers = [open_one(forge, repo, name)[0].number for name in ("a", "b", "c")]

    assert numbers == [1, 2, 3]
    assert [p.number for p in forge.proposals()] == numbers


def test_what_was_opened_can_be_read_back(forge: Forge, repo: GitRepo) -> None:
    opened, created = open_one(forge, repo)

    assert created
    assert forge.get(opened.number) == opened
    assert repo.ref(f"refs/heads/{opened.branch}") == opened.head


def test_one_that_is_not_admitted_leaves_nothing(forge: Forge, repo: GitRepo) -> None:
    first, _ = open_one(forge, repo)
    refs = repo.refs()

    second, created = open_one(forge, repo, "other", there=first)

    assert (second, created) == (first, False)
    assert repo.refs() == refs
    assert not repo.find("refs/heads/skill/other/12345678")


def test_an_unknown_number_is_a_request_that_is_not_understood(forge: Forge) -> None:
    with pytest.raises(RequestError):
        forge.get(1)


def verdict(proposal: Proposal) -> Verdict:
    finding = Finding("r", Severity.WARNING, "m", "p", 3, "h")
    skills = {proposal.skill: Status.PASSED}
    check = CheckResult("validate", Status.PASSED, (finding,), skills, 0.5)
    return Verdict(proposal.head, proposal.base, "t", "", (check,))


def test_events_are_kept(forge: Forge, repo: GitRepo) -> None:
    opened, _ = open_one(forge, repo)
    approval = Approval("Rita", opened.head, "t", opened.base, "", 5)
    said = Comment("Rita", "Well…\n", 6)

    forge.judge(opened, verdict(opened), WHO)
    forge.approve(opened, approval, WHO)
    forge.approve(opened, approval._replace(seconds=7), WHO)
    forge.comment(opened, said, WHO)

    read = forge.get(opened.number)
    assert read.verdict == verdict(opened)
    assert read.approvals == (approval._replace(seconds=7),)
    assert read.comments == (said,)


@pytest.mark.parametrize("state", [State.CLOSED, State.EXPIRED])
def test_an_end_is_an_end(forge: Forge, repo: GitRepo, state: State) -> None:
    opened, _ = open_one(forge, repo)

    forge.close(opened, state, Comment("Rita", "no", 6), WHO)

    assert forge.get(opened.number).state is state
    assert forge.proposals(only_open=True) == []
    assert not repo.ref(f"refs/heads/{opened.branch}")
    assert repo.find(opened.head)
    with pytest.raises(ConflictError):
        forge.merge(opened, "Merge\n", WHO)


def test_an_update_replaces_head_and_voids_what_was_said(
    forge: Forge, repo: GitRepo
) -> None:
    opened, _ = open_one(forge, repo)
    forge.judge(opened, verdict(opened), WHO)
    forge.approve(opened, Approval("R", opened.head, "t", opened.base, "", 5), WHO)
    commit = NewCommit([opened.base], "Again\n", WHO, [Put("skills/x/y", b"z")])

    updated = forge.update(opened, commit, opened.base, WHO)

    read = forge.get(opened.number)
    assert read == updated
    assert read.head != opened.head
    assert (read.approvals, read.verdict) == ((), None)


def test_a_merge_is_the_proposals_tree_on_its_base(forge: Forge, repo: GitRepo) -> None:
    opened, _ = open_one(forge, repo)

    merged = forge.merge(opened, "Merge it\n", WHO)

    assert repo.ref("refs/heads/main") == merged.merge
    tree = repo.name_of(f"{opened.head}^{{tree}}")
    assert repo.name_of(f"{merged.merge}^{{tree}}") == tree
    [commit] = repo.log("-1", merged.merge)
    assert commit.parents == (opened.base, opened.head)
    assert forge.get(opened.number).state is State.MERGED


def test_a_merge_needs_main_at_the_base(forge: Forge, repo: GitRepo) -> None:
    first, _ = open_one(forge, repo, "a")
    second, _ = open_one(forge, repo, "b")
    forge.merge(first, "Merge\n", WHO)

    with pytest.raises(ConflictError):
        forge.merge(second, "Merge\n", WHO)

    assert forge.get(second.number).is_open


def test_what_has_changed_since_it_was_seen_is_not_acted_on(
    forge: Forge, repo: GitRepo
) -> None:
    opened, _ = open_one(forge, repo)
    stale = replace(opened, head=opened.base)

    with pytest.raises(ConflictError):
        forge.approve(stale, Approval("R", opened.base, "t", "", "", 5), WHO)
