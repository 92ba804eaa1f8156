"""`rollback`: an earlier version, byte for byte, as a proposal or at once."""

from pathlib import Path
from typing import Any

import pytest

from tests.propose.conftest import Loop
from tests.propose.test_operations import send  # noqa: F401 - a fixture


@pytest.fixture(autouse=True)
def _quick(loop: Loop) -> None:
    """What the other checks say is no part of these tests."""
    loop.policy("checks: [validate]\n")


def roll_back(loop: Loop, name: str, *options: str) -> dict[str, Any]:
    return loop.ok("rollback", name, "--why", "It is wrong", *options)


def review_and_promote(loop: Loop, data: dict[str, Any]) -> None:
    loop.approve(data["proposal"])
    loop.promote(data["proposal"])


def test_a_rollback_is_a_proposal_with_the_earlier_tree(loop: Loop) -> None:
    good = loop.land("xlsx-tables", "one")
    bad = loop.land("xlsx-tables", "two")

    data = roll_back(loop, "xlsx-tables")

    assert data["version"] == good["version"]
    assert loop.tree("xlsx-tables", data["commit"]) == good["version"]
    trailers = loop.folder.git("log", "-1", "--format=%(trailers)", data["commit"])
    assert "Action: rollback\n" in trailers
    assert f"Reverts: {bad['merge']}\n" in trailers
    loop.approve(data["proposal"])
    loop.promote(data["proposal"])
    assert loop.tree("xlsx-tables") == good["version"]
    assert loop.audit_kinds() == []
    newest, reverted, _ = loop.ok("log", "xlsx-tables")["versions"]
    assert newest["action"] == "rollback"
    assert reverted["reverted_by"] == newest["commit"]


def test_now_promotes_it_at_once_and_records_that(loop: Loop) -> None:
    good = loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")

    data = roll_back(loop, "xlsx-tables", "--now")

    assert data["merge"] == loop.main()
    assert loop.tree("xlsx-tables") == data["version"] == good["version"]
    trailers = loop.folder.git("log", "-1", "--format=%(trailers)", "main")
    assert "Rolled-Back-By: Test <test@example.invalid>\n" in trailers
    assert loop.audit_kinds() == []


@pytest.mark.parametrize(
    ("policy", "origin", "allowed"),
    [
        ("people", "human", True),
        ("people", "agent-foreground", False),
        ("people", "curator", False),
        ("anyone", "agent-background", True),
        ("nobody", "human", False),
    ],
)
def test_the_policy_decides_who_may_do_it_at_once(
    loop: Loop, policy: str, origin: str, allowed: bool
) -> None:
    loop.policy(f"rollback:\n  now: {policy}\n")
    loop.land("xlsx-tables", "one")
    bad = loop.land("xlsx-tables", "two")

    ran = loop("rollback", "xlsx-tables", "--why", "x", "--now", "--origin", origin)

    assert (ran.code == 0) is allowed
    assert (loop.tree("xlsx-tables") != bad["version"]) is allowed
    assert loop.audit_kinds() == []


@pytest.mark.parametrize(
    "to",
    [
        "1.0.0",
        "tree",
        pytest.param("v1.0.0", marks=pytest.mark.slow),
        pytest.param("commit", marks=pytest.mark.slow),
        pytest.param("#1", marks=pytest.mark.slow),
    ],
)
def test_any_version_can_be_named(loop: Loop, to: str) -> None:
    first = loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")
    loop.land("xlsx-tables", "three")
    names = {"tree": first["version"][:10], "commit": first["merge"][:10]}

    roll_back(loop, "xlsx-tables", "--to", names.get(to, to), "--now")

    assert loop.tree("xlsx-tables") == first["version"]
    reverted = [v["reverted_by"] for v in loop.ok("log", "xlsx-tables")["versions"]]
    assert reverted == [None, loop.main(), loop.main(), None]
    assert loop("rollback", "xlsx-tables", "--why", "x", "--to", "9.9.9").code == 2


def test_rolling_back_the_first_version_removes_the_skill(loop: Loop) -> None:
    loop.land("xlsx-tables", "one")

    roll_back(loop, "xlsx-tables", "--now")

    assert "xlsx-tables" not in loop.folder.git("ls-tree", "--name-only", "main:skills")
    assert not (loop.folder.root / "skills/xlsx-tables").exists()
    assert loop.audit_kinds() == []


def test_a_removed_skill_is_restored(loop: Loop) -> None:
    before = loop.tree("csv-tables")
    loop.approve(number := loop.ok("propose", "csv-tables", "--delete")["proposal"])
    loop.promote(number)

    roll_back(loop, "csv-tables", "--now")

    assert loop.tree("csv-tables") == before


@pytest.mark.slow
def test_a_second_rollback_goes_one_version_further(loop: Loop) -> None:
    first = loop.land("xlsx-tables", "one")
    second = loop.land("xlsx-tables", "two")
    loop.land("xlsx-tables", "three")

    roll_back(loop, "xlsx-tables", "--now")
    assert loop.tree("xlsx-tables") == second["version"]
    review_and_promote(loop, roll_back(loop, "xlsx-tables"))

    assert loop.tree("xlsx-tables") == first["version"]
    assert loop.audit_kinds() == []


@pytest.mark.slow
def test_a_rollback_after_a_manual_revert_continues_from_it(loop: Loop) -> None:
    first = loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")
    third = loop.land("xlsx-tables", "three")
    loop.folder.git("revert", "--no-edit", "-m", "1", third["merge"])

    review_and_promote(loop, roll_back(loop, "xlsx-tables"))

    assert loop.tree("xlsx-tables") == first["version"]


def test_reverted_content_can_be_proposed_again(loop: Loop) -> None:
    loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")
    roll_back(loop, "xlsx-tables", "--now")

    loop.land("xlsx-tables", "two")

    assert "About two" in loop.text("xlsx-tables")
    assert loop.audit_kinds() == []


def consolidate(loop: Loop, send: Any) -> None:  # noqa: F811 - the fixture's value
    """csv-tables takes the place of pdf-tables."""
    text = loop.text("csv-tables").replace("then that", "then both")
    ran = send(
        loop.batch(
            {"action": "edit", "name": "csv-tables", "content": text},
            {"action": "delete", "name": "pdf-tables", "absorbed_into": "csv-tables"},
        )
    )
    loop.approve(ran.data["proposal"])
    loop.promote(ran.data["proposal"])


def test_a_consolidation_is_rolled_back_as_a_whole(
    loop: Loop,
    send: Any,  # noqa: F811 - the fixture
) -> None:
    umbrella, absorbed = loop.tree("csv-tables"), loop.tree("pdf-tables")
    consolidate(loop, send)
    assert loop.ok("why", "pdf-tables")["became"] == ["csv-tables"]

    data = roll_back(loop, "csv-tables")

    loop.approve(data["proposal"])
    loop.promote(data["proposal"])
    assert loop.tree("csv-tables") == umbrella
    assert loop.tree("pdf-tables") == absorbed
    assert loop.audit_kinds() == []


@pytest.mark.slow
def test_a_rollback_is_not_stopped_by_rules_that_came_later(
    loop: Loop, tmp_path: Path
) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables", "one")
    text = (draft / "SKILL.md").read_text()
    (draft / "SKILL.md").write_text(text.replace("Use when data comes as a table.", ""))
    loop.approve(number := loop.ok("propose", draft)["proposal"])
    first = loop.promote(number)
    loop.land("xlsx-tables", "two")
    loop.policy("rules:\n  description-when: error\n")

    data = roll_back(loop, "xlsx-tables", "--now")

    assert loop.tree("xlsx-tables") == data["version"] == first["version"]
    gate = loop.ok("review", data["proposal"])["gate"]
    assert [f["severity"] for f in gate["findings"]] == ["warning"]


def test_a_branch_that_claims_to_roll_back_has_to_be_exact(loop: Loop) -> None:
    loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")
    number = roll_back(loop, "xlsx-tables")["proposal"]
    branch = loop.ok("proposals")["proposals"][-1]["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    loop.write("xlsx-tables", "evil")
    loop.folder.commit()
    loop.folder.git("checkout", "--quiet", "main")

    ran = loop("gate", number, "--json")

    assert ran.code == 1
    assert {c["name"]: c["status"] for c in ran.data["checks"]}["exact"] == "failed"


def test_the_request_has_to_be_clear(loop: Loop) -> None:
    assert loop("rollback", "csv-tables").code == 2  # no reason
    assert loop("rollback", "nothing", "--why", "x").code == 2
    assert loop("rollback", "--", "-x", "--why").code == 2


def test_an_emergency_is_met_once(loop: Loop) -> None:
    """Two people on call do the same: the second must not go one version further."""
    loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")
    loop.ok("rollback", "xlsx-tables", "--now", "--why", "Bad")
    tree = loop.tree("xlsx-tables")

    again = loop("rollback", "xlsx-tables", "--now", "--why", "Bad")

    assert again.code == 4
    assert "was already rolled back" in again.err
    assert loop.tree("xlsx-tables") == tree
