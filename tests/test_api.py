"""Skillforge as a Python library: what README and docs/python.md say of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from skillforge import Library
from skillforge.cli import COMMANDS
from skillforge.errors import ConflictError, RequestError, SkillforgeError
from skillforge.model import RolloutState
from skillforge.resources import demo_files
from tests.conftest import LibraryFolder

RITA = "Rita <rita@example.org>"
DATES = """\
---
name: dates
description: Brings calendar days into one form. Use when dates differ in form.
---
# One form for days

Read each day with its locale, and write it as year, month, day.
"""


@pytest.fixture
def started(library: LibraryFolder) -> Library:
    library.write("skills/dates/SKILL.md", DATES)
    return Library.open(library.root)


def test_the_loop_in_a_few_lines(started: Library) -> None:
    assert started.validate("dates").ok
    assert started.scan("dates").ok
    proposal = started.propose("dates", why="Tables lost a header").proposal
    assert proposal is not None
    assert started.gate(proposal.number).passed
    started.approve(proposal.number, by=RITA)
    done = started.promote(proposal.number)

    assert done.merge
    assert "dates" in {skill.name for skill in started.skills()}
    [hit, *_] = started.search("dates")
    assert hit.skill.name == "dates"
    handed = started.use("dates", key="session-7")
    assert handed.path is not None
    assert handed.assignment.version == done.version
    assert "dates" in (handed.path / "SKILL.md").read_text(encoding="utf-8")
    result = started.record("dates", "session-7", "success", verified_by="test")
    assert result.added == 1
    assert not started.audit().exceptions


def test_a_bad_draft_is_a_result_with_reasons(
    started: Library, library: LibraryFolder
) -> None:
    (library.root / "skills/dates/SKILL.md").write_text("no frontmatter\n")

    outcome = started.propose("dates", why="Try")

    assert outcome.proposal is None
    assert [finding.rule for finding in outcome.report.findings]
    assert started.proposals() == []


def test_users_cannot_approve_their_own_proposals(started: Library) -> None:
    outcome = started.propose("dates", why="Tables lost a header")
    assert outcome.proposal is not None

    with pytest.raises(ConflictError, match="can't approve"):
        started.approve(outcome.proposal.number)


def test_a_rejected_proposal_is_closed(started: Library) -> None:
    outcome = started.propose("dates", why="Tables lost a header")
    assert outcome.proposal is not None

    started.reject(outcome.proposal.number, "Not needed", by=RITA)

    assert started.proposals() == []
    assert len(started.proposals(only_open=False)) == 1


def test_a_rollback_restores_every_byte(
    started: Library, library: LibraryFolder
) -> None:
    first = _promoted(started)
    path = library.root / "skills/dates/SKILL.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nSkip the header.\n")
    second = _promoted(started)

    back = started.rollback("dates", "It drops headers", now=True)

    assert first != second
    assert back.promotion is not None
    assert back.promotion.version == first
    assert started.log("dates")[0].tree == first


def test_main_is_released_as_the_suggested_version(
    started: Library, library: LibraryFolder
) -> None:
    _promoted(started)

    planned = started.release(dry_run=True)
    done = started.release()

    assert planned.release is None
    assert "dates" in {change.skill for change in planned.plan.changes}
    assert done.ok
    assert done.release is not None
    assert done.release.tag.name == f"v{planned.plan.suggested}"
    assert library.git("rev-parse", "v1.0.0^{commit}").strip() == done.plan.commit
    assert not started.release("1.0.0").created


def test_a_failed_check_objects_to_a_release(
    started: Library, library: LibraryFolder
) -> None:
    library.commit("By hand")

    refused = started.release("1.0.0")

    assert refused.release is None
    assert [objection.check for objection in refused.objections] == ["audit"]
    assert not library.git("tag", "--list")


def test_a_hub_is_built_published_and_installed_from(
    started: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _promoted(started)
    started.release()
    monkeypatch.chdir(tmp_path)

    built = started.build("public")
    published = started.publish("served")
    installed = started.install("./served@dates")

    assert built.ok
    assert published.publication is not None
    assert published.publication.data["digest"] == built.digest
    assert [skill.name for skill in installed.skills] == ["dates"]
    assert "name: dates" in (tmp_path / ".agents/skills/dates/SKILL.md").read_text()


def test_a_rollout_is_checked_changed_and_decided(
    started: Library, library: LibraryFolder
) -> None:
    first = _promoted(started)
    path = library.root / "skills/dates/SKILL.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nSkip the header.\n")
    second = _promoted(started)
    started.record("dates", "k", "success", verified_by="test")

    [check] = started.canary("dates").checks
    assert (check.judgement.rollout.stable, check.judgement.rollout.canary) == (
        first,
        second,
    )
    assert started.canary().checks == (check,)
    assert started.canary("csv-tables").version
    assert started.set_canary("dates", 50).judgement.rollout.share == 50
    with pytest.raises(RequestError, match="the share is 500"):
        started.set_canary("dates", 500)
    with pytest.raises(RequestError, match="no rollout state 'odd'"):
        started.decide_canary("dates", "odd")  # type: ignore[arg-type]
    assert not started.canary().problems
    paused = started.decide_canary("dates", RolloutState.PAUSED, "Holidays")
    assert paused.judgement.rollout.why == "Holidays"


def test_invalid_values_are_errors_of_ours(started: Library) -> None:
    long = "x" * 5000

    with pytest.raises(RequestError, match="`outcome` is 'maybe'"):
        started.record("csv-tables", "k", "maybe")
    with pytest.raises(RequestError, match="no origin 'odd'"):
        started.propose("dates", why="", origin="odd")
    with pytest.raises(RequestError, match="no such file or folder"):
        started.install(long)
    with pytest.raises(SkillforgeError):
        started.verify(to=long)


def test_statistics_are_values(started: Library) -> None:
    version = _promoted(started)
    started.record("dates", "a", "success", verified_by="test")
    started.record("dates", "b", "failure", verified_by="test")

    report = started.stats("dates")

    [skill] = report.skills
    assert (skill.name, skill.total.uses, skill.keys) == ("dates", 2, 2)
    assert skill.total.observed == 0.5
    assert list(skill.versions) == [version]
    assert started.stats().skills == report.skills
    with pytest.raises(RequestError, match="has no skill 'date'"):
        started.stats("date")


def _promoted(library: Library) -> str:
    outcome = library.propose("dates", why="A header was lost")
    assert outcome.proposal is not None
    library.approve(outcome.proposal.number, by=RITA)
    return library.promote(outcome.proposal.number).version


def test_cases_are_tried(started: Library, library: LibraryFolder) -> None:
    case = "name: counts\nrun: [python3, -c, print(1)]\nexpect: {stdout: '2'}\n"
    library.write("skills/dates/tests/counts.yaml", case)

    tested = started.test("dates")

    assert [trial.case for trial in tested.trials] == ["counts"]
    assert not tested.ok


def test_every_command_has_a_method() -> None:
    methods = {name for name in dir(Library) if not name.startswith("_")}
    front_ends = {"demo", "completion", "mcp", "hook"}
    other_names = {
        "list": "skills",
        "report": "post_report",
        "promoted": "record_merges",
    }
    commands = {name for stage in COMMANDS.values() for name in stage}

    for command in commands - front_ends:
        assert other_names.get(command, command.replace("-", "_")) in methods


def test_a_library_is_created_and_checked(tmp_path: Path) -> None:
    created = Library.init(tmp_path / "new")

    assert created.new("date-forms").path == "skills/date-forms/SKILL.md"
    assert created.check("changelog-entry").validation.ok
    assert any(item.name == "git" and item.ok for item in created.doctor().items)
    assert created.rules("yaml-colon").rows[0]["id"] == "yaml-colon"
    assert not created.fix().fixes


def test_skills_are_shown_within_a_budget(started: Library) -> None:
    version = _promoted(started)

    assert started.show("dates").tree == version
    assert b"# One form for days" in started.read_file("dates", "SKILL.md")
    catalog = started.catalog(200)
    assert "dates: Brings" in catalog.text
    assert catalog.tokens <= 200


def test_a_proposal_is_reviewed_refreshed_and_closed(started: Library) -> None:
    proposal = started.propose("dates", why="A header was lost").proposal
    assert proposal is not None

    started.comment(proposal.number, "Which header?", by=RITA)
    brief = started.review(proposal.number)

    assert [comment.text for comment in brief.proposal.comments] == ["Which header?"]
    assert started.gate_branch("main", proposal.head).head == proposal.head
    assert started.close(proposal.number, "Not needed").state == "closed"
    assert started.refine().refinements == ()


def test_a_skill_is_pinned_synced_and_removed(started: Library, tmp_path: Path) -> None:
    _promoted(started)

    synced = started.sync(tmp_path / "agent", "session-7")
    pinned = started.pin("dates", "Needed for the audit")
    removal = started.propose_removal("csv-tables", "Nobody uses it")

    assert synced.result.ok
    assert (tmp_path / "agent/dates/SKILL.md").is_file()
    assert pinned is not None
    assert pinned.proposal is not None
    assert removal.proposal is not None
    assert started.unpin("csv-tables") is None
    assert not started.curate("dates").report.findings
    assert started.why("dates").versions[0].skill == "dates"
    assert [found.name for found in started.health("dates").checkups] == ["dates"]


def test_a_folder_without_a_library_is_reported() -> None:
    with pytest.raises(RequestError, match="not in a skill library"):
        Library.open("/")


def test_the_name_is_imported_only_when_it_is_asked_for() -> None:
    code = (
        "import sys, skillforge; before = 'skillforge.api' in sys.modules;"
        "from skillforge import Library; print(before, Library.__module__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "skillforge.api.library"]


def test_a_missing_attribute_raises_the_usual_error() -> None:
    import skillforge

    with pytest.raises(AttributeError, match="no attribute 'Libary'"):
        _ = skillforge.Libary


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_what_pages_show_runs(
    page: str, library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.git("rm", "--quiet", "-r", "skills/pdf-tables")
    library.git("commit", "--quiet", "--amend", "--message", "Start")
    skill = library.root / "skills/csv-tables/SKILL.md"
    skill.write_text(skill.read_text(encoding="utf-8") + "\nKeep the header.\n")
    text = (Path(__file__).parents[1] / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(library.root)

    for block in blocks:
        exec(block, {})

    assert len(blocks) == 1
    assert "Keep the header" in library.git("show", "main:skills/csv-tables/SKILL.md")


def test_sessions_become_a_skill(started: Library, tmp_path: Path) -> None:
    runs = tmp_path / "runs.jsonl"
    runs.write_bytes(demo_files()["transcripts/runs.jsonl"])

    assert started.capture(runs).ok
    approved = started.approve_examples(by="Rita <rita@example.org>")
    assert approved.status == "approved"
    assert len(started.examples("approved").examples) == len(approved.examples)
    assert started.example(approved.examples[0].id).example.review.status == "approved"
    match = started.patterns().patterns[0]
    assert started.pattern(match.pattern.id).match.pattern.id == match.pattern.id
    drafted = started.draft(match.pattern.id)
    assert drafted.ok
    assert started.propose_draft(drafted).proposal is not None
    assert started.brief(match.pattern.id)
    assert started.export(tmp_path / "export").digests


def test_known_findings_are_recorded_and_waived(started: Library) -> None:
    first = started.baseline()

    assert started.baseline().known == first.known
    with pytest.raises(RequestError):
        started.waive("fetch-and-run", "dates", "There is no such finding.")
