"""Cases in YAML: what they can say, and what is said of those that cannot be read."""

import os

import pytest

from tests.checks.cases.conftest import Prove


@pytest.mark.needs_sandbox
def test_a_case_runs_a_script_of_the_skill(prove: Prove) -> None:
    trials = prove(
        {
            "scripts/greet.py": "import sys; print('hello', *sys.argv[1:])",
            "tests/greet.yaml": """
name: greets
run: [python3, scripts/greet.py, 5, "$SKILL_DIR", "${SKILL_DIR}/x"]
expect:
  stdout: hello 5 /skill /skill/x
""",
        }
    )

    assert trials["greets"]["outcome"] == "passed"
    assert trials["greets"]["path"] == "tests/greet.yaml"
    assert trials["greets"]["seconds"] > 0


@pytest.mark.needs_sandbox
def test_a_shell_line_input_files_and_variables(prove: Prove) -> None:
    trial = prove.only_trial(
        """
run: cat - in/a.txt b.txt | tr a-z A-Z; echo "$WHO"; ls
stdin: "first "
env: {WHO: you, N: 5}
files:
  in/a.txt: "second "
  b.txt: {from: fixtures/b.txt}
expect:
  stdout: |
    FIRST SECOND THIRD
    you
    b.txt
    in
""",
        **{"tests/fixtures/b.txt": "third\n"},
    )

    assert trial["outcome"] == "passed", trial["detail"]


@pytest.mark.needs_sandbox
def test_files_it_leaves_are_looked_at(prove: Prove) -> None:
    case = """
run: 'echo "{\\"a\\": [1, 2]}" > out.json; mkdir d; echo text > d/t'
expect:
  files:
    out.json: {json: {a: [1, 2]}}
    d/t: text
    d: {exists: true}
    other: {absent: true}
    d/none: {exists: false}
"""
    assert prove.only_trial(case)["outcome"] == "passed"


@pytest.mark.needs_sandbox
def test_variants_are_trials_of_their_own(prove: Prove) -> None:
    trials = prove(
        {
            "tests/a.yaml": """
name: adds {{ a }}
run: [python3, -c, "print({{ a }} + {{ b.c }})"]
expect: {stdout: {json: "{{ sum }}"}, exit: "{{ code }}"}
variants:
  - {a: 1, b: {c: 2}, sum: 3, code: 0}
  - {name: wrong, a: 1, b: {c: 2}, sum: 4, code: 0}
""",
        }
    )

    first, second = trials.values()
    assert first["case"].startswith("adds 1 [1: a=1, b=")
    assert first["outcome"] == "passed", first
    assert second["case"] == "adds 1 [2: wrong]"
    assert "$: expected 4, got 3" in second["detail"]


@pytest.mark.needs_sandbox
def test_cases_of_one_name_are_told_apart(prove: Prove) -> None:
    trials = prove({"tests/a.yaml": "- run: ['true']\n- run: ['false']\n"})

    assert {n: t["outcome"] for n, t in trials.items()} == {
        "a": "passed",
        "a (2)": "failed",
    }


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        pytest.param("run: x\nexpct: {}\n", 2, "did you mean expect", id="unknown"),
        pytest.param("- rum: x\n", 1, "did you mean run", id="in-list"),
        pytest.param("name: a\n", 1, "`run` is missing", id="no-run"),
        pytest.param("run: x\nstdout: y\n", 2, "belongs below `expect`", id="indent"),
        pytest.param(
            "run: x\nexpect:\n  stdout: {contain: y}\n", 3, "contains?", id="deep-key"
        ),
        pytest.param("run: x\nname: 5\n", 2, "quote it", id="number"),
        pytest.param("run: x\nname: true\n", 2, "quote it", id="boolean"),
        pytest.param("run: x\nrun: y\n", 2, "duplicate key", id="double"),
        pytest.param("a: &a x\nrun: *a\n", 2, "aliases", id="alias"),
        pytest.param("run: [x\n", 2, "check the indent", id="broken"),
        pytest.param("run: x\n---\nrun: y\n", 2, "two documents", id="documents"),
        pytest.param("run: !!python/name:os.system x\n", 1, "tags (", id="tag"),
        pytest.param("", 1, "is empty", id="empty"),
        pytest.param("# nothing\n", 1, "is empty", id="comment"),
        pytest.param("[]", 1, "is empty", id="empty-list"),
        pytest.param("[" * 100, 1, "deep", id="deep"),
        pytest.param("run: x\nexpect: {exit: x}\n", 2, "does not match", id="exit"),
        pytest.param("run: x\nexpect: {exit: 256}\n", 2, "at most 255", id="exit-256"),
        pytest.param("run: x\ntimeout: 9999\n", 2, "at most 300", id="timeout"),
        pytest.param("run: x\ntimeout: 0\n", 2, "more than 0", id="no-time"),
        pytest.param("run: x\ntimeout: .nan\n", 2, "a number, not", id="nan"),
        pytest.param("run: x\nenv: {a b: c}\n", 2, "does not match", id="variable"),
        pytest.param("run: x\nenv: {HOME: /x}\n", 1, "sets HOME", id="home"),
        pytest.param('run: "a\\0b"\n', 1, "a NUL", id="nul"),
        pytest.param("run: [a=b]\n", 1, "not a program", id="assignment"),
        pytest.param(
            "run: x\nvariants: [{a: 1}]\nname: '{{ b }}'\n",
            1,
            "uses its `a`",
            id="idle",
        ),
        pytest.param(
            "run: '{{ a }} {{ b }}'\nvariants: [{a: 1}]\n",
            1,
            "unknown value `{{ b }}`",
            id="value",
        ),
        pytest.param("run: echo {{ a }}\n", 1, "needs `variants`", id="no-variants"),
        pytest.param(
            "run: x\nfiles: {f: {from: none}}\n",
            1,
            "no such file: tests/fix",
            id="fixture",
        ),
        pytest.param("run: ['{{ a }}']\nvariants: [{a: []}]\n", 1, "variant 1", id="v"),
        pytest.param(
            "run: x\nexpect: {stdout: {matches: '('}}\n", 1, "not a regular", id="re"
        ),
        pytest.param(
            f"run: x\nexpect: {{stdout: {{matches: '{'()' * 60}'}}}}\n",
            1,
            "too many groups",
            id="groups",
        ),
        pytest.param(
            "run: x\nexpect: {stdout: {json_schema: {type: 5}}}\n",
            1,
            "JSON Schema",
            id="s",
        ),
        pytest.param(f"run: [echo, {'9' * 5000}]\n", 1, "", id="huge-number"),
    ],
)
def test_a_case_that_cannot_be_read_is_an_error_with_its_line(
    prove: Prove, text: str, line: int, says: str
) -> None:
    trial = prove.only_trial(text)

    assert trial["outcome"] == "error"
    assert (trial["path"], trial["line"]) == ("tests/a.yaml", line)
    assert says in trial["detail"]


@pytest.mark.needs_sandbox
def test_what_is_written_is_what_counts(prove: Prove) -> None:
    """YAML makes 0.80 a number, and a date of a date; a case is about text."""
    case = """
run: [echo, 0.80, 010, 2024-01-01, yes, 12:30, 1_000, 5]
expect: {stdout: 0.80 010 2024-01-01 yes 12:30 1_000 5}
"""
    assert prove.only_trial(case)["outcome"] == "passed"
    prints = "run: [echo, '0.8']\nexpect: {stdout: 0.80}\n"
    assert prove.only_trial(prints)["outcome"] == "failed"
    table = "run: echo '{{ p }}'\nexpect: {stdout: '{{ p }}'}\nvariants: [{p: 1.50}]\n"
    assert prove.only_trial(table)["outcome"] == "passed"


@pytest.mark.needs_sandbox
def test_a_line_of_several_stops_at_the_first_that_fails(prove: Prove) -> None:
    assert prove.only_trial("run: |\n  false\n  echo done\n")["outcome"] == "failed"


@pytest.mark.needs_sandbox
def test_links_are_not_cases(prove: Prove) -> None:
    prove.write({"tests/b.yaml": "run: ['true']"})
    (prove.library.root / "skills/proven/tests/a.yaml").symlink_to("b.yaml")

    ends = {t["case"]: t["outcome"] for t in prove.run("--json").data["trials"]}

    assert ends == {"tests/a.yaml": "error", "b": "passed"}


@pytest.mark.needs_sandbox
def test_a_named_pipe_does_not_block(prove: Prove) -> None:
    prove.write({"tests/b.yaml": "run: ['true']"})
    folder = prove.library.root / "skills/proven"
    os.mkfifo(folder / "tests/a.yaml")
    (folder / "scripts").mkdir()
    os.mkfifo(folder / "scripts/x.py")

    ends = {t["case"]: t["outcome"] for t in prove.run("--json").data["trials"]}

    assert ends == {"tests/a.yaml": "error", "b": "passed"}


@pytest.mark.needs_sandbox
def test_one_broken_case_does_not_hide_the_others(prove: Prove) -> None:
    trials = prove({"tests/a.yaml": "- run: ['true']\n- rum: x\n- run: ['false']\n"})

    assert trials["tests/a.yaml"]["line"] == 2
    assert trials["a"]["outcome"] == "passed"
    assert trials["a (2)"]["outcome"] == "failed"


@pytest.mark.needs_sandbox
def test_one_broken_file_does_not_hide_the_others(prove: Prove) -> None:
    trials = prove({"tests/a.yaml": "rum: x", "tests/b.yml": "run: ['true']"})

    assert [t["outcome"] for t in trials.values()] == ["error", "passed"]


def test_bytes_that_are_not_text_do_not_crash(prove: Prove) -> None:
    prove.write({"tests/a.yaml": ""})
    path = prove.library.root / "skills/proven/tests/a.yaml"
    path.write_bytes(b"run: \xff\xfe\n")

    assert prove.run("--json").data["trials"][0]["outcome"] == "error"
