"""Cases in YAML: what they can say, and what is said of those that cannot be read."""

import pytest

from tests.checks.testing.conftest import Prove


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


def test_a_shell_line_input_files_and_variables(prove: Prove) -> None:
    trial = prove.one(
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
    assert prove.one(case)["outcome"] == "passed"


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
        pytest.param("name: a\n", 1, "'run' is a required", id="no-run"),
        pytest.param("run: x\nname: 2024-01-01\n", 2, "put quotes", id="date"),
        pytest.param("run: x\nstdin: yes\n", 2, "put quotes", id="boolean"),
        pytest.param("run: x\nrun: y\n", 2, "there twice", id="double"),
        pytest.param("a: &a x\nrun: *a\n", 2, "aliases", id="alias"),
        pytest.param("run: [x\n", 2, "expected ',' or ']'", id="broken"),
        pytest.param("run: !!python/name:os.system x\n", 1, "constructor", id="tag"),
        pytest.param("", 1, "None is not of type", id="empty"),
        pytest.param("[" * 100, 1, "deep", id="deep"),
        pytest.param("run: x\nexpect: {exit: x}\n", None, None, id="exit"),
        pytest.param("run: x\ntimeout: 9999\n", 2, "maximum of 300", id="timeout"),
        pytest.param("run: x\nenv: {a b: c}\n", 2, "does not match", id="variable"),
        pytest.param(
            "run: x\nvariants: [{a: 1}]\nname: '{{ b }}'\n", 1, "there is a", id="value"
        ),
        pytest.param(
            "run: x\nfiles: {f: {from: none}}\n", 1, "no file tests/fix", id="fixture"
        ),
        pytest.param("run: ['{{ a }}']\nvariants: [{a: []}]\n", 1, "variant 1", id="v"),
    ],
)
def test_a_case_that_cannot_be_read_is_an_error_with_its_line(
    prove: Prove, text: str, line: int | None, says: str | None
) -> None:
    trial = prove.one(text)

    assert trial["outcome"] != "passed"
    if says is not None:
        assert trial["outcome"] == "error"
        assert trial["detail"].startswith(f"tests/a.yaml:{line}: ")
        assert says in trial["detail"]


def test_one_broken_case_does_not_hide_the_others(prove: Prove) -> None:
    trials = prove({"tests/a.yaml": "- run: ['true']\n- rum: x\n- run: ['false']\n"})

    assert trials["tests/a.yaml"]["detail"].startswith("tests/a.yaml:2: ")
    assert trials["a"]["outcome"] == "passed"
    assert trials["a (2)"]["outcome"] == "failed"


def test_one_broken_file_does_not_hide_the_others(prove: Prove) -> None:
    trials = prove({"tests/a.yaml": "rum: x", "tests/b.yml": "run: ['true']"})

    assert [t["outcome"] for t in trials.values()] == ["error", "passed"]


def test_bytes_that_are_not_text_are_no_crash(prove: Prove) -> None:
    prove.write({"tests/a.yaml": ""})
    path = prove.library.root / "skills/proven/tests/a.yaml"
    path.write_bytes(b"run: \xff\xfe\n")

    assert prove.run("--json").data["trials"][0]["outcome"] == "error"
