"""Held-out examples: they catch a draft that only knows its own."""

import json
from typing import Any

import pytest

from tests.checks.testing.conftest import Prove

ROUND = "import sys; print(round(float(sys.argv[1]), 1))"
SEEDS_ONLY = "import sys; print({'1.26': '1.3', '2.24': '2.2'}.get(sys.argv[1], '?'))"
REPLAY = """
run: [python3, scripts/round.py, "{{ inputs.number }}"]
expect: {stdout: "{{ output }}"}
"""


def example(number: str, output: str, *, held_out: bool = True, **more: Any) -> str:
    said = {"task": "Round it", "inputs": {"number": number}, "output": output, **more}
    return json.dumps({**said, "held_out": held_out})


def evidence(*examples: str) -> dict[str, str]:
    return {f"evidence/proven/{n:016x}.json": it for n, it in enumerate(examples, 1)}


SEEDS = (
    example("1.26", "1.3", held_out=False),
    example("2.24", "2.2", held_out=False),
)
HELD_OUT = (example("7.77", "7.8"), example("100.04", "100.0"))


def test_a_skill_that_has_the_rule_passes(prove: Prove) -> None:
    trials = prove(
        {
            "scripts/round.py": ROUND,
            "tests/replay.yaml": REPLAY,
            **evidence(*SEEDS, *HELD_OUT),
        }
    )

    assert list(trials) == [
        "held out [example 000000000000]",
        "held out [example 000000000000] (2)",
    ]
    assert all(trial["outcome"] == "passed" for trial in trials.values())


def test_a_skill_that_works_on_its_seeds_only_fails(prove: Prove) -> None:
    files = {"scripts/round.py": SEEDS_ONLY, "tests/replay.yaml": REPLAY}
    seeds = "run: [python3, scripts/round.py, '1.26']\nexpect: {stdout: '1.3'}\n"

    trials = prove({**files, "tests/seeds.yaml": seeds, **evidence(*SEEDS, *HELD_OUT)})

    assert trials["seeds"]["outcome"] == "passed"
    held = [t for name, t in trials.items() if name.startswith("held out")]
    assert [t["outcome"] for t in held] == ["failed", "failed"]
    assert "expected '7.8', got '?" in held[0]["detail"]


LONG = "Dear Ms Miller, the invoice of last month was paid twice, please send it back"


@pytest.mark.parametrize(
    ("where", "text"),
    [
        pytest.param("references/a.md", f"As in: {LONG}.", id="exact"),
        pytest.param("references/a.md", LONG.upper().replace(" ", "\n"), id="spelled"),
        pytest.param(
            "references/a.md",
            f"{LONG} or else I shall have to call".replace("Miller", "Moller"),
            id="near",
        ),
        pytest.param("tests/copy.txt", f"{LONG}", id="in-tests"),
        pytest.param("scripts/a.py", f"ANSWERS = [{LONG!r}]", id="in-code"),
    ],
)
def test_a_copy_of_held_out_text_is_an_error(
    prove: Prove, where: str, text: str
) -> None:
    held = json.dumps({"held_out": True, "inputs": {"mail": LONG}, "output": "refund"})
    prove.write({where: text, **evidence(held)})

    ran = prove.run("--json")

    assert ran.code == 1
    [finding] = [f for f in ran.data["findings"] if f["rule"] == "held-out-copied"]
    assert finding["severity"] == "error"
    assert finding["path"] == f"skills/proven/{where}"


def test_a_table_of_questions_and_answers_is_a_copy(prove: Prove) -> None:
    table = "ANSWERS = {'100.04': '100.0', '5': '5.0'}"
    prove.write({"scripts/round.py": table, **evidence(*HELD_OUT)})

    rules = [f["rule"] for f in prove.run("--json").data["findings"]]

    assert rules.count("held-out-copied") == 1


def test_ordinary_words_of_an_example_are_no_copy(prove: Prove) -> None:
    held = json.dumps({"held_out": True, "inputs": {"kind": "table"}, "output": "list"})
    prove.write({"references/a.md": "A table or a list.", **evidence(held)})
    # A question and its answer in one file are; one of them alone is not.
    prove.write({"references/a.md": "A table.", "references/b.md": "A list."})

    assert prove.run("--json").data["findings"] == []


def test_seen_examples_may_be_quoted(prove: Prove) -> None:
    seen = json.dumps({"inputs": {"mail": LONG}, "output": "refund"})
    prove.write({"references/a.md": LONG, **evidence(seen)})

    assert prove.run("--json").data["findings"] == []


@pytest.mark.parametrize(
    ("replay", "says"),
    [
        ("run: [x, '{{ inputs.nunber }}']\nexpect: {}\n", "nothing is named"),
        ("run: [x]\n", "'expect' is a required"),
        ("run: [x]\nexpect: {}\nvariants: []\n", "there is no key `variants`"),
        ("run: ['{{ inputs }}']\nexpect: {}\n", "with example"),
    ],
)
def test_a_replay_that_cannot_be_read_is_an_error(
    prove: Prove, replay: str, says: str
) -> None:
    trials = prove({"tests/replay.yaml": replay, **evidence(*HELD_OUT)})

    [trial] = trials.values()
    assert trial["outcome"] == "error"
    assert says in trial["detail"]


@pytest.mark.parametrize("text", ["not json", "[1]", '"x"'])
def test_an_example_that_cannot_be_read_is_an_error(prove: Prove, text: str) -> None:
    [trial] = prove({"tests/replay.yaml": REPLAY, **evidence(text)}).values()

    assert trial["outcome"] == "error"
    assert "is not an example" in trial["detail"]
