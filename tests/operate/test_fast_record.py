"""The fast way to record gives the same result as the full one, or defers to it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from skillforge.model import Arm, OutcomeSource, OutcomeStatus, Use
from skillforge.operate import assignment, fast_record
from skillforge.operate.use_reports import UseReport
from skillforge.store import Uses
from tests.operate.conftest import NAME, Field

PLAIN = ("record", NAME, "--outcome", "success")


def at_once(field: Field, key: str = "k", **answer: Any) -> Use | None:
    report = UseReport(NAME, key, OutcomeStatus.SUCCESS, **answer)
    done = fast_record.record(str(field.folder.root), report)
    return done.uses[0] if done else None


def recorded(field: Field) -> list[Use]:
    return [use for _, use in Uses.of(field.folder.root / ".git").after(0)]


@pytest.fixture
def known(field: Field) -> Field:
    """A library where a use was recorded before."""
    field.ok(*PLAIN, "--key", "first")
    return field


def test_the_first_use_asks_git_and_the_next_ones_do_not(
    field: Field, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert at_once(field) is None
    field.ok(*PLAIN, "--key", "first")

    monkeypatch.setenv("PATH", "/nowhere")
    answer = field.ok(*PLAIN, "--key", "next", "--verified-by", "test", "--seconds", 2)

    assert answer["recorded"] == 1
    monkeypatch.undo()
    first, second = recorded(field)
    assert second.version == first.version == field.tree(NAME)
    assert (second.source, second.seconds) == (OutcomeSource.TEST, 2.0)


def test_both_ways_keep_the_same(known: Field) -> None:
    key = ("--key", "k", "--id", "one", "--tokens", "5", "--not-loaded")
    use = at_once(known, "k", id="two", tokens=5, is_loaded=False)
    Uses.of(known.folder.root / ".git").set_fact(fast_record._fact_name(NAME), "")
    known.ok(*PLAIN, *key)

    assert use is not None
    careful = recorded(known)[-1]
    assert use._replace(id="one", at=careful.at) == careful


def test_a_new_version_is_used_at_once(known: Field) -> None:
    known.policy("checks: [validate]\ncanary: {start: none}\n")
    before = known.tree(NAME)
    known.land(NAME, "headers", "first")

    assert at_once(known) is None  # main has moved
    answer = known.ok(*PLAIN, "--key", "k")
    assert answer["uses"][0]["version"] == known.tree(NAME) != before
    use = at_once(known)
    assert use is not None
    assert use.version == known.tree(NAME)


def test_keys_of_a_rollout_get_their_arm(known: Field) -> None:
    known.policy("checks: [validate]\ncanary: {share: 50}\n")
    known.ok(*PLAIN, "--key", "again")
    known.land(NAME, "headers", "first")

    for arm in Arm:
        [key] = known.keys(arm, 1)
        for _ in range(2):
            assert at_once(known, key) is None
            answer = known.ok(*PLAIN, "--key", key)
            assert answer["uses"][0]["arm"] == arm


def test_an_assigned_version_counts_after_main_moved(rolling: Field) -> None:
    [key] = rolling.keys(Arm.CANARY, 1)
    assigned = rolling.ok("use", NAME, "--key", key)

    use = at_once(rolling, key)

    assert use is not None
    assert (use.version, use.arm, use.is_vote) == (assigned["version"], "canary", False)


def test_a_use_that_decides_is_left_to_the_careful_way(rolling: Field) -> None:
    [key] = rolling.keys(Arm.CANARY, 1)
    rolling.ok("use", NAME, "--key", key)

    assert at_once(rolling, key, source=OutcomeSource.TEST) is None
    assert not recorded(rolling)


@pytest.mark.parametrize("field_name", ["note", "pitfall", "version", "at"])
def test_uncommon_reports_are_left_to_the_full_recorder(
    known: Field, field_name: str
) -> None:
    value: Any = 1_700_000_000 if field_name == "at" else "1" * 40

    assert at_once(known, **{field_name: value}) is None


def test_a_library_with_a_remote_asks_where_main_is(known: Field) -> None:
    assert at_once(known) is not None
    known.folder.git("remote", "add", "origin", "https://example.invalid/x.git")

    assert at_once(known) is None


def test_nothing_is_written_down_that_changed_meanwhile(known: Field) -> None:
    git_dir = str(known.folder.root / ".git")
    uses = Uses.of(git_dir)
    uses.set_fact(fast_record._fact_name(NAME), "")
    before = fast_record.ref_state(git_dir, NAME, "main")
    known.folder.git("commit", "--allow-empty", "-m", "Meanwhile")
    assigned = assignment.assigned(known.folder.library, NAME, "k")

    fast_record.save_fact(
        uses, before, fast_record.ref_state(git_dir, NAME, "main"), assigned
    )

    assert uses.fact(fast_record._fact_name(NAME)) == ""


def test_the_quick_way_imports_little(known: Field) -> None:
    """Modules that are slow to import are not imported to record a use."""
    code = (
        "import sys; from skillforge.cli import run;"
        f"run(['record', {NAME!r}, '--key', 'k', '--outcome', 'success',"
        f" '--library', {str(known.folder.root)!r}]);"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    heavy = {"subprocess", "pathlib", "json", "skillforge.library", "skillforge.policy"}
    assert done.stdout == "recorded 1 use\n"
    assert heavy.isdisjoint(done.stderr.split())


def test_a_missing_library_is_left_to_the_full_recorder(tmp_path: Path) -> None:
    assert fast_record.record(str(tmp_path), UseReport(NAME, "k")) is None
