"""Health runs try the cases of merged skills again, and report those that broke."""

import json
import time
from pathlib import Path

import pytest

from skillforge import sandbox
from skillforge.model import Skill, Trial, TrialOutcome
from skillforge.operate.health import Urgency, compared
from skillforge.operate.health_record import Condition, Environment, HealthHistory
from skillforge.store import CaseRecord, Uses
from tests.conftest import LibraryFolder, Run, parse_text, skill_md
from tests.propose.conftest import Loop

BOX, _ = sandbox.choose()
OLD = Environment("Python 3.9.1", "Linux x86_64", BOX.name if BOX else "")
SCRIPT = "import sys; print(sys.argv[1].upper())\n"
CASE = "run: [python3, scripts/up.py, abc]\nexpect: {{stdout: {0}}}\n"


@pytest.fixture
def loop(library: LibraryFolder, run: Run) -> Loop:
    return Loop(library, run)


def add(loop: Loop, name: str, expected: str = "ABC", case: str = "") -> None:
    """A skill on main whose one case passes if ABC is expected."""
    loop.write(name, name)
    loop.folder.write(f"skills/{name}/scripts/up.py", SCRIPT)
    loop.folder.write(f"skills/{name}/tests/up.yaml", case or CASE.format(expected))
    loop.folder.commit(f"Add {name}")


def store(loop: Loop) -> Uses:
    return Uses.of(loop.folder.root / ".git")


def remember(loop: Loop, name: str, environment: Environment = OLD) -> None:
    """Record that the version on main passed a day ago, on another machine."""
    at = int(time.time()) - 86_400
    row = CaseRecord(name, loop.tree(name), environment.key, at, True, "{}")
    store(loop).save_case_records([row])


def skill_rows(data: dict[str, object]) -> dict[str, dict[str, object]]:
    rows = data["skills"]
    assert isinstance(rows, list)
    return {row["skill"]: row for row in rows}


def health(loop: Loop, *options: object) -> tuple[int, dict[str, dict[str, object]]]:
    ran = loop("health", "--json", *options)
    return ran.code, skill_rows(ran.data)


def land(loop: Loop, number: int) -> None:
    loop.approve(number)
    loop.promote(number)


@pytest.mark.needs_sandbox
def test_all_skills_of_main_are_tried_and_remembered(loop: Loop) -> None:
    add(loop, "upper-case")
    (loop.folder.root / "skills/upper-case/tests/up.yaml").write_text("unsaved")

    code, rows = health(loop)

    assert code == 0
    assert rows["upper-case"]["status"] == "passed"
    assert rows["csv-tables"]["status"] == "no-cases"
    [record] = store(loop).case_records()
    assert (record.skill, record.version, record.ok) == (
        "upper-case",
        loop.tree("upper-case"),
        True,
    )
    assert json.loads(record.environment)["interpreter"].startswith("Python 3.")


@pytest.mark.needs_sandbox
def test_what_broke_is_marked_and_unmarked_by_proposals(loop: Loop) -> None:
    add(loop, "upper-case", "AbC")
    remember(loop, "upper-case")

    ran = loop("health", "--json")  # looks first, as people do
    ran = loop("health", "--json", "--propose")

    assert ran.code == 1
    [trial] = [t for t in ran.data["trials"] if t["skill"] == "upper-case"]
    assert trial["outcome"] == "failed"
    assert trial.keys() >= {"skill", "case", "outcome", "seconds", "detail"}
    row = skill_rows(ran.data)["upper-case"]
    assert row["changed"] == ["interpreter"]
    [offer] = ran.data["proposals"]
    assert offer["created"]

    again = loop("health", "--json", "--propose").data["proposals"]
    assert [(entry["proposal"], entry["created"]) for entry in again] == [
        (offer["proposal"], False)
    ]

    land(loop, offer["proposal"])
    marked = loop.text("upper-case")
    assert "they passed with Python 3.9.1" in marked
    assert "origin curator" in loop("review", offer["proposal"]).out
    assert loop("health", "--json", "--propose").data["proposals"] == []

    loop.folder.write("skills/upper-case/tests/up.yaml", CASE.format("ABC"))
    loop.folder.commit("Fix it")
    [offer] = loop.ok("health", "--propose")["proposals"]
    land(loop, offer["proposal"])
    assert "deprecated" not in loop.text("upper-case")
    assert loop.ok("health", "--propose")["proposals"] == []
    loop.fsck()


@pytest.mark.needs_sandbox
def test_a_new_version_that_fails_is_the_skills_own_fault(loop: Loop) -> None:
    add(loop, "upper-case")
    health(loop)
    add(loop, "upper-case", "AbC")

    code, rows = health(loop)

    assert code == 1
    assert rows["upper-case"]["changed"] == ["skill"]


@pytest.mark.needs_sandbox
def test_what_never_passed_is_not_marked(loop: Loop) -> None:
    add(loop, "upper-case", "AbC")

    ran = loop("health", "--json", "--propose")

    assert ran.code == 1
    assert ran.data["proposals"] == []
    assert "no earlier pass is recorded in this clone" in loop("health").out


@pytest.mark.needs_sandbox
def test_a_mark_that_a_reviewer_refused_is_not_proposed_again(loop: Loop) -> None:
    add(loop, "upper-case", "AbC")
    remember(loop, "upper-case")
    [offer] = loop("health", "--json", "--propose").data["proposals"]
    loop.ok("review", offer["proposal"], "--reject", "--why", "We know")

    [again] = loop("health", "--json", "--propose").data["proposals"]

    assert (again["proposal"], again["refused"]) == (None, offer["proposal"])


@pytest.mark.needs_sandbox
def test_a_mark_of_a_persons_own_words_stays(loop: Loop) -> None:
    loop.write("upper-case", extra="metadata:\n  deprecated: use shout instead\n")
    loop.folder.write("skills/upper-case/scripts/up.py", SCRIPT)
    loop.folder.write("skills/upper-case/tests/up.yaml", CASE.format("ABC"))
    loop.folder.commit()

    assert loop.ok("health", "--propose")["proposals"] == []


def test_an_edit_that_does_more_than_mark_has_to_pass(
    loop: Loop, tmp_path: Path
) -> None:
    add(loop, "upper-case", "AbC")
    page = loop.folder.root / "skills/upper-case/SKILL.md"
    text = page.read_text().replace(
        "---\n#", "metadata:\n  deprecated: it fails\n---\n#"
    )
    page.write_text(text)
    only_marked = loop.ok("propose", "upper-case")["proposal"]
    assert loop("gate", only_marked).code == 0

    page.write_text(f"{text}\nAnd more.\n")
    more = loop.ok("propose", "upper-case", "--supersede")["proposal"]

    assert loop("gate", more).code == 1


@pytest.mark.needs_sandbox
def test_skills_without_time_are_reported_and_come_first_next_time(loop: Loop) -> None:
    for name in ("aa-slow", "bb-slow"):
        add(loop, name, case="run: [sleep, '1.3']\n")
    options = ("aa-slow", "bb-slow", "--budget", 1, "--jobs", 1)

    code, rows = health(loop, *options)
    left = [name for name, row in rows.items() if row["status"] == "not-run"]
    code_again, again = health(loop, *options)

    assert (code, code_again) == (0, 0)
    assert len(left) == 1
    assert again[left[0]]["status"] == "passed"
    assert list(again) == [left[0], *(n for n in again if n != left[0])]


@pytest.mark.needs_sandbox
def test_shards_are_the_whole_and_share_nothing(loop: Loop) -> None:
    for name in ("aa-one", "bb-two", "cc-three", "dd-four"):
        loop.write(name)
    loop.folder.commit()

    parts = [list(health(loop, "--shard", f"{part}/3")[1]) for part in (1, 2, 3)]

    names = [name for part in parts for name in part]
    assert sorted(names) == sorted(health(loop)[1])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param(
            *(("no-such-skill",), "main has no skill"), marks=pytest.mark.needs_sandbox
        ),
        pytest.param(
            *(("csv-table",), "did you mean csv-tables?"),
            marks=pytest.mark.needs_sandbox,
        ),
        (("--shard", "4/3"), "is not a shard"),
        (("--budget", "0"), "--budget"),
    ],
)
def test_a_bad_request_is_named(
    loop: Loop, options: tuple[str, ...], words: str
) -> None:
    ran = loop("health", *options)

    assert ran.code == 2
    assert words in ran.err


def test_without_a_sandbox_no_skill_is_healthy(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLFORGE_SANDBOX", "podman")
    monkeypatch.setenv("PATH", "/usr/bin/nowhere:" + str(loop.folder.root))
    sandbox.choose.cache_clear()
    try:
        ran = loop("health")
    finally:
        sandbox.choose.cache_clear()

    assert ran.code == 3


@pytest.mark.needs_sandbox
def test_what_github_reads_names_the_case(loop: Loop) -> None:
    add(loop, "upper-case", "AbC")

    ran = loop("health", "--format", "github")

    assert ran.code == 1
    assert "::error file=skills/upper-case/tests/up.yaml,line=1" in ran.out


def trial(case: str, outcome: TrialOutcome) -> Trial:
    return Trial("x", case, outcome, detail="Oh")


def test_what_passes_the_second_time_is_flaky() -> None:
    first = [trial("a", TrialOutcome.FAILED), trial("b", TrialOutcome.PASSED)]

    trials, is_sure = compared(first, [trial("a", TrialOutcome.PASSED)])

    assert Condition.of(trials) is Condition.FLAKY
    assert is_sure


def test_what_could_not_be_tried_again_is_not_sure() -> None:
    first = [trial("a", TrialOutcome.FAILED)]

    trials, is_sure = compared(first, [trial("a", TrialOutcome.NOT_RUN)])

    assert Condition.of(trials) is Condition.FAILED
    assert not is_sure


def a_skill(extra: str = "") -> Skill:
    page = parse_text(skill_md("x", extra))
    return Skill("x", "skills/x", {}, page, lambda _path: b"")


FAILED = HealthHistory(
    (CaseRecord("x", "v", OLD.key, 9, False, '{"status": "failed"}'),)
)


@pytest.mark.parametrize(
    ("urgent", "less"),
    [
        pytest.param(
            (a_skill(), 40, 7.0, HealthHistory()),
            (a_skill(), 2, 7.0, HealthHistory()),
            id="use",
        ),
        pytest.param(
            (a_skill("metadata: {pinned: 'true'}\n"), 0, 7.0, HealthHistory()),
            (a_skill(), 0, 7.0, HealthHistory()),
            id="pinned",
        ),
        pytest.param(
            (a_skill("metadata: {importance: high}\n"), 0, 7.0, HealthHistory()),
            (a_skill(), 0, 7.0, HealthHistory()),
            id="important",
        ),
        pytest.param(
            (a_skill(), 0, 14.0, HealthHistory()),
            (a_skill(), 0, 1.0, HealthHistory()),
            id="age",
        ),
        pytest.param(
            (a_skill(), 0, None, HealthHistory()),
            (a_skill(), 0, 49.0, HealthHistory()),
            id="new",
        ),
        pytest.param(
            (a_skill(), 0, 1.0, FAILED),
            (a_skill(), 5, 8.0, HealthHistory()),
            id="failed",
        ),
    ],
)
def test_the_more_urgent_comes_first(
    urgent: tuple[Skill, int, float | None, HealthHistory],
    less: tuple[Skill, int, float | None, HealthHistory],
) -> None:
    assert Urgency.of(*urgent) > Urgency.of(*less)
    assert Urgency.of(*less)._replace(was_left=True) > Urgency.of(*urgent)


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("key", ["", "[]", "3", "{", '{"interpreter": 3}'])
def test_case_records_of_another_tool_are_harmless(loop: Loop, key: str) -> None:
    add(loop, "upper-case")
    row = CaseRecord("upper-case", loop.tree("upper-case"), key, 5, False, key)
    store(loop).save_case_records([row])

    code, rows = health(loop, "upper-case")

    assert (code, rows["upper-case"]["status"]) == (0, "passed")
