"""The steps of the demo: commands as a user types them, and what they must show."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

_LEARNED = "export-table"
_RITA = "--approve --as 'Rita <rita@example.org>'"
_ID = r"[0-9a-f]{12}"


class DemoStep(NamedTuple):
    """A command, and what makes it as told.

    `shows` are patterns that its output must hold. What their named groups match can
    stand in the lines of later steps: `{name}`.
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
    """The story, for a folder that holds what `resources.demo_files` names.

    The library is made in `library`; all else lies beside it.
    """
    from skillforge import sandbox

    box, why_not = sandbox.choose()
    yield Chapter("Set up", _setting_up())
    yield Chapter("Learn from what agents did", _learning())
    yield Chapter("Propose", _proposing())
    yield Chapter("The gate refuses a poisoned draft", _refusing_poison())
    if box is None:
        yield Chapter("No sandbox here", _proving_nothing(why_not))
    else:
        yield Chapter("The gate refuses what fails on held-out examples", _proving())
    again = _trying_again() if box else []
    yield Chapter("A reviewer approves, and a merge promotes", _reviewing() + again)
    yield Chapter("A worse edit is caught in use", _worsening(root))
    yield Chapter("History tells the story", _looking_back())
    yield Chapter("Share", _sharing())


def _setting_up() -> list[DemoStep]:
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


def _learning() -> list[DemoStep]:
    """From what agents did, several times, to what repeats in it."""
    return [*_capturing(), *_finding_patterns()]


def _capturing() -> list[DemoStep]:
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
            "Claude Code does not say how a session ended. Rita read these seven.",
            "skillforge capture ../transcripts/sessions --reviewed-by Rita "
            "--outcome success",
            shows=("kept 7 examples", "redacted: .*secret"),
        ),
        DemoStep(
            "And six that people wrote down.",
            "skillforge capture ../transcripts/notes.jsonl --reviewed-by Rita",
            shows=("kept 6 examples",),
        ),
        DemoStep(
            "What is left of a run: no address, no home folder, no password.",
            "skillforge examples show {invoices}",
            shows=("<EMAIL_1>", "/home/<USER_1>", "<CREDENTIALS_1>@"),
        ),
    ]


def _finding_patterns() -> list[DemoStep]:
    return [
        DemoStep(
            "Nothing is learned from what nobody approved.",
            "skillforge examples approve --all-verified --as Rita",
            shows=("approved 12 examples", "1 example not approved"),
        ),
        DemoStep(
            "That one holds text that wants to be obeyed. Rita looks, and says no.",
            "skillforge examples reject {suspect} --as Rita "
            "--reason 'A row of the table gives orders'",
            shows=("rejected 1 example",),
        ),
        DemoStep(
            "Three tasks repeat. What happened once stays out.",
            "skillforge patterns",
            shows=(
                rf"(?P<export>{_ID}) .*8 sessions, 6 successes .*Export",
                rf"(?P<archive>{_ID}) .*6 sessions, 6 successes .*Archive",
                rf"(?P<update>{_ID}) .*6 sessions, 6 successes .*Update",
                "3 patterns; 5 examples in no pattern yet",
            ),
        ),
    ]


def _proposing() -> list[DemoStep]:
    """A pattern becomes a skill."""
    return [
        DemoStep(
            "A pattern becomes a draft, without a model. Failures teach its pitfalls.",
            f"skillforge draft {{export}} --name {_LEARNED} --dry-run",
            shows=("## Failure handling", "Do not skip `read_file`: 2 of 2"),
        ),
        DemoStep(
            "The draft becomes a branch and a proposal.",
            f"skillforge draft {{export}} --name {_LEARNED} --propose",
            shows=(f"proposal 1: Add {_LEARNED}",),
        ),
        DemoStep(
            "The gate judges it by the policy of main.",
            "skillforge gate 1",
            shows=("passed +evidence", "gate passed"),
        ),
    ]


def _refusing_poison() -> list[DemoStep]:
    return [
        DemoStep(
            "A skill from a forum: it reports on disks, and has a second purpose.",
            "skillforge propose ../drafts/disk-report --why 'It was praised'",
            shows=("proposal 2: Add disk-report",),
        ),
        DemoStep(
            "The gate says what it found, and on which line.",
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
            "skillforge close 2 --why 'It sends a key away'",
            shows=("closed proposal 2",),
        ),
    ]


def _proving() -> list[DemoStep]:
    """A script that works where its author looked."""
    return [
        DemoStep(
            "Any program may rewrite a draft. This agent adds a script, in a hurry.",
            "skillforge draft {archive} --name archive-log --agent hasty-agent "
            "--propose",
            shows=("proposal 3: Add archive-log",),
        ),
        DemoStep(
            "The gate tries it, in a sandbox, with examples that the agent never saw.",
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
            "skillforge close 3 --why 'Wrong for days of one digit'",
            shows=("closed proposal 3",),
        ),
    ]


def _proving_nothing(why_not: str) -> list[DemoStep]:
    """Without a sandbox no script is tried, and none gets through."""
    return [
        DemoStep(
            f"This machine has none ({why_not}).\n"
            "An agent's script cannot be tried with the examples held out from it.",
            "skillforge draft {archive} --name archive-log --agent careful-agent "
            "--propose",
            shows=("proposal 3: Add archive-log",),
        ),
        DemoStep(
            "Not run is never passed.",
            "skillforge gate 3",
            1,
            ("FAILED +test", "trial-not-run", "gate failed"),
        ),
        DemoStep(
            "",
            "skillforge close 3 --why 'There is no sandbox to try it in'",
            shows=("closed proposal 3",),
        ),
        DemoStep("What is missing, and how to get it.", "skillforge doctor"),
    ]


def _reviewing() -> list[DemoStep]:
    return [
        DemoStep(
            "Nobody approves their own work.",
            "skillforge review 1 --approve",
            4,
            ("cannot approve it",),
        ),
        DemoStep(
            "Rita does, of exactly these bytes.",
            f"skillforge review 1 {_RITA}",
            shows=("approved proposal 1",),
        ),
        DemoStep(
            "A merge is the promotion.",
            "skillforge promote 1",
            shows=("proposal 1 merged into main",),
        ),
    ]


def _trying_again() -> list[DemoStep]:
    """The refused script, fixed."""
    return [
        DemoStep(
            "The agent tries again, with more care.",
            "skillforge draft {archive} --name archive-log --agent careful-agent "
            "--propose",
            shows=("proposal 4: Add archive-log",),
        ),
        DemoStep("", "skillforge gate 4", shows=("passed +test", "gate passed")),
        DemoStep("", f"skillforge review 4 {_RITA}", shows=("approved proposal 4",)),
        DemoStep("", "skillforge promote 4", shows=("proposal 4 merged into main",)),
    ]


def _worsening(root: Path) -> list[DemoStep]:
    """A worse version gets through, and is caught in use."""
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
            "Somebody drops the check at the end. It reads well, and passes.",
            f"skillforge propose ../drafts/{_LEARNED} --why 'Checks take time'",
            shows=(rf"proposal (?P<worse>\d+): Edit {_LEARNED}",),
            before=worsen,
        ),
        DemoStep(
            "", f"skillforge review {{worse}} {_RITA}", shows=("approved proposal",)
        ),
        DemoStep(
            "But only one key in ten gets it for now.",
            "skillforge promote {worse}",
            shows=("merged into main", "10 % of keys get it first"),
        ),
        DemoStep(
            "Agents use both versions, and tests tell how it went (simulated here).",
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
            "Rita takes it back, byte for byte.",
            f"skillforge review {{back}} {_RITA}",
            shows=("approved proposal",),
        ),
        DemoStep("", "skillforge promote {back}", shows=(f"Roll back {_LEARNED} to",)),
    ]


def _uses(library: Path) -> str:
    """What 400 keys would report: the new version fails six times as often."""
    from skillforge.library import Library
    from skillforge.model import Arm
    from skillforge.operate import assignment

    opened = Library.open(library)
    often = {Arm.CANARY: 2, Arm.STABLE: 12}
    seen: Counter[Arm] = Counter()
    lines = []
    for number in range(400):
        key = f"session-{number}"
        arm = assignment.assigned(opened, _LEARNED, key).arm
        seen[arm] += 1
        outcome = "success" if seen[arm] % often[arm] else "failure"
        said = {"skill": _LEARNED, "key": key, "outcome": outcome}
        lines.append(json.dumps(said | {"verified_by": "test"}) + "\n")
    return "".join(lines)


def _looking_back() -> list[DemoStep]:
    return [
        DemoStep(
            "Which versions there were.",
            f"skillforge log {_LEARNED}",
            shows=("rollback, proposal", "reverted by", "create, proposal 1"),
        ),
        DemoStep(
            "Why there was each of them.",
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


def _sharing() -> list[DemoStep]:
    """A tag publishes; anybody installs from what it makes."""
    return [
        DemoStep(
            "A release is a tag on main.",
            "skillforge release 1.0.0",
            shows=("released v1.0.0",),
        ),
        DemoStep(
            "It becomes a hub, the same bytes anywhere.",
            "skillforge build v1.0.0 --out ../hub",
            shows=("SHA256SUMS sha256:",),
        ),
        DemoStep("", "cd .."),
        DemoStep(
            "Whoever installs from it checks, scans and locks what came.",
            f"skillforge install ./hub@{_LEARNED} --to installed",
            shows=(f"installed {_LEARNED}",),
        ),
        DemoStep("", "skillforge verify --to installed", shows=("no differences",)),
    ]
