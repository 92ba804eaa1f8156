"""`waive`: a waiver becomes a proposal, with its hash, and a person decides."""

import hashlib
from pathlib import Path

import pytest

from skillforge.checks.scan.waivers import read_waivers
from tests.propose.conftest import REVIEWER, Loop
from tests.propose.test_gate_scan import ATTACK, propose

WHY = "Ours: the vendor's installer, read line by line."
FILE = "skills/csv-tables/SKILL.md"


@pytest.fixture
def dangerous(loop: Loop) -> Loop:
    """A library whose main has a skill with a sign of an attack."""
    loop.policy("checks: [validate, scan]\n")
    with (loop.folder.root / FILE).open("a") as page:
        page.write(ATTACK)
    loop.folder.commit("Install it")
    return loop


def waive(loop: Loop, *options: str) -> int:
    arguments = ("fetch-and-run", "csv-tables", "--why", WHY, *options)
    number: int = loop.ok("waive", *arguments)["proposal"]
    return number


def test_a_waiver_is_proposed_reviewed_and_promoted(dangerous: Loop) -> None:
    loop = dangerous
    before = loop.folder.git("status", "--porcelain")
    audited = loop.audit_kinds()  # the fixture pushed to main
    assert loop("scan").code == 1

    number = waive(loop)

    assert loop.folder.git("status", "--porcelain") == before
    assert not (loop.folder.root / "waivers.yaml").exists()
    assert loop("promote", number).code == 4  # not approved yet
    loop.approve(number)
    loop.promote(number)
    [waiver] = read_waivers((loop.folder.root / "waivers.yaml").read_bytes())
    data = (loop.folder.root / FILE).read_bytes()
    assert waiver.sha256 == hashlib.sha256(data).hexdigest()
    assert loop("scan").code == 0
    assert loop.audit_kinds() == audited


def test_a_finding_says_what_it_was_before_the_waiver(dangerous: Loop) -> None:
    number = waive(dangerous)
    dangerous.approve(number)
    dangerous.promote(number)

    findings = dangerous("scan", "--json").data["findings"]

    [waived] = [f for f in findings if "waived" in f]
    assert waived["was"] == "error"
    assert WHY in waived["waived"]


def test_a_draft_is_waived_before_it_is_merged(loop: Loop, tmp_path: Path) -> None:
    loop.policy("checks: [validate, scan]\n")
    draft = propose(loop, tmp_path, ATTACK)
    branch = loop.ok("review", draft)["branch"]
    ran = loop.ok(
        "waive", "fetch-and-run", "xlsx-tables", "--rev", branch, "--why", WHY
    )
    loop.approve(ran["proposal"])
    loop.promote(ran["proposal"])

    loop.ok("refresh", draft)

    assert loop.ok("gate", draft)["passed"] is True


def test_the_author_cannot_approve_it(dangerous: Loop) -> None:
    number = waive(dangerous)

    assert dangerous("review", number, "--approve").code == 4


def test_an_agents_branch_and_other_files_are_refused(dangerous: Loop) -> None:
    number = waive(dangerous)
    branch = dangerous.ok("review", number)["branch"]
    git = dangerous.folder.git
    git("checkout", "-q", branch)
    message = git("log", "-1", "--format=%B")
    agent = message.replace("Origin: human", "Origin: agent-foreground")
    git("commit", "-q", "--amend", "-m", agent)

    ran = dangerous("gate", "--base", "main", "--head", branch, "--json")
    assert ran.code == 1
    assert [f["rule"] for f in ran.data["findings"]] == ["waiver"]

    git("commit", "-q", "--amend", "-m", message)
    dangerous.folder.write(FILE, "changed\n")
    git("commit", "-qam", "And more")
    ran = dangerous("gate", "--base", "main", "--head", branch, "--json")
    assert ran.code == 1
    assert [f["path"] for f in ran.data["findings"]] == [FILE]


@pytest.mark.parametrize("more", ["- rule: secrecy", "removed"])
def test_it_changes_waivers_of_its_own_skill_only(dangerous: Loop, more: str) -> None:
    other = (
        f"- rule: secrecy\n  path: skills/pdf-tables/SKILL.md\n  sha256: {'0' * 64}\n"
        "  who: Rita\n  why: A long enough reason.\n  until: '2999-01-01'\n"
    )
    if more == "removed":
        dangerous.folder.write("waivers.yaml", other)
        dangerous.folder.commit("Waive")
    branch = dangerous.ok("review", waive(dangerous))["branch"]
    git = dangerous.folder.git
    git("checkout", "-q", branch)
    page = dangerous.folder.root / "waivers.yaml"
    text = page.read_text()
    page.write_text(text.replace(other, "") if more == "removed" else text + other)
    git("commit", "-qam", "And another")

    ran = dangerous("gate", "--base", "main", "--head", branch, "--json")

    assert ran.code == 1
    assert {f["rule"] for f in ran.data["findings"]} == {"waiver"}


def test_comments_and_other_entries_stay_and_a_stale_one_is_replaced(
    dangerous: Loop,
) -> None:
    text = (
        "# Reviewed every quarter.\n"
        f"- rule: fetch-and-run  # old\n  path: {FILE}\n  sha256: {'0' * 64}\n"
        "  who: Rita\n  why: A long enough reason.\n  until: '2020-01-01'\n"
        f"- rule: secrecy\n  path: skills/pdf-tables/SKILL.md\n  sha256: {'0' * 64}\n"
        "  who: Rita\n  why: A long enough reason.  # really\n  until: '2999-01-01'\n"
    )
    dangerous.folder.write("waivers.yaml", text)
    dangerous.folder.commit("Waive")

    branch = dangerous.ok("review", waive(dangerous))["branch"]

    after = dangerous.folder.git("show", f"{branch}:waivers.yaml")
    assert after.startswith("# Reviewed every quarter.\n- rule: secrecy\n")
    assert "# really" in after
    assert [w.rule for w in read_waivers(after.encode())] == [
        "secrecy",
        "fetch-and-run",
    ]


def test_a_list_in_one_line_is_written_again(dangerous: Loop) -> None:
    dangerous.folder.write("waivers.yaml", "[]\n")
    dangerous.folder.commit("None")

    branch = dangerous.ok("review", waive(dangerous))["branch"]

    after = dangerous.folder.git("show", f"{branch}:waivers.yaml")
    assert [w.rule for w in read_waivers(after.encode())] == ["fetch-and-run"]


def test_a_proposal_for_the_skill_can_be_open_meanwhile(
    dangerous: Loop, tmp_path: Path
) -> None:
    dangerous.propose("csv-tables", "other", "words")

    assert waive(dangerous)


def test_two_waivers_can_be_open_and_a_refresh_keeps_the_skills(
    dangerous: Loop,
) -> None:
    with (dangerous.folder.root / "skills/pdf-tables/SKILL.md").open("a") as page:
        page.write(ATTACK)
    dangerous.folder.commit("Another")
    first = waive(dangerous)
    dangerous.land("png-tables", "unlike", "the", "others")
    trees = dangerous.folder.git("rev-parse", "main:skills")

    dangerous.ok("refresh", first)
    dangerous.approve(first)
    dangerous.promote(first)

    assert dangerous.folder.git("rev-parse", "main:skills") == trees


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(
            ("secrecy", "csv-tables", "--why", WHY), "fetch-and-run", id="rule"
        ),
        pytest.param(
            ("fetch-and-run", "csv-table", "--why", WHY), "csv-tables", id="name"
        ),
        pytest.param(("fetch-and-run", "csv-tables", "--why", "ok"), "--why", id="why"),
        pytest.param(
            ("fetch-and-run", "csv-tables", "--why", WHY, "--until", "soon"),
            "--until",
            id="date",
        ),
        pytest.param(
            ("fetch-and-run", "csv-tables", "--why", WHY, "--path", "x.md"),
            "fetch-and-run",
            id="path",
        ),
    ],
)
def test_a_mistake_is_explained(
    dangerous: Loop, arguments: tuple[str, ...], words: str
) -> None:
    ran = dangerous("waive", *arguments)

    assert ran.code == 2
    assert words in ran.err


def test_a_reviewer_sees_the_waiver(dangerous: Loop) -> None:
    number = waive(dangerous)

    shown = dangerous("review", number, "--as", REVIEWER)

    assert "Waive a finding in csv-tables (fetch-and-run)" in shown.out
    assert WHY in shown.out
    assert "passed   waivers" in shown.out
