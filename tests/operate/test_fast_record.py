"""The quick way to record says the same as the careful one, or leaves it to that."""

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


def at_once(field: Field, key: str = "k", **said: Any) -> Use | None:
    report = UseReport(NAME, key, OutcomeStatus.SUCCESS, **said)
    done = fast_record.record(str(field.folder.root), report)
    return done.uses[0] if done else None


def kept(field: Field) -> list[Use]:
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
    said = field.ok(*PLAIN, "--key", "next", "--verified-by", "test", "--seconds", 2)

    assert said["recorded"] == 1
    monkeypatch.undo()
    one, two = kept(field)
    assert two.version == one.version == field.tree(NAME)
    assert (two.source, two.seconds) == (OutcomeSource.TEST, 2.0)


def test_both_ways_keep_the_same(known: Field) -> None:
    key = ("--key", "k", "--id", "one", "--tokens", "5", "--not-loaded")
    use = at_once(known, "k", id="two", tokens=5, is_loaded=False)
    Uses.of(known.folder.root / ".git").set_fact(fast_record._fact_name(NAME), "")
    known.ok(*PLAIN, *key)

    assert use is not None
    careful = kept(known)[-1]
    assert use._replace(id="one", at=careful.at) == careful


def test_a_new_version_is_seen_at_once(known: Field) -> None:
    known.policy("checks: [validate]\ncanary: {start: none}\n")
    before = known.tree(NAME)
    known.land(NAME, "headers", "first")

    assert at_once(known) is None  # main has moved
    said = known.ok(*PLAIN, "--key", "k")
    assert said["uses"][0]["version"] == known.tree(NAME) != before
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
            said = known.ok(*PLAIN, "--key", key)
            assert said["uses"][0]["arm"] == arm


def test_what_was_handed_out_counts_whatever_main_holds_now(rolling: Field) -> None:
    [key] = rolling.keys(Arm.CANARY, 1)
    given = rolling.ok("use", NAME, "--key", key)

    use = at_once(rolling, key)

    assert use is not None
    assert (use.version, use.arm, use.is_vote) == (given["version"], "canary", False)


def test_a_use_that_decides_is_left_to_the_careful_way(rolling: Field) -> None:
    [key] = rolling.keys(Arm.CANARY, 1)
    rolling.ok("use", NAME, "--key", key)

    assert at_once(rolling, key, source=OutcomeSource.TEST) is None
    assert not kept(rolling)


@pytest.mark.parametrize("said", ["note", "pitfall", "version", "at"])
def test_what_has_to_be_looked_at_is_left_to_the_careful_way(
    known: Field, said: str
) -> None:
    value: Any = 1_700_000_000 if said == "at" else "1" * 40

    assert at_once(known, **{said: value}) is None


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
    given = assignment.assigned(known.folder.library, NAME, "k")

    fast_record.save_fact(
        uses, before, fast_record.ref_state(git_dir, NAME, "main"), given
    )

    assert uses.fact(fast_record._fact_name(NAME)) == ""


def test_the_quick_way_imports_little(known: Field) -> None:
    """What takes longer to import than to record a use is not imported for it."""
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


def test_no_library_is_told_as_ever(tmp_path: Path) -> None:
    assert fast_record.record(str(tmp_path), UseReport(NAME, "k")) is None
