"""The steps of the demo: commands as a user types them, and the expected output."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from skillforge import workflows
from skillforge.model import Arm

_LEARNED = "export-table"
_RITA = "--approve --as 'Rita <rita@example.org>'"
_ID = r"[0-9a-f]{12}"


class DemoStep(NamedTuple):
    """A command, and how it should end.

    Its output must match the patterns in `shows`. Later steps can use the values of
    their named groups: `{name}`.
    """

    say: str
    line: str
    exit_code: int = 0
    shows: tuple[str, ...] = ()
    before: Callable[[], None] = lambda: None


class Chapter(NamedTuple):
    """Steps under one heading."""

    title: str
    steps: list[DemoStep]


def chapters(root: Path) -> Iterator[Chapter]:
    """All steps, for a folder with the files of `resources.demo_files`.

    The library is created in its folder `library`.
    """
    problem = workflows.test.sandbox_problem()
    yield Chapter("Set up", _set_up())
    yield Chapter("Learn from agents' sessions", [*_capture(), *_find_patterns()])
    yield Chapter("Propose", _propose())
    yield Chapter("The gate refuses a poisoned draft", _refuse_poison())
    if problem:
        yield Chapter("No sandbox on this machine", _refuse_untested(problem))
    else:
        yield Chapter(
            "The gate refuses a draft that fails its tests", _refuse_failing()
        )
    retry = [] if problem else _retry()
    yield Chapter("A reviewer approves, and the skill is promoted", _review() + retry)
    yield Chapter("A worse edit is detected in use", _worsen(root))
    yield Chapter("History explains every version", _read_history())
    yield Chapter("Share", _share())


def _set_up() -> list[DemoStep]:
    return [
        DemoStep("", "git init --quiet --initial-branch=main library"),
        DemoStep("", "cd library"),
        DemoStep("You are Ada.", "git config user.name Ada"),
        DemoStep("", "git config user.email ada@example.org"),
        DemoStep(
            "A library is a git repository.", "skillforge init", shows=("wrote ",)
        ),
        DemoStep("", "git add --all"),
        DemoStep("", "git commit --quiet --message Start"),
    ]


def _capture() -> list[DemoStep]:
    return [
        DemoStep(
            "Thirteen runs that a verifier checked. Private data is redacted first.",
            "skillforge capture ../transcripts/runs.jsonl",
            shows=(
                rf"(?P<invoices>{_ID}) .*invoices",
                rf"(?P<suspect>{_ID}) .*vouchers.*!",
                "skipped 3: failed; kept for comparison",
                "redacted: 1 credentials, .*email",
            ),
        ),
        DemoStep(
            "Claude Code does not record outcomes. Rita reviewed these seven sessions.",
            "skillforge capture ../transcripts/sessions --reviewed-by Rita "
            "--outcome success",
            shows=("kept 7 examples", "redacted: .*secret"),
        ),
        DemoStep(
            "Six more runs, written down by people.",
            "skillforge capture ../transcripts/notes.jsonl --reviewed-by Rita",
            shows=("kept 6 examples",),
        ),
        DemoStep(
            "A run as it is stored: no address, no home folder, no password.",
            "skillforge examples show {invoices}",
            shows=("<EMAIL_1>", "/home/<USER_1>", "<CREDENTIALS_1>@"),
        ),
    ]


def _find_patterns() -> list[DemoStep]:
    return [
        DemoStep(
            "Only approved examples count. Verified ones can be approved together.",
            "skillforge examples approve --all-verified --as Rita",
            shows=("approved 12 examples", "1 example not approved"),
        ),
        DemoStep(
            "The last one contains instructions aimed at the agent. Rita rejects it.",
            "skillforge examples reject {suspect} --as Rita "
            "--reason 'A table row contains instructions'",
            shows=("rejected 1 example",),
        ),
        DemoStep(
            "Three tasks repeat. One-off tasks are not in a pattern.",
            "skillforge patterns",
            shows=(
                rf"(?P<export>{_ID}) .*8 sessions, 6 successes .*Export",
                rf"(?P<archive>{_ID}) .*6 sessions, 6 successes .*Archive",
                rf"(?P<update>{_ID}) .*6 sessions, 6 successes .*Update",
                "3 patterns; 5 examples not in a pattern",
            ),
        ),
    ]


def _propose() -> list[DemoStep]:
    """Turn a pattern into a skill."""
    return [
        DemoStep(
            "Draft a skill from a pattern, without a model. Failures become pitfalls.",
            f"skillforge draft {{export}} --name {_LEARNED} --dry-run",
            shows=("## Failure handling", "Do not skip `read_file`: 2 of 2"),
        ),
        DemoStep(
            "Commit the draft on a branch, and open a proposal.",
            f"skillforge draft {{export}} --name {_LEARNED} --propose",
            shows=(f"proposal 1: Add {_LEARNED}",),
        ),
        DemoStep(
            "The gate checks it against main's policy.",
            "skillforge gate 1",
            shows=("passed +evidence", "gate passed"),
        ),
    ]


def _refuse_poison() -> list[DemoStep]:
    return [
        DemoStep(
            "A skill from a forum reports disk usage. It also steals an SSH key.",
            "skillforge propose ../drafts/disk-report --why 'Recommended on a forum'",
            shows=("proposal 2: Add disk-report",),
        ),
        DemoStep(
            "The gate reports each finding with its line.",
            "skillforge gate 2",
            1,
            (
                r"error: .*\[hidden-instruction\]",
                r"error: reads secrets.*\[secret-to-network\]",
                "gate failed",
            ),
        ),
        DemoStep(
            "",
            "skillforge close 2 --why 'It steals a key'",
            shows=("closed proposal 2",),
        ),
    ]


def _refuse_failing() -> list[DemoStep]:
    """A script that works only on the examples its author saw."""
    return [
        DemoStep(
            "Any program can rewrite a draft. This agent adds a hasty script.",
            "skillforge draft {archive} --name archive-log --agent hasty-agent "
            "--propose",
            shows=("proposal 3: Add archive-log",),
        ),
        DemoStep(
            "The gate runs it in a sandbox, on examples that the agent never saw.",
            "skillforge gate 3",
            1,
            (
                "FAILED +test",
                r"held out \[example .*expected '.*-0\d.log.gz', got .*trial-failed",
                "gate failed",
            ),
        ),
        DemoStep(
            "",
            "skillforge close 3 --why 'Wrong for single-digit days'",
            shows=("closed proposal 3",),
        ),
    ]


def _refuse_untested(problem: str) -> list[DemoStep]:
    """Without a sandbox, no script runs and none passes."""
    return [
        DemoStep(
            f"This machine has no sandbox ({problem}).\n"
            "So an agent's script can't be tested on its held-out examples.",
            "skillforge draft {archive} --name archive-log --agent careful-agent "
            "--propose",
            shows=("proposal 3: Add archive-log",),
        ),
        DemoStep(
            "A test that didn't run never counts as passed.",
            "skillforge gate 3",
            3,
            ("NOT RUN +test", "trial-not-run", "gate failed"),
        ),
        DemoStep(
            "",
            "skillforge close 3 --why 'No sandbox to test it in'",
            shows=("closed proposal 3",),
        ),
        DemoStep("See what is missing, and how to install it.", "skillforge doctor"),
    ]


def _review() -> list[DemoStep]:
    return [
        DemoStep(
            "Authors can't approve their own work.",
            "skillforge review 1 --approve",
            4,
            ("can't approve it",),
        ),
        DemoStep(
            "Rita approves exactly these bytes.",
            f"skillforge review 1 {_RITA}",
            shows=("approved proposal 1",),
        ),
        DemoStep(
            "Merging it promotes the skill.",
            "skillforge promote 1",
            shows=("proposal 1 merged into main",),
        ),
    ]


def _retry() -> list[DemoStep]:
    """Propose the refused script again, fixed."""
    return [
        DemoStep(
            "A more careful agent fixes the script.",
            "skillforge draft {archive} --name archive-log --agent careful-agent "
            "--propose",
            shows=("proposal 4: Add archive-log",),
        ),
        DemoStep("", "skillforge gate 4", shows=("passed +test", "gate passed")),
        DemoStep("", f"skillforge review 4 {_RITA}", shows=("approved proposal 4",)),
        DemoStep("", "skillforge promote 4", shows=("proposal 4 merged into main",)),
    ]


def _worsen(root: Path) -> list[DemoStep]:
    """Promote a worse version, which its rollout then detects."""
    edited = root / "drafts" / _LEARNED / "SKILL.md"

    def worsen() -> None:
        good = root / "library" / "skills" / _LEARNED / "SKILL.md"
        text = good.read_text(encoding="utf-8")
        start, end = text.index("## Verification"), text.index("## Pitfalls")
        bad = f"{text[:start]}## Verification\n\n- It will be fine.\n\n{text[end:]}"
        edited.parent.mkdir()
        edited.write_text(bad, encoding="utf-8")

    def write_uses() -> None:
        (root / "uses.jsonl").write_text(_uses(root / "library"), encoding="utf-8")

    return [
        DemoStep(
            "An edit drops the verification step. It looks fine and passes the gate.",
            f"skillforge propose ../drafts/{_LEARNED} --why 'Checks take time'",
            shows=(rf"proposal (?P<worse>\d+): Edit {_LEARNED}",),
            before=worsen,
        ),
        DemoStep(
            "", f"skillforge review {{worse}} {_RITA}", shows=("approved proposal",)
        ),
        DemoStep(
            "At first, only one key in ten gets it.",
            "skillforge promote {worse}",
            shows=("merged into main", "10% of keys get it first"),
        ),
        DemoStep(
            "Agents use both versions, and tests verify the outcomes (simulated here).",
            "skillforge record < ../uses.jsonl",
            shows=(
                "recorded 400 uses",
                "closed: every key gets",
                "roll-back: fails more often",
                r"rollback: proposal (?P<back>\d+)",
            ),
            before=write_uses,
        ),
        DemoStep(
            "Rita approves the rollback, byte for byte.",
            f"skillforge review {{back}} {_RITA}",
            shows=("approved proposal",),
        ),
        DemoStep("", "skillforge promote {back}", shows=(f"Roll back {_LEARNED} to",)),
    ]


def _uses(library: Path) -> str:
    """Reports of 400 keys, as JSON lines: the new version fails six times as often."""
    opened = workflows.workspaces.open_library(library)
    failure_period = {Arm.CANARY: 2, Arm.STABLE: 12}
    counts: Counter[Arm] = Counter()
    lines = []
    for number in range(400):
        key = f"session-{number}"
        arm = workflows.use.assign(opened, _LEARNED, key).arm
        counts[arm] += 1
        outcome = "success" if counts[arm] % failure_period[arm] else "failure"
        report = {"skill": _LEARNED, "key": key, "outcome": outcome}
        lines.append(json.dumps(report | {"verified_by": "test"}) + "\n")
    return "".join(lines)


def _read_history() -> list[DemoStep]:
    return [
        DemoStep(
            "All versions of a skill.",
            f"skillforge log {_LEARNED}",
            shows=("rollback, proposal", "reverted by", "create, proposal 1"),
        ),
        DemoStep(
            "The reason for each version.",
            f"skillforge why {_LEARNED}",
            shows=(
                "reason: Learned from 6 verified successes and 2 failures",
                "reason: Checks take time",
                "reason: The canary .* was closed",
            ),
        ),
        DemoStep(
            "Nothing reached main unreviewed.",
            "skillforge audit",
            shows=("audit passed",),
        ),
    ]


def _share() -> list[DemoStep]:
    """Release the library, build its hub, and install from it."""
    return [
        DemoStep(
            "A release is a tag on main.",
            "skillforge release 1.0.0",
            shows=("released v1.0.0",),
        ),
        DemoStep(
            "The hub of a release has the same bytes on any machine.",
            "skillforge build v1.0.0 --out ../hub",
            shows=("SHA256SUMS sha256:",),
        ),
        DemoStep("", "cd .."),
        DemoStep(
            "An installation is checked, scanned and locked.",
            f"skillforge install ./hub@{_LEARNED} --to installed",
            shows=(f"installed {_LEARNED}",),
        ),
        DemoStep("", "skillforge verify --to installed", shows=("no differences",)),
    ]
