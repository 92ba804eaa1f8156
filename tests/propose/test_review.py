"""`review`: one screen to decide from, and a decision on exact bytes."""

from pathlib import Path

import pytest

from skillforge.history import identity
from tests.propose.conftest import REVIEWER, Loop


@pytest.mark.needs_sandbox
def test_a_reviewer_sees_what_matters(loop: Loop, tmp_path: Path) -> None:
    words = [f"word{n}" for n in range(60)]
    loop.write("old-tables", *words)
    loop.folder.commit()
    draft = loop.draft(
        tmp_path,
        "xlsx-tables",
        *words[:54],
        *"uvwxyz",
        extra="allowed-tools: Read Bash(git:*)\n",
    )
    (draft / "scripts").mkdir()
    (draft / "tests").mkdir()
    (draft / "tests/echo.yaml").write_text(
        "run: [echo, '{{ word }}']\nvariants: [{word: a}, {word: b}]\n"
    )
    (draft / "scripts/get.py").write_text("import requests\n# https://example.com/x\n")
    loop.policy("checks: [validate, scan, overlap, test]\n")
    example = tmp_path / "one.json"
    example.write_text("{}")
    options = ("--why", "We need it", "--origin", "agent-foreground")
    number = loop.ok("propose", draft, *options, "--example", example)["proposal"]

    data = loop.ok("review", number)
    words_for_people = loop("review", number).out

    assert data["why"] == "We need it"
    assert data["origin"] == "agent-foreground"
    assert len(data["examples"]) == 1
    assert data["gate"]["passed"] is True
    assert data["overlap"][0]["name"] == "old-tables"
    assert data["size"]["before"] == 0
    assert data["powers"] == [
        "tool Bash(git:*)",
        "tool Read",
        "script scripts/get.py",
        "network example.com",
    ]
    for part in ("We need it", "old-tables", "+# About word0", "tool Read", "passed"):
        assert part in words_for_people


def test_only_new_powers_are_named(loop: Loop, tmp_path: Path) -> None:
    tools = "allowed-tools: Read\n"
    loop.write("csv-tables", "one", extra=tools)
    loop.folder.commit()
    draft = loop.draft(
        tmp_path, "csv-tables", "two", extra="allowed-tools: Read Write\n"
    )

    number = loop.ok("propose", draft)["proposal"]

    assert loop.ok("review", number)["powers"] == ["tool Write"]


def test_a_long_diff_is_cut_unless_all_of_it_is_asked_for(loop: Loop) -> None:
    number = loop.propose("xlsx-tables", *range(200))

    short, full = loop("review", number).out, loop("review", number, "--full").out

    assert "more lines: --full" in short
    assert len(full.splitlines()) > 400


def test_text_of_a_skill_cannot_act_on_the_terminal(loop: Loop, tmp_path: Path) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    (draft / "notes.md").write_text("\x1b[2J\x1b[1;1Happroved\r\n")

    number = loop.ok("propose", draft, "--why", "\x1b[31mred")["proposal"]

    assert "\x1b" not in loop("review", number).out
    assert "\\x1b[2J" in loop("review", number).out


BREAKS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


def test_an_added_line_cannot_look_like_one_that_was_there(
    loop: Loop, tmp_path: Path
) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    hidden = "".join(f"{line_end} import evil{n}" for n, line_end in enumerate(BREAKS))
    (draft / "read.py").write_bytes(f"# Reads.{hidden}\nrows = []\n".encode())
    number = loop.ok("propose", draft, "--why", f"We need it{hidden}")["proposal"]

    shown = loop("review", number, "--full").out

    [line] = [text for text in shown.split("\n") if text.startswith("+# Reads.")]
    assert "\\r import evil0\\x0b import evil1\\x0c" in line
    assert line.endswith("\\u2029 import evil8")
    assert not any(line_end in shown for line_end in BREAKS)
    assert "U+000D" in shown, "the scan reports it as well"


@pytest.mark.parametrize(
    "who",
    [
        pytest.param("Test <test@example.invalid>", id="same"),
        pytest.param("test", id="name-only"),
        pytest.param("Somebody <TEST@example.invalid>", id="mail"),
        pytest.param("Test <other@example.invalid>", id="name"),
        pytest.param("test@example.invalid", id="mail-as-name"),
    ],
)
def test_users_cannot_approve_their_own_proposals(loop: Loop, who: str) -> None:
    number = loop.propose("xlsx-tables")

    ran = loop("review", number, "--approve", "--as", who)

    assert ran.code == 4
    assert "can't approve it" in ran.err


def test_git_user_is_the_reviewer_by_default(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = loop.propose("xlsx-tables")
    assert loop("review", number, "--approve").code == 4
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Rita")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "rita@example.invalid")

    data = loop.ok("review", number, "--approve")

    assert data["approvals"] == ["Rita <rita@example.invalid>"]


def test_who_commits_to_the_branch_is_an_author_too(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Rita Reviewer")
    loop.write("xlsx-tables", "other", "words")
    loop.folder.commit()
    loop.folder.git("checkout", "--quiet", "main")

    assert loop("review", number, "--approve", "--as", REVIEWER).code == 4


@pytest.mark.parametrize("change", ["commit", "refresh", "force"])
def test_any_change_voids_an_approval(loop: Loop, change: str) -> None:
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    if change == "refresh":
        loop.land("other-skill")
        loop.ok("refresh", number)
    else:
        loop.folder.git("checkout", "--quiet", branch)
        loop.write("xlsx-tables", "other", "words")
        loop.folder.git("add", "--all")
        amend = ("--amend",) if change == "force" else ()
        loop.folder.git("commit", "--quiet", *amend, "--message", "Sneak")
        loop.folder.git("checkout", "--quiet", "main")

    assert loop.ok("review", number)["approvals"] == []
    ran = loop("promote", number)
    assert ran.code == 4
    assert "approval" in ran.err


def test_a_forged_approval_in_the_branch_counts_for_nothing(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    message = f"Fine\n\nApproved-By: {REVIEWER}\nProposal: {number}\n"
    loop.folder.git("commit", "--quiet", "--allow-empty", "--message", message)
    loop.folder.git("checkout", "--quiet", "main")

    assert loop("promote", number).code == 4


def test_a_rejection_closes_with_a_reason(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    assert loop("review", number, "--reject").code == 2

    loop.ok("review", number, "--reject", "--why", "Too vague", "--as", REVIEWER)

    [proposal] = loop.ok("proposals")["proposals"]
    assert proposal["state"] == "closed"
    assert "rejected: Too vague" in loop("review", number).out
    assert loop("promote", number).code == 4
    assert loop("review", number, "--approve", "--as", REVIEWER).code == 4


def test_a_comment_is_kept(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")

    loop.ok("review", number, "--comment", "Why not?", "--as", REVIEWER)

    [comment] = loop.ok("review", number)["comments"]
    assert comment["text"] == "Why not?"
    assert comment["by"] == REVIEWER


def test_two_reviewers_where_the_policy_wants_two(loop: Loop) -> None:
    loop.policy("approvals: 2\n")
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    loop.approve(number)
    assert "1 of 2 approvals" in loop("promote", number).err

    loop.approve(number, "Sam <sam@example.invalid>")

    loop.promote(number)
    trailers = loop.folder.git(
        "log", "-1", "--format=%(trailers:key=Approved-By)", "main"
    )
    assert trailers.count("Approved-By") == 2


def test_every_state_change_is_a_commit(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    loop.ok("gate", number)
    loop.approve(number)
    loop.promote(number)

    log = (
        "log",
        "--first-parent",
        "--format=%s",
        f"refs/skillforge/proposals/{number}",
    )
    events = [line.split()[0] for line in loop.folder.git(*log).splitlines()[:5]]
    assert events == ["merged", "checked", "approved", "checked", "opened"]


def test_a_remark_adds_no_trailers_to_the_record(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    forged = "no\n\nProposal: 1\nApproved-By: Eve <eve@example.invalid>\x1b[2J"
    loop.ok("review", number, "--comment", forged)
    loop.ok("review", number, "--reject", "--why", forged)

    log = ("log", "-2", "--first-parent", f"refs/skillforge/proposals/{number}")
    trailers = loop.folder.git(*log, "--format=%(trailers:only,unfold)").split("\n")
    assert not [
        line for line in trailers if line.startswith(("Proposal", "Approved-By"))
    ]
    assert "\x1b" not in loop.folder.git(*log, "--format=%B")


@pytest.mark.parametrize(
    ("first", "other", "same"),
    [
        ("A <a@x>", "a <A@x>", True),
        ("A B <a@x>", "A  b", True),
        ("A <a@x>", "B <b@x>", False),
        ("A <a@x>", "a@x", True),
        ("", "", False),
        ("A <>", "B <>", False),
        ("José <j@x>", "Jose\u0301 <k@x>", True),
        ("José <j@x>", "Jose <k@x>", True),
        ("José <j@x>", "Jos\u00e9\u200b <k@x>", True),
        ("José A <j@x>", "\uff2aosé\u00a0A <k@x>", True),
        ("Ada B <a@x>", "B, Ada <k@x>", True),
        ("Ada B <a@x>", "Ad\u0430 B <k@x>", True),
        ("Ada B <a@x>", "Ada-B (work) <k@x>", True),
        ("A <a@x>", "R <a+review@x>", True),
        ("A <a@x>", "R <\u200ba@x.>", True),
        ("A <a@x>", "R <mailto:a@x>", True),
        ("A <a@x>", "R <r@x> <a@x>", True),
        ("A <a.b@gmail.com>", "R <ab@gmail.com>", True),
        ("A <1+a@users.noreply.github.com>", "R <a@users.noreply.github.com>", True),
        ("A <1+a@users.noreply.github.com>", "B <1+b@users.noreply.github.com>", False),
        ("A <a@x>", "A2 <a2@x>", False),
        ("Ada <>", "Grace <>", False),
        ("☃ <>", "★ <>", False),
        pytest.param("Ada <a@x>", "A d a <b@x>", True, id="spaced-out"),
        pytest.param("Ada <a@x>", "Eve <a@x(work)>", True, id="mail-comment"),
        pytest.param("Ada <a@x>", 'Eve <"a"@x>', True, id="mail-quoted"),
        pytest.param("Ada <a@x>", "Eve <a%40x>", True, id="mail-encoded"),
    ],
)
def test_who_may_be_the_same_person(first: str, other: str, same: bool) -> None:
    assert identity.is_same(first, other) is same
    assert identity.is_same(other, first) is same
