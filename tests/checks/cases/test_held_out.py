"""Held-out examples: they catch a draft that only knows its own."""

import json
from typing import Any

import pytest

from tests.checks.cases.conftest import Prove

ROUND = "import sys; print(round(float(sys.argv[1]), 1))"
SEEDS_ONLY = "import sys; print({'1.26': '1.3', '2.24': '2.2'}.get(sys.argv[1], '?'))"
REPLAY = """
run: [python3, scripts/round.py, "{{ inputs.number }}"]
expect: {stdout: "{{ output }}"}
"""


def example(number: str, output: str, *, held_out: bool = True, **more: Any) -> str:
    record = {
        "task": "Round it",
        "inputs": {"number": number},
        "output": output,
        **more,
    }
    return json.dumps({**record, "held_out": held_out})


def evidence(*examples: str) -> dict[str, str]:
    return {
        f"evidence/proven/{n:016x}.json": example
        for n, example in enumerate(examples, 1)
    }


SEEDS = (
    example("1.26", "1.3", held_out=False),
    example("2.24", "2.2", held_out=False),
)
HELD_OUT = (example("7.77", "7.8"), example("100.04", "100.0"))


@pytest.mark.needs_sandbox
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


@pytest.mark.needs_sandbox
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


def test_ordinary_words_of_an_example_are_not_a_copy(prove: Prove) -> None:
    held = json.dumps({"held_out": True, "inputs": {"kind": "table"}, "output": "list"})
    prove.write({"references/a.md": "A table or a list.", **evidence(held)})
    # A question and its answer in one file are; one of them alone is not.
    prove.write({"references/a.md": "A table.", "references/b.md": "A list."})

    rules = [f["rule"] for f in prove.run("--json").data["findings"]]
    assert rules == ["no-replay"]


def test_seen_examples_may_be_quoted(prove: Prove) -> None:
    approved = json.dumps({"inputs": {"mail": LONG}, "output": "refund"})
    prove.write({"references/a.md": LONG, **evidence(approved)})

    assert prove.run("--json").data["findings"] == []


@pytest.mark.parametrize(
    ("replay", "says"),
    [
        (
            REPLAY.replace(".number", ".nunber"),
            "with example 000000000000: unknown value",
        ),
        ("run: [x]\n", "`expect` is missing"),
        ("run: [x]\nexpect: {}\nvariants: []\n", "unknown key `variants`"),
        (REPLAY.replace(".number", ""), "run.2: must be text"),
        ("run: [echo, '{{ output }}']\nexpect: {stdout: x}\n", "is the answer"),
        (
            "run: [python3, scripts/round.py]\nexpect: {exit: 0}\n",
            "must use the answer",
        ),
        ("run: ['true']\nexpect: {stdout: '{{ output }}'}\n", "a file of the skill"),
        (REPLAY.replace("output", "inputs.number"), "must use the answer"),
    ],
)
def test_a_replay_that_cannot_be_read_is_an_error(
    prove: Prove, replay: str, says: str
) -> None:
    files = {"scripts/round.py": ROUND, "tests/replay.yaml": replay}

    [trial, *_] = prove({**files, **evidence(*HELD_OUT)}).values()

    assert trial["outcome"] == "error"
    assert says in trial["detail"]


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not json", "is not an example"),
        ("[1]", "is not an example"),
        ('"x"', "is not an example"),
        ('{"held_out": "true"}', "must be true or false"),
    ],
)
def test_an_example_that_cannot_be_read_is_an_error(
    prove: Prove, text: str, says: str
) -> None:
    files = {"scripts/round.py": ROUND, "tests/replay.yaml": REPLAY}

    trials = prove({**files, **evidence(text, *HELD_OUT)})

    ends = [trial["outcome"] for trial in trials.values()]
    assert ends == ["error", "passed", "passed"]
    assert says in next(iter(trials.values()))["detail"]


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    "expect",
    [
        "{stdout: {not_contains: '{{ output }}'}}",
        "{stdout: {matches: '|{{ output }}'}}",
        "{files: {'{{ output }}': {absent: true}}}",
        "{stdout: {contains: wrong, not_contains: '{{ output }}'}}",
    ],
)
def test_an_expectation_that_any_answer_meets_is_none(
    prove: Prove, expect: str
) -> None:
    replay = REPLAY.partition("expect")[0] + f"expect: {expect}\n"
    files = {"scripts/round.py": "print('wrong')", "tests/replay.yaml": replay}

    [trial] = prove({**files, **evidence(HELD_OUT[0])}).values()

    assert trial["outcome"] == "failed"
    assert "with any answer" in trial["detail"]


@pytest.mark.needs_sandbox
def test_one_bad_example_does_not_hide_the_others(prove: Prove) -> None:
    files = {"scripts/round.py": ROUND, "tests/replay.yaml": REPLAY}
    bad = json.dumps({"held_out": True, "inputs": {}})

    trials = prove({**files, **evidence(bad, *HELD_OUT)})

    assert [t["outcome"] for t in trials.values()] == ["error", "passed", "passed"]


@pytest.mark.parametrize(
    ("record", "text"),
    [
        pytest.param(
            {"inputs": "Kyiv", "output": "Ukraine"}, "{'kyiv': 'Ukraine'}", id="case"
        ),
        pytest.param(
            {"inputs": 1250000, "output": "large"}, "1,250,000 is large", id="number"
        ),
        pytest.param(
            {"inputs": "battery pack", "output": "yes"}, "battery_pack: yes", id="short"
        ),
        pytest.param(
            {"inputs": LONG, "output": "x"}, LONG.replace(", ", '"\n  "'), id="lines"
        ),
        pytest.param(
            {"inputs": LONG, "output": "x"}, LONG.replace(" ", "_"), id="joined"
        ),
        pytest.param(
            {"inputs": LONG, "output": "x"}, LONG.replace(",", ""), id="commas"
        ),
        pytest.param(
            {"inputs": LONG, "output": "x"}, LONG.replace(" ", "\\n"), id="escaped"
        ),
        pytest.param({"inputs": {LONG: 1}, "output": "x"}, LONG, id="key"),
        pytest.param({"question": LONG, "output": "x"}, LONG, id="other-key"),
    ],
)
def test_a_copy_in_another_spelling_is_still_a_copy(
    prove: Prove, record: dict[str, Any], text: str
) -> None:
    held = json.dumps({"held_out": True, **record})
    prove.write({"scripts/a.py": text, **evidence(held)})

    rules = [f["rule"] for f in prove.run("--json").data["findings"]]

    assert "held-out-copied" in rules
