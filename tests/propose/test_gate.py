"""The gate: judged by the base, closed on doubt, and about one skill only."""

import shutil
from pathlib import Path

import pytest

from skillforge.checks import registry
from skillforge.checks.registry import Check
from tests.propose.conftest import Loop, page
from tests.propose.toy_checks import crashes, dies, finds, hangs, no_sandbox


def statuses(data: dict[str, object]) -> dict[str, str]:
    return {c["name"]: c["status"] for c in data["checks"]}  # type: ignore[attr-defined]


def push(loop: Loop, branch: str, path: str, text: str) -> None:
    """Put a commit on a branch by hand, as somebody with a clone can."""
    loop.folder.git("checkout", "--quiet", branch)
    loop.folder.write(path, text)
    loop.folder.git("add", "--force", "--all")
    loop.folder.git("commit", "--quiet", "--message", "By hand")
    loop.folder.git("checkout", "--quiet", "main")


def test_a_good_proposal_passes_and_the_report_is_kept(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")

    data = loop.ok("gate", number)

    assert data["passed"] is True
    names = ("paths", "validate", "scan", "overlap", "evidence", "test")
    assert statuses(data) == dict.fromkeys(names, "passed")
    assert all(c["digest"] and c["seconds"] >= 0 for c in data["checks"])
    assert data["checks"][1]["skills"] == {"xlsx-tables": "passed"}
    assert data["policy"] is None
    record = loop.folder.git("show", f"refs/skillforge/proposals/{number}:gate.json")
    assert '"passed": true' in record
    assert loop.ok("proposals")["proposals"][0]["checks"] == "passed"


@pytest.mark.parametrize(
    "path",
    [
        "skillforge.yaml",
        ".github/workflows/gate.yml",
        "skills/csv-tables/SKILL.md",
        "evidence/csv-tables/abcd.json",
        ".gitattributes",
        "skills/xlsx-tables/.gitattributes",
        "skills/xlsx-tables/deep/SKILL.md",
        "skills/xlsx-tables-2/SKILL.md",
        "skills/README.md",
        "evidence/xlsx-tables/.gitmodules",
    ],
)
def test_a_branch_that_touches_more_is_refused(loop: Loop, path: str) -> None:
    number = loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    push(loop, branch, path, "---\nname: x\n---\n")

    ran = loop("gate", number, "--json")

    assert ran.code == 1
    assert statuses(ran.data) == {"paths": "failed"}
    assert ran.data["findings"][0]["path"] == path
    loop.approve_as_it_is(number)
    assert loop("promote", number).code == 1
    assert loop("gate", "--base", "main", "--head", branch).code == 1


def test_a_link_on_a_branch_is_refused(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("checkout", "--quiet", branch)
    (loop.folder.root / "skills/xlsx-tables/link").symlink_to("../../skillforge.yaml")
    loop.folder.commit()
    loop.folder.git("checkout", "--quiet", "main")

    ran = loop("gate", number, "--json")

    assert ran.code == 1
    assert "link" in ran.data["findings"][0]["message"]


def test_evidence_is_added_to_but_never_changed(loop: Loop) -> None:
    loop.write("csv-tables", "one")
    loop.folder.write("evidence/csv-tables/abcd1234.json", "{}")
    loop.folder.commit()
    number = loop.propose("csv-tables", "two")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    push(loop, branch, "evidence/csv-tables/abcd1234.json", '{"better": true}')

    ran = loop("gate", number, "--json")

    assert ran.code == 1
    assert "never changed" in ran.data["findings"][0]["message"]


def test_trailers_of_a_branch_do_not_widen_it(loop: Loop) -> None:
    """In CI the branch's own commits say what it is about, and are not believed."""
    loop.folder.git("checkout", "--quiet", "-b", "wide")
    loop.write("csv-tables", "evil")
    loop.write("pdf-tables", "evil")
    message = "Two\n\nSkill: csv-tables\nSkill: pdf-tables\nAction: {}\n"
    for action in ("edit", "consolidate", "rollback"):
        loop.folder.git("add", "--all")
        command = ("commit", "--quiet", "--allow-empty", "-m", message.format(action))
        loop.folder.git(*command)

        ran = loop("gate", "--base", "main", "--head", "HEAD", "--json")

        assert ran.code == 1
        loop.folder.git("reset", "--quiet", "--soft", "main")


def test_policy_and_rules_come_from_the_base(loop: Loop) -> None:
    loop.policy("rules:\n  body-length: error\n  description-when: error\n")
    loop.folder.git("checkout", "--quiet", "-b", "lax")
    loop.folder.write("skillforge.yaml", "rules:\n  description-when: 'off'\n")
    loop.folder.commit()
    text = "---\nname: xlsx-tables\ndescription: Reads tables.\n---\n# Body\n"
    loop.folder.write("skills/xlsx-tables/SKILL.md", text)
    head = loop.folder.commit()

    alone = loop("gate", "--base", "main", "--head", head, "--json")
    loop.folder.git("checkout", "--quiet", "main", "--", "skillforge.yaml")
    loop.folder.commit()
    judged = loop("gate", "--base", "main", "--head", "HEAD", "--json")

    assert statuses(alone.data) == {"paths": "failed"}
    assert statuses(judged.data)["validate"] == "failed"
    policy = loop.folder.git("rev-parse", "main:skillforge.yaml").strip()
    assert judged.data["policy"] == policy


def test_a_persons_branch_is_checked_without_trailers(loop: Loop) -> None:
    loop.folder.git("checkout", "--quiet", "-b", "mine")
    loop.write("csv-tables", "better")
    loop.folder.commit()

    data = loop.ok("gate", "--base", "main", "--head", "mine")

    assert data["passed"]
    assert data["checks"][1]["skills"] == {"csv-tables": "passed"}


def test_a_branch_without_skill_changes_has_nothing_to_check(loop: Loop) -> None:
    loop.folder.git("checkout", "--quiet", "-b", "docs")
    loop.folder.write("README.md", "x")
    loop.folder.commit()

    ran = loop("gate", "--base", "main", "--head", "docs", "--json")

    assert ran.code == 0
    assert ran.data["passed"]


def test_a_deleted_branch_is_checked_from_its_record(loop: Loop) -> None:
    number = loop.propose("xlsx-tables")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    loop.folder.git("branch", "-D", branch)

    assert loop.ok("gate", number)["passed"]


# --- closed on doubt ---


@pytest.mark.parametrize(
    ("check", "status", "says"),
    [
        pytest.param(Check("toy", finds), "failed", "it is wrong", id="finds"),
        pytest.param(Check("toy", crashes), "error", "ZeroDivisionError", id="crashes"),
        pytest.param(Check("toy", dies), "error", "crashed", id="dies"),
        pytest.param(Check("toy", hangs, 0.2), "error", "took longer", id="hangs"),
        pytest.param(
            Check("toy", finds, missing=no_sandbox),
            "not-run",
            "no sandbox",
            id="missing",
        ),
        pytest.param(None, "not-run", "requires an unknown check 'toy'", id="unknown"),
    ],
)
def test_a_required_check_that_does_not_pass_fails_the_gate(
    loop: Loop,
    monkeypatch: pytest.MonkeyPatch,
    check: Check | None,
    status: str,
    says: str,
) -> None:
    loop.policy("checks: [validate, toy]\n")
    known = dict(registry.checks())
    monkeypatch.setattr(
        "skillforge.propose.gate.checks",
        lambda _required: known | ({"toy": check} if check else {}),
    )
    number = loop.propose("xlsx-tables")

    ran = loop("gate", number, "--json")

    assert ran.code == 1
    assert ran.data["passed"] is False
    assert statuses(ran.data)["toy"] == status
    assert statuses(ran.data)["validate"] == "passed"
    assert says in ran.data["findings"][-1]["message"]
    loop.approve(number)
    assert loop("promote", number).code == 1


def test_a_policy_that_cannot_be_read_stops_everything(
    loop: Loop, tmp_path: Path
) -> None:
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    loop.policy("checks: nothing\n")

    assert loop("propose", loop.draft(tmp_path, "ods-tables")).code == 2
    assert loop("promote", number).code == 2


def test_the_request_has_to_be_clear(loop: Loop) -> None:
    assert loop("gate").code == 2
    assert loop("gate", 1, "--base", "main", "--head", "main").code == 2
    assert loop("gate", "--base", "main").code == 2
    assert loop("gate", 99).code == 2
    assert loop("gate", "--base", "main", "--head", "--output=x").code == 2


HERMES = "metadata:\n  hermes:\n    tags: [csv]\n    config: [{key: a.b}]\n"


def write_for_hermes(loop: Loop, folder: str, name: str) -> int:
    """Propose a skill whose name is not its folder's."""
    text = page(name, HERMES, folder)
    loop.folder.write(f"skills/{folder}/SKILL.md", text)
    number: int = loop.ok("propose", folder)["proposal"]
    shutil.rmtree(loop.folder.root / "skills" / folder)
    return number


def test_a_skill_for_one_client_passes_the_loop(loop: Loop) -> None:
    loop.policy("checks: [validate, overlap]\n")
    number = write_for_hermes(loop, "ods-tables", "my.ods.tables")

    loop.approve(number)
    loop.promote(number)

    assert "name: my.ods.tables" in loop.text("ods-tables")
    assert loop("release", "1.0.0").code == 0
    hub = loop.folder.root.parent / "hub"
    assert loop.ok("build", "v1.0.0", "--out", hub)["left_out"] == {}
    assert (hub / "packages/ods-tables.skill").is_file()


def test_a_skill_may_not_have_the_name_of_another(loop: Loop) -> None:
    loop.policy("checks: [validate, overlap]\n")
    loop.land("xlsx-tables", "one", "two")
    number = write_for_hermes(loop, "ods-tables", "xlsx-tables")

    ran = loop("gate", number, "--json")

    assert ran.code == 1
    messages = [finding["message"] for finding in ran.data["findings"]]
    assert "has the name of another skill, 'xlsx-tables'" in messages
