"""Trials: tests that are programs, flaky cases, and what is cached."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from skillforge.checks.cases import job_setup
from skillforge.errors import RequestError
from skillforge.model import File, FileKind
from tests.checks.cases import changes
from tests.checks.cases.conftest import Prove
from tests.sandbox.conftest import running

PYTEST = """
import pytest
from greet import hello

@pytest.mark.parametrize("name", ["a", "b"])
def test_hello(name):
    assert hello(name) == f"hello {name}"
"""
UNITTEST = """
import unittest
class T(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(1 + 1, %s)
"""
SKIPPED = """
import unittest
@unittest.skip("not now")
class T(unittest.TestCase):
    def test_x(self): pass
"""
GREET = "def hello(name): return f'hello {name}'\n"


@pytest.mark.needs_sandbox
def test_pytest_files_are_run(prove: Prove) -> None:
    trials = prove(
        {
            "scripts/greet.py": GREET,
            "tests/test_greet.py": PYTEST,
            "tests/test_other.py": PYTEST.replace("hello {", "bye {"),
            "tests/test_unit.py": UNITTEST % 2,
            "tests/helper.py": "raise SystemExit('not a test')",
        }
    )

    assert trials["tests/test_greet.py"]["outcome"] == "passed"
    assert trials["tests/test_unit.py"]["outcome"] == "passed"
    assert trials["tests/test_other.py"]["outcome"] == "failed"
    assert "assert 'hello a' == 'bye a'" in trials["tests/test_other.py"]["detail"]
    assert len(trials) == 3


@pytest.mark.needs_sandbox
def test_without_pytest_unittest_does(
    prove: Prove, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_setup, "pytest_files", dict)
    trials = prove(
        {
            "tests/test_good.py": UNITTEST % 2,
            "tests/test_bad.py": UNITTEST % 3,
            "tests/test_py.py": PYTEST,
        }
    )

    assert trials["tests/test_good.py"]["outcome"] == "passed"
    assert trials["tests/test_bad.py"]["outcome"] == "failed"
    assert "2 != 3" in trials["tests/test_bad.py"]["detail"]
    assert trials["tests/test_py.py"]["outcome"] == "not-run"


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("has_pytest", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("import os; print('1 passed'); os._exit(0)", id="leaves"),
        pytest.param("raise SystemExit(0)", id="exits"),
        pytest.param("", id="empty"),
        pytest.param("def test_x(): import os; os._exit(0)", id="leaves-in-a-test"),
        pytest.param(SKIPPED, id="skipped"),
        pytest.param("import sys; print('Ran 0 tests in 0s', file=sys.stderr)", id="0"),
    ],
)
def test_tests_that_do_not_run_to_their_end_have_not_passed(
    prove: Prove, monkeypatch: pytest.MonkeyPatch, has_pytest: bool, text: str
) -> None:
    if not has_pytest:
        monkeypatch.setattr(job_setup, "pytest_files", dict)

    [trial] = prove({"tests/test_x.py": text}).values()

    assert trial["outcome"] == "failed"
    reasons = ("did not finish", "no tests", "FAILED (errors=1)")
    assert any(words in trial["detail"] for words in reasons)


REPORT = "open('.skillforge-report.xml', 'w').write('<testsuite tests=\"9\">')"


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("has_pytest", [True, False])
@pytest.mark.parametrize(
    "path",
    [
        "scripts/pytest.py",
        "scripts/unittest.py",
        "pytest/__main__.py",
        "pytest/__init__.py",
        "scripts/sitecustomize.py",
        "scripts/_pytest/__init__.py",
    ],
)
def test_a_skill_does_not_bring_its_own_runner(
    prove: Prove, monkeypatch: pytest.MonkeyPatch, has_pytest: bool, path: str
) -> None:
    if not has_pytest:
        monkeypatch.setattr(job_setup, "pytest_files", dict)
    liar = f"{REPORT}\nimport os, sys\nprint('Ran 9 tests in 0s', file=sys.stderr)\n"

    trials = prove({path: f"{liar}os._exit(0)\n", "tests/test_x.py": UNITTEST % 3})

    assert trials["tests/test_x.py"]["outcome"] == "failed"
    assert "2 != 3" in trials["tests/test_x.py"]["detail"]


@pytest.mark.parametrize("first", ["", "echo", "#!/bin/sh\r"])
def test_a_script_has_to_say_what_runs_it(prove: Prove, first: str) -> None:
    trials = prove({"tests/a.sh": f"{first}\nexit 0\n"})

    assert trials["tests/a.sh"]["outcome"] == "error"
    assert "name the interpreter" in trials["tests/a.sh"]["detail"]


def test_files_that_only_look_like_tests_are_reported(prove: Prove) -> None:
    files = ["tests/a.json", "tests/x_test.py", "tests/B.YAML", "tests/plain.sh"]
    prove.write(dict.fromkeys(files, "x"))
    (prove.library.root / "skills/proven/tests/plain.sh").chmod(0o644)

    found = prove.run("--json").data["findings"]

    assert {f["path"].removeprefix("skills/proven/") for f in found} == set(files)
    assert {(f["rule"], f["severity"]) for f in found} == {("not-a-case", "warning")}


def test_only_what_matches_is_tried(prove: Prove) -> None:
    cases = "- {name: Empty table, run: ['true']}\n- {name: full, run: ['true']}\n"
    prove.write({"tests/a.yaml": cases, "tests/empty.yaml": "run: ['true']\n"})

    names = [t["case"] for t in prove.run("--json", "-k", "empty").data["trials"]]

    assert names == ["Empty table", "empty"]


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        signal.SIGKILL,
        pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("command", ["test", "gate"])
def test_nothing_is_left_when_it_is_ended(
    prove: Prove, tmp_path: Path, number: int, command: str
) -> None:
    mark = f"6{number}{ord(command[0])}.{os.getpid()}"
    prove.write({"tests/a.yaml": f"run: [sleep, '{mark}']\ntimeout: 120\n"})
    prove.library.commit()
    arguments = ["test", "proven"]
    if command == "gate":
        prove.library.git("switch", "--quiet", "--create", "work")
        prove.library.write("skills/proven/x.md", "x")
        prove.library.commit()
        arguments = ["gate", "--base", "main", "--head", "HEAD"]
    (tmp_path / "scratch").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "skillforge", *arguments],
        cwd=prove.library.root,
        env={**os.environ, "TMPDIR": str(tmp_path / "scratch")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for(lambda: running(f"sleep\0{mark}"))

    process.send_signal(number)
    process.wait(20)

    wait_for(lambda: not running(mark))
    if number != signal.SIGKILL:
        assert not list((tmp_path / "scratch").iterdir())


def wait_for(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + 90  # a busy machine is no failure
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.needs_sandbox
def test_shell_scripts_are_run_if_executable(prove: Prove) -> None:
    good = '#!/bin/sh\ntest -f scripts/greet.py && cd "$TMPDIR" && touch x\n'
    prove.write({"scripts/greet.py": GREET, "tests/good.sh": good})
    prove.write({"tests/bad.sh": "#!/bin/sh\necho no >&2\nexit 4\n"})
    prove.library.write("skills/proven/tests/helper.txt", "not a test")
    plain = prove.library.write("skills/proven/tests/plain.sh", "exit 1\n")
    plain.chmod(0o644)

    trials = {t["case"]: t for t in prove.run("--json").data["trials"]}

    assert trials["tests/good.sh"]["outcome"] == "passed"
    assert "expected 0, got 4; output: no" in trials["tests/bad.sh"]["detail"]
    assert len(trials) == 2


@pytest.mark.needs_sandbox
def test_what_ends_in_two_ways_is_flaky_and_fails(prove: Prove) -> None:
    # Half of all process numbers, and they go up by one or two from run to run.
    flips = "run: python3 -c 'import random, sys; sys.exit(random.random() < .5)'\n"
    trials = prove({"tests/a.yaml": flips}, "--repeat", "40")

    assert trials["a"]["outcome"] == "flaky"
    assert "of 40 passed" in trials["a"]["detail"]


@pytest.mark.needs_sandbox
def test_what_always_fails_is_not_flaky(prove: Prove) -> None:
    trials = prove({"tests/a.yaml": "run: ['false']\n"}, "--repeat", "3")

    assert trials["a"]["outcome"] == "failed"


@pytest.mark.needs_sandbox
def test_what_has_passed_just_so_is_remembered(prove: Prove) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n", "scripts/x.py": "1"})
    assert prove.run("--json").data["remembered"] == 0

    again = prove.run("--json").data
    assert again["remembered"] == 1
    assert again["trials"][0]["outcome"] == "passed"
    assert "1 skill unchanged since the last run" in prove.run().out
    assert prove.run("--json", "--no-cache").data["remembered"] == 0

    prove.library.write("skills/proven/scripts/x.py", "2")
    assert prove.run("--json").data["remembered"] == 0


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("evidence/proven/0000000000000001.json", "{}"),
        ("skillforge.yaml", "tests: {scripts: 3}\n"),
        ("skills/proven/scripts/x.py", "2"),
        ("skills/proven/new.md", "new"),
    ],
)
def test_any_change_is_tried_again(prove: Prove, path: str, text: str) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n", "scripts/x.py": "1"})
    prove.run()
    assert prove.run("--json").data["remembered"] == 1

    prove.library.write(path, text)

    assert prove.run("--json").data["remembered"] == 0


def test_a_mode_is_part_of_what_is_remembered(prove: Prove) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n", "scripts/x.py": "1"})
    prove.run()
    (prove.library.root / "skills/proven/scripts/x.py").chmod(0o755)

    assert prove.run("--json").data["remembered"] == 0


@pytest.mark.parametrize(
    "options", [("--repeat", "2"), ("-k", "a"), ("--shard", "1/2")]
)
def test_a_part_or_a_repetition_asks_no_memory(
    prove: Prove, options: tuple[str, str]
) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n"})
    prove.run()

    assert prove.run("--json", *options).data["remembered"] == 0


@pytest.mark.needs_sandbox
def test_two_libraries_are_each_tried_by_their_own_policy(
    prove: Prove, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    needs = "# /// script\n# dependencies = ['nowhere']\n# ///\n"
    files = {"scripts/x.py": needs, "tests/a.yaml": "run: [python3, scripts/x.py]\n"}
    prove.write(files)
    prove.library.write("skillforge.yaml", "tests: {dependencies: true}\n")
    other = tmp_path / "other/skills/second"
    shutil.copytree(prove.library.root / "skills/proven", other)
    (tmp_path / "other/skillforge.yaml").write_text("tests: {dependencies: false}\n")
    first = str(prove.library.root / "skills/proven")

    trials = prove.call("test", first, str(other), "--json").data["trials"]

    details = {trial["skill"]: trial["detail"] for trial in trials}
    assert "cannot install packages" in details["proven"]
    assert "the policy allows it" in details["second"]


@pytest.mark.needs_sandbox
def test_files_are_laid_out_with_their_modes(prove: Prove) -> None:
    before = os.umask(0o077)
    try:
        trial = prove.only_trial(
            "run: cd $SKILL_DIR; stat -c %a . scripts scripts/x.py scripts/y.sh\n"
            "expect: {stdout: '755\\n755\\n644\\n755'}\n".replace("'", '"'),
            **{"scripts/x.py": "1", "scripts/y.sh": "2"},
        )
    finally:
        os.umask(before)

    assert trial["outcome"] == "passed", trial["detail"]


def test_evidence_that_is_a_link_is_not_read(prove: Prove, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"held_out": true, "inputs": "x"}')
    prove.write({"tests/a.yaml": "run: ['true']\n"})
    folder = prove.library.root / "evidence/proven"
    folder.mkdir(parents=True)
    (folder / "0000000000000001.json").symlink_to(secret)

    assert prove.run("--json").data["findings"] == []


def test_too_few_cases_are_reported_but_not_refused_here(prove: Prove) -> None:
    prove.write({"scripts/x.py": "1"})

    ran = prove.run("--json")

    assert ran.code == 0
    assert [f["rule"] for f in ran.data["findings"]] == ["too-few-cases"]


@pytest.mark.needs_sandbox
def test_a_process_that_dies_is_an_error(prove: Prove) -> None:
    rows = "- {name: a, run: ['true']}\n- {name: b, run: ['true']}\n"
    prove.write({"tests/a.yaml": rows})
    changed = {"skillforge.checks.cases.trials._try_once": changes.die}

    found = prove.run("--json", "--jobs", "1", changed=changed).data["trials"]

    assert [trial["outcome"] for trial in found] == ["error", "error"]
    assert "crashed" in found[0]["detail"]


@pytest.mark.parametrize(
    "fails", [changes.os_error, changes.value_error, changes.sandbox_error]
)
def test_a_sandbox_that_fails_is_an_error(
    prove: Prove, fails: Callable[..., NoReturn], monkeypatch: pytest.MonkeyPatch
) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n"})
    monkeypatch.setenv("SKILLFORGE_SANDBOX", "bubblewrap")
    box = "skillforge.sandbox.bubblewrap.Bubblewrap"
    changed = {f"{box}.run": fails, f"{box}.gaps": changes.no_gaps}

    [trial] = prove.run("--json", changed=changed).data["trials"]

    assert trial["outcome"] == "error"


def test_a_name_that_a_commit_does_not_have_is_refused(prove: Prove) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n"})  # and not committed

    assert prove.run("--rev", "HEAD").code == 2


@pytest.mark.needs_sandbox
def test_a_branch_is_tried_by_the_policy_of_its_base(prove: Prove) -> None:
    prove.library.git("switch", "--quiet", "--create", "work")
    prove.library.write("skillforge.yaml", "tests: {dependencies: true}\n")
    needs = "# /// script\n# dependencies = ['nowhere']\n# ///\n"
    prove.write({"scripts/x.py": needs, "tests/a.yaml": "run: python3 scripts/x.py\n"})
    prove.library.commit()

    where = ("--library", str(prove.library.root), "--changed-since", "main", "--json")
    [trial] = prove.call("test", *where).data["trials"]

    assert "the policy allows it" in trial["detail"]


def test_what_has_failed_is_tried_again(prove: Prove) -> None:
    prove.write({"tests/a.yaml": "run: ['false']\n"})
    prove.run()

    assert prove.run("--json").data["remembered"] == 0


@pytest.mark.needs_sandbox
def test_a_damaged_memory_is_tried_again(prove: Prove) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n"})
    prove.run()
    (prove.library.root / ".git/skillforge/cache.db").write_bytes(b"damaged")

    assert prove.run("--json").data["trials"][0]["outcome"] == "passed"


def test_shards_are_the_whole_together(prove: Prove) -> None:
    rows = ", ".join(f"{{n: {n}}}" for n in range(7))
    prove.write({"tests/a.yaml": f"run: [echo, '{{{{ n }}}}']\nvariants: [{rows}]\n"})

    parts = [prove.run("--json", "--shard", f"{n}/3").data["trials"] for n in (1, 2, 3)]

    names = [trial["case"] for part in parts for trial in part]
    assert sorted(map(len, parts)) == [2, 2, 3]
    assert len(set(names)) == 7


@pytest.mark.parametrize("shard", ["0/3", "4/3", "x", "1/", "1/0", "-1/2"])
def test_a_shard_that_is_none_is_refused(prove: Prove, shard: str) -> None:
    prove.write({})

    ran = prove.run("--shard", shard)

    assert ran.code == 2
    assert "is not a shard" in ran.err


@pytest.mark.needs_sandbox
def test_the_same_with_any_number_of_jobs(prove: Prove) -> None:
    rows = ", ".join(f"{{n: {n}}}" for n in range(12))
    case = "run: [sh, -c, 'exit $(({{ n }} % 2))']\n"
    prove.write({"tests/a.yaml": f"{case}variants: [{rows}]\n"})

    alone, many = (
        [
            (t["case"], t["outcome"])
            for t in prove.run("--json", "--jobs", n).data["trials"]
        ]
        for n in ("1", "5")
    )

    assert alone == many
    assert [outcome for _, outcome in alone] == ["passed", "failed"] * 6


@pytest.mark.needs_sandbox
def test_junit_names_every_trial(prove: Prove) -> None:
    prove.write(
        {
            "tests/a.yaml": "- run: ['true']\n- {run: ['false'], name: '<b> & \"c\"'}\n"
            "- {run: [sleep, '9'], timeout: 0.3, name: slow}\n"
        }
    )

    root = ET.fromstring(prove.run("--format", "junit").out)

    [suite] = root
    assert suite.attrib | {"name": ""} == {
        "name": "",
        "tests": "3",
        "failures": "1",
        "errors": "1",
        "skipped": "0",
    }
    kinds = {case.get("name"): [child.tag for child in case] for case in suite}
    assert kinds == {"a": [], '<b> & "c"': ["failure"], "slow": ["error"]}


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("form", ["sarif", "github", "markdown"])
def test_other_formats_name_what_failed(prove: Prove, form: str) -> None:
    prove.write({"tests/a.yaml": "\n\nrun: ['false']\n"})

    ran = prove.run("--format", form)

    assert ran.code == 1
    assert "skills/proven/tests/a.yaml" in ran.out
    assert "trial-failed" in ran.out
    if form == "sarif":
        assert json.loads(ran.out)["runs"][0]["results"][0]["ruleId"] == "trial-failed"


@pytest.mark.needs_sandbox
def test_text_says_what_matters(prove: Prove) -> None:
    prove.write(
        {"tests/a.yaml": "- run: ['true']\n- {run: [echo, a], expect: {stdout: b}}"}
    )

    plain, verbose = prove.run().out, prove.run("--verbose").out

    assert "proven: 1 of 2 trials passed" in plain
    assert "✗ failed: a (2)" in plain
    assert "stdout: expected 'b', got 'a\\n'" in plain
    assert "✓ passed: a (" not in plain
    assert "✓ passed: a (" in verbose
    assert plain.strip().endswith("2 trials: 1 passed, 1 failed")


def test_a_skill_with_nothing_to_try_is_fine(prove: Prove) -> None:
    prove.write({})

    ran = prove.run()

    assert ran.code == 0
    assert ran.out.startswith("no cases found")


@pytest.mark.needs_sandbox
def test_a_commit_is_tested_from_its_objects(prove: Prove) -> None:
    prove.write({"tests/a.yaml": "run: [cat, $SKILL_DIR/data]\nexpect: {stdout: old}"})
    prove.library.write("skills/proven/data", "old")
    prove.library.commit()
    prove.library.write("skills/proven/data", "new")

    assert prove.run("--json").data["trials"][0]["outcome"] == "failed"
    assert prove.run("--json", "--rev", "HEAD").data["trials"][0]["outcome"] == "passed"


@pytest.mark.needs_sandbox
def test_a_folder_outside_a_library_can_be_tested(prove: Prove, tmp_path: Path) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n"})
    (prove.library.root / "skills/proven").rename(tmp_path / "proven")

    ran = prove.call("test", str(tmp_path / "proven"), "--json")

    assert ran.data["trials"][0]["outcome"] == "passed"


@pytest.mark.needs_sandbox
def test_links_of_a_skill_lead_nowhere_outside(prove: Prove, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    prove.write({"tests/a.yaml": "run: cat $SKILL_DIR/link $SKILL_DIR/up/secret\n"})
    folder = prove.library.root / "skills/proven"
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "up").symlink_to("../../..")

    [trial] = prove.run("--json").data["trials"]

    assert trial["outcome"] == "failed"
    assert "No such file" in trial["detail"]
    assert (tmp_path / "secret").exists()


@pytest.mark.parametrize(
    "name", ["..", "../x", "/tmp/skillforge-traversed", "a/../../x"]
)
def test_no_path_of_a_commit_leads_out_of_the_scratch_folder(
    prove: Prove, name: str
) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n"})
    skill = prove.library.library.skill_at(prove.library.commit(), "proven")
    assert skill is not None
    files = {**skill.files, name: next(iter(skill.files.values()))}
    crafted = replace(skill, files=files, read=lambda _: b"out")

    with job_setup.scratch() as scratch, pytest.raises(RequestError):
        job_setup.lay_out(crafted, scratch)

    assert not Path("/tmp/skillforge-traversed").exists()


def test_no_link_of_a_commit_leads_out_of_the_scratch_folder(
    prove: Prove, tmp_path: Path
) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n"})
    skill = prove.library.library.skill_at(prove.library.commit(), "proven")
    assert skill is not None
    files = {"z": File(FileKind.SYMLINK, 9), "z/out": File(FileKind.FILE, 3)}
    crafted = replace(skill, files=files, read=lambda _: str(tmp_path).encode())

    with pytest.raises(RequestError), job_setup.scratch() as scratch:
        job_setup.lay_out(crafted, scratch)

    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("target", [b"a\0b", b"x" * 5000])
def test_a_link_that_cannot_be_made_is_the_skills_own_error(
    prove: Prove, target: bytes
) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n"})
    skill = prove.library.library.skill_at(prove.library.commit(), "proven")
    assert skill is not None
    files = {"z": File(FileKind.SYMLINK, len(target))}
    crafted = replace(skill, files=files, read=lambda _: target)

    with pytest.raises(RequestError), job_setup.scratch() as scratch:
        job_setup.lay_out(crafted, scratch)


def test_a_full_disk_is_reported(prove: Prove, monkeypatch: pytest.MonkeyPatch) -> None:
    prove.write({"tests/a.yaml": "run: ['true']\n"})
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")

    ran = prove.run()

    assert ran.code == 3
    assert "cannot write in /nonexistent" in ran.err


def test_a_skill_that_is_not_there_is_refused(prove: Prove) -> None:
    ran = prove.call("test", "no-such", "--library", str(prove.library.root))

    assert ran.code == 2
    assert "the library has no skill 'no-such'" in ran.err
