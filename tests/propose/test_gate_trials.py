"""The gate's check `test`: a skill proves itself before anyone approves it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checks.cases import changes
from tests.conftest import Ran
from tests.forks import run_changed
from tests.propose.conftest import REVIEWER, Loop

CHECKS = "checks: [validate, scan, overlap, test]\n"  # what is behind it is its own
AGENT = ("--origin", "agent-foreground")
SCRIPT = "import sys; print(sys.argv[1].upper())\n"
CASE = "run: [python3, scripts/up.py, abc]\nexpect: {stdout: ABC}\n"
TABLE = (
    "run: [python3, scripts/up.py, '{{ word }}']\nexpect: {stdout: '{{ upper }}'}\n"
    "variants: [{word: a, upper: A}, {word: bc, upper: BC}]\n"
)
REPLAY = (
    "run: [python3, scripts/up.py, '{{ inputs.word }}']\n"
    "expect: {stdout: '{{ output }}'}\n"
)


class Judge:
    """Propose a skill with some files, and ask the gate."""

    def __init__(self, loop: Loop, folder: Path) -> None:
        self.loop = loop
        self.folder = folder

    def change(self, name: str, other: Callable[..., object]) -> None:
        """Have every command run in a process where a name stands for another thing."""

        def run(*arguments: str) -> Ran:
            return Ran(*run_changed({name: other}, arguments))

        self.loop = Loop(self.loop.folder, run)

    def propose(self, files: dict[str, str], *options: object) -> int:
        draft = self.loop.draft(self.folder, "upper-case")
        shutil.rmtree(draft)
        draft = self.loop.draft(self.folder, "upper-case")
        for path, text in files.items():
            file = draft / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        number: int = self.loop.ok("propose", draft, *options)["proposal"]
        return number

    def __call__(
        self, files: dict[str, str], *options: object
    ) -> tuple[bool, set[str]]:
        """Whether it passes, and by which errors it does not."""
        data = self.loop("gate", self.propose(files, *options), "--json").data
        errors = [f for f in data["findings"] if f["severity"] == "error"]
        return data["passed"], {finding["rule"] for finding in errors}


@pytest.fixture
def judge(loop: Loop, tmp_path: Path) -> Judge:
    loop.policy(CHECKS)
    return Judge(loop, tmp_path / "judged")


def test_prose_needs_no_cases(judge: Judge, loop: Loop) -> None:
    assert judge({}) == (True, set())
    loop.ok("close", 1)
    assert judge({"references/a.md": "More."}, *AGENT)[0] is True


@pytest.mark.parametrize(
    "path",
    [
        "scripts/up.py",
        "up.zsh",
        "scripts/data",
        "run.js",
        "bin/tool",
        "x.lua",
        "RUN.PY",
    ],
)
def test_scripts_need_a_case(judge: Judge, path: str) -> None:
    assert judge({path: SCRIPT}) == (False, {"too-few-cases"})


def test_a_program_in_disguise_needs_a_case(judge: Judge) -> None:
    program = {"references/tool": "#!/bin/sh\necho hello\n"}

    assert "too-few-cases" in judge(program)[1]
    assert judge({"assets/template.py": "x = 1\n"}, "--supersede")[0] is True


@pytest.mark.needs_sandbox
def test_scripts_with_a_case_that_passes_are_let_through(judge: Judge) -> None:
    assert judge({"scripts/up.py": SCRIPT, "tests/a.yaml": CASE}) == (True, set())


@pytest.mark.needs_sandbox
def test_a_case_that_fails_stops_it(judge: Judge) -> None:
    wrong = CASE.replace("ABC", "ABD")

    passed, rules = judge({"scripts/up.py": SCRIPT, "tests/a.yaml": wrong})

    assert not passed
    assert rules == {"trial-failed"}


@pytest.mark.needs_sandbox
def test_an_agent_has_to_prove_more(judge: Judge) -> None:
    files = {"scripts/up.py": SCRIPT, "tests/a.yaml": CASE}

    assert judge(files, *AGENT) == (False, {"too-few-cases"})
    two = {**files, "tests/b.yaml": CASE.replace("abc", "Abc")}
    assert judge(two, "--supersede", *AGENT) == (False, {"no-variant"})
    table = {"scripts/up.py": SCRIPT, "tests/a.yaml": TABLE}
    assert judge(table, "--supersede", *AGENT) == (True, set())


@pytest.mark.needs_sandbox
def test_a_code_block_does_not_count_as_a_test_case(judge: Judge, loop: Loop) -> None:
    draft = judge.propose({"scripts/up.py": SCRIPT})
    assert draft
    folder = loop.draft(judge.folder, "upper-case")
    text = (folder / "SKILL.md").read_text()
    (folder / "SKILL.md").write_text(text + "\n```sh\nls\n```\n\n```json\n{}\n```\n")
    number = loop.ok("propose", folder, "--supersede")["proposal"]

    data = loop("gate", number, "--json").data

    errors = {f["rule"] for f in data["findings"] if f["severity"] == "error"}
    assert errors == {"too-few-cases"}


@pytest.mark.needs_sandbox
def test_the_policy_says_how_many(judge: Judge, loop: Loop) -> None:
    loop.policy(f"{CHECKS}tests: {{scripts: 0, prose: 1, agent: 1}}\n")

    assert judge({"scripts/up.py": SCRIPT})[0] is True
    assert judge({}, "--supersede") == (False, {"too-few-cases"})
    loop.ok("close", 2)
    table = {"scripts/up.py": SCRIPT, "tests/a.yaml": TABLE}
    assert judge(table, *AGENT)[0] is True


def example(folder: Path, word: str, output: str) -> Path:
    record = {"task": "Shout", "inputs": {"word": word}, "output": output}
    path = folder / f"{word}.json"
    path.write_text(json.dumps({**record, "held_out": True}))
    return path


@pytest.mark.needs_sandbox
def test_a_held_out_example_catches_what_knows_only_its_own(
    judge: Judge, tmp_path: Path
) -> None:
    held = ("--example", example(tmp_path, "zebra", "ZEBRA"))
    files = {"tests/a.yaml": CASE, "tests/replay.yaml": REPLAY}
    knows = "import sys; print({'abc': 'ABC'}[sys.argv[1]])\n"

    assert judge({**files, "scripts/up.py": SCRIPT}, *AGENT, *held) == (True, set())
    passed, rules = judge(
        {**files, "scripts/up.py": knows}, "--supersede", *AGENT, *held
    )
    assert (passed, rules) == (False, {"trial-failed"})


@pytest.mark.needs_sandbox
def test_a_draft_that_holds_the_answers_is_refused(
    judge: Judge, tmp_path: Path
) -> None:
    held = ("--example", example(tmp_path, "zebra", "ZEBRA"))
    cheats = SCRIPT + "# {'zebra': 'ZEBRA'}\n"
    files = {
        "scripts/up.py": cheats,
        "tests/a.yaml": TABLE,
        "tests/replay.yaml": REPLAY,
    }

    assert judge(files, *AGENT, *held) == (False, {"held-out-copied"})


@pytest.mark.needs_sandbox
def test_what_was_held_out_has_to_be_tried(judge: Judge, tmp_path: Path) -> None:
    held = ("--example", example(tmp_path, "zebra", "ZEBRA"))
    files = {"scripts/up.py": SCRIPT, "tests/a.yaml": TABLE}

    assert judge(files, *AGENT, *held) == (False, {"no-replay"})


@pytest.mark.needs_sandbox
def test_the_gate_believes_no_cache(judge: Judge) -> None:
    """An author can write the cache of this clone: here it says that all has passed."""
    judge.change("skillforge.store.Cache.entries", changes.remembered_as_passed)
    wrong = {"scripts/up.py": SCRIPT, "tests/a.yaml": CASE.replace("ABC", "ABD")}

    passed, rules = judge(wrong)
    believed = judge.loop("test", judge.folder / "drafts/upper-case", "--json").data

    assert believed["remembered"] == 1  # the command asks it, as it is told to
    assert (passed, rules) == (False, {"trial-failed"})


def test_approving_what_the_gate_refuses_prints_a_warning(
    judge: Judge, loop: Loop
) -> None:
    number = judge.propose({"scripts/up.py": SCRIPT})
    loop("gate", number)

    output = loop("review", number, "--approve", "--as", REVIEWER).out

    assert "but the gate refuses it" in output
    assert "promote" not in output


def test_a_rollback_does_not_wait_for_trials(loop: Loop, judge: Judge) -> None:
    loop.policy(f"{CHECKS}tests: {{scripts: 0}}\n")
    first = judge.propose({"scripts/up.py": SCRIPT})
    loop.approve(first)
    loop.promote(first)
    loop.policy(f"{CHECKS}tests: {{scripts: 5}}\n")
    loop.policy(f"{CHECKS}tests: {{scripts: 0}}\n")
    second = judge.propose({"scripts/up.py": "raise SystemExit(1)\n"})
    loop.approve(second)
    loop.promote(second)
    loop.policy(f"{CHECKS}tests: {{scripts: 5}}\n")

    done = loop.ok("rollback", "upper-case", "--now", "--why", "Broken")

    assert done["merge"]
    number = done["proposal"]
    record = loop.folder.git("show", f"refs/skillforge/proposals/{number}:gate.json")
    assert [check["name"] for check in json.loads(record)["checks"]] == [
        "paths",
        "exact",
        "validate",
        "scan",
        "overlap",
    ]


def test_without_a_sandbox_nothing_with_cases_passes(judge: Judge) -> None:
    judge.change("skillforge.sandbox.choose", changes.no_sandbox)

    passed, rules = judge({"scripts/up.py": SCRIPT, "tests/a.yaml": CASE})

    assert (passed, rules) == (False, {"trial-not-run"})
    assert judge({}, "--supersede") == (True, set())


def test_a_missing_sandbox_blames_the_machine_not_the_draft(
    loop: Loop, tmp_path: Path
) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    for path, text in {"scripts/up.py": SCRIPT, "tests/a.yaml": CASE}.items():
        (draft / path).parent.mkdir(exist_ok=True)
        (draft / path).write_text(text)
    number = loop.ok("propose", draft)["proposal"]
    ran = subprocess.run(
        [sys.executable, "-m", "skillforge", "gate", str(number)],
        cwd=loop.folder.root,
        env=os.environ | {"SKILLFORGE_SANDBOX": "none"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 3
    assert "NOT RUN  test" in ran.stdout
    assert "fix the draft" not in ran.stdout
    assert "skillforge doctor" in ran.stdout
