import json
from typing import Any

import pytest

from skillforge.model import Example, Outcome, OutcomeSource, OutcomeStatus
from tests.learn.formats.samples import (
    ALL,
    PLAIN,
    examples,
    messages,
    only,
    problems,
    read,
    story,
)


def plain(**fields: Any) -> Example:
    return only(read("plain", {"task": "Sum up incidents", **fields}))


def test_a_task_is_enough() -> None:
    example = plain()
    assert (example.task, example.session, example.steps) == (
        "Sum up incidents",
        "",
        (),
    )


def test_inputs_notes_and_what_else_is_known_are_kept() -> None:
    example = plain(
        inputs={"window": "24h", "sources": ["chat", "mail"]},
        notes="It names an owner.",
        session="s-3",
        started="2026-03-01",
        environment={"model": "some-model", "self": "a", "started": "b", "odd": []},
        output={"incidents": 3},
    )
    assert example.inputs == {"window": "24h", "sources": ["chat", "mail"]}
    assert example.notes == "It names an owner."
    assert (example.session, example.started) == ("s-3", "2026-03-01")
    assert example.environment == {"model": "some-model", "self": "a", "started": "b"}
    assert example.output == {"incidents": 3}


def test_an_expected_output_replaces_a_missing_output() -> None:
    assert plain(expected_output="Three.").output == "Three."
    assert plain(expected_output="Three.", output="Two.").output == "Two."


def test_steps_may_be_lines_of_text() -> None:
    example = plain(steps=["ask the pager", "write it up"])
    assert story(example) == [
        ("message", "assistant", "ask the pager"),
        ("message", "assistant", "write it up"),
    ]
    assert (example.messages, example.output) == (2, "")


@pytest.mark.parametrize(
    ("step", "steps"),
    [
        pytest.param(
            {"tool": "find", "args": {"q": 1}, "result": "ok"},
            [("call", "find", ""), ("observation", "find", "ok")],
            id="use",
        ),
        pytest.param(
            {"tool": "find", "arguments": {"q": 1}, "error": "lost"},
            [("call", "find", ""), ("error", "find", "lost")],
            id="failed",
        ),
        pytest.param(
            {"name": "find", "input": {"q": 1}, "observation": "Error: lost"},
            [("call", "find", ""), ("error", "find", "Error: lost")],
            id="failed-in-words",
        ),
        pytest.param({"tool": "find"}, [("call", "find", "")], id="call"),
        pytest.param(
            {"kind": "observation", "tool": "find", "text": "Error: in a log"},
            [("observation", "find", "Error: in a log")],
            id="ours",
        ),
        pytest.param(
            {"kind": "error", "tool": "find", "text": "ok"},
            [("error", "find", "ok")],
            id="our-error",
        ),
        pytest.param(
            {"role": "user", "name": "Ann", "content": "More"},
            [("message", "user", "More")],
            id="words",
        ),
        pytest.param(
            {"description": "read it"}, [("message", "assistant", "read it")], id="told"
        ),
    ],
)
def test_steps_may_be_objects(
    step: dict[str, Any], steps: list[tuple[str, ...]]
) -> None:
    assert story(plain(steps=[step])) == steps


def test_tools_that_are_only_named_are_its_tools() -> None:
    assert plain(tools=["pager", {"name": "chat"}, 5.5]).tools == ("pager", "chat")
    used = plain(tools=["pager"], steps=[{"tool": "mail"}])
    assert (used.tools, used.named_tools) == (("mail",), ())


@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        pytest.param("success", Outcome(OutcomeStatus.SUCCESS), id="word"),
        pytest.param("Failed", Outcome(OutcomeStatus.FAILURE), id="other-word"),
        pytest.param(True, Outcome(OutcomeStatus.SUCCESS), id="true"),
        pytest.param(False, Outcome(OutcomeStatus.FAILURE), id="false"),
        pytest.param("approved", Outcome(), id="unknown-word"),
        pytest.param(1, Outcome(), id="number"),
        pytest.param(["success"], Outcome(), id="list"),
        pytest.param(None, Outcome(), id="none"),
        pytest.param(
            {"status": "success", "source": "test"},
            Outcome(OutcomeStatus.SUCCESS),
            id="test",
        ),
        pytest.param(
            {"status": "success", "source": "human", "by": "me"},
            Outcome(OutcomeStatus.SUCCESS),
            id="human",
        ),
        pytest.param(
            {"status": "success", "verified_by": "llm"},
            Outcome(OutcomeStatus.SUCCESS, OutcomeSource.LLM),
            id="llm",
        ),
    ],
)
def test_an_outcome_is_a_claim_that_proves_nothing(
    outcome: Any, result: Outcome
) -> None:
    example = plain(outcome=outcome)
    assert example.outcome == result
    assert not example.outcome.is_verified


def test_a_status_does_not_set_the_outcome() -> None:
    example = plain(status="approved", reward=1, outcome_source="test")
    assert example.outcome == Outcome()
    assert example.environment == {}


@pytest.mark.parametrize("which", sorted(ALL))
def test_an_example_that_we_wrote_can_be_read_again(which: str) -> None:
    form, lines = ALL[which]
    example = only(read(form, *lines))
    written = json.loads(json.dumps(example.observed))
    again = only(read("plain", written))
    assert again.observed | {"format": form} == example.observed


def test_what_was_cut_stays_as_it_was_cut() -> None:
    steps = [
        {"tool": "write", "args": {"text": "x" * 9000, "n": list(range(99))}}
    ] * 500
    example = plain(steps=steps, inputs={"a": "y" * 9000})
    assert example.left_out == 100
    again = only(read("plain", json.loads(json.dumps(example.observed))))
    assert again == example


def test_every_record_is_an_episode() -> None:
    found = examples(read("plain", *PLAIN, {"task": "Another"}))
    assert [example.task for example in found][1:] == ["Another"]


@pytest.mark.parametrize("task", [None, "", "  ", 5, ["a"], {}])
def test_a_record_without_a_task_is_reported(task: Any) -> None:
    (problem,) = problems(read("plain", {"task": task, "steps": []}))
    assert problem.message == "a record without a task"


def test_invalid_steps_are_counted_and_the_rest_is_kept() -> None:
    found = read("plain", {"task": "Sort", "steps": [7, {}, "look", None]})
    assert messages(found) == ["3 of 4 steps are not understood"]
    assert story(examples(found)[0]) == [("message", "assistant", "look")]


@pytest.mark.parametrize("count", [-1, True, 10**12, "9", [1]])
def test_invalid_counts_are_ignored(count: Any) -> None:
    example = plain(messages=None if isinstance(count, list) else count, left_out=count)
    assert (example.messages, example.left_out) == (0, 0)
