from typing import Any

import pytest

from skillforge.learn.formats import Record, RecordOrigin, named
from skillforge.model import Example, Outcome, OutcomeSource, OutcomeStatus, StepKind
from tests.learn.formats.samples import (
    ATIF,
    DONE,
    TASK,
    atif,
    atif_step,
    atif_use,
    examples,
    messages,
    only,
    problems,
    read,
    story,
)


def test_agent_model_and_time_are_known() -> None:
    example = only(read("atif", *ATIF))
    assert example.session == "s-1"
    assert example.started == "2026-03-01T08:00:00Z"
    assert example.environment == {
        "agent": "terminus",
        "version": "2.0",
        "model": "some-model",
    }


@pytest.mark.parametrize("version", ["1.4", "1.5", "1.6", "1.7"])
def test_every_version_is_read(version: str) -> None:
    document = ATIF[0] | {"schema_version": f"ATIF-v{version}", "new": {"in": version}}
    assert only(read("atif", document)).task == TASK


def test_a_message_may_be_a_list_of_parts() -> None:
    parts = [{"type": "text", "text": TASK}, {"type": "image", "source": {"path": "a"}}]
    document = atif(atif_step("user", parts), atif_step("agent", DONE))
    assert only(read("atif", document)).task == TASK


def test_answers_are_matched_to_calls_by_id_and_not_by_order() -> None:
    calls = [
        {"tool_call_id": "a", "function_name": "first", "arguments": {"n": 1}},
        {"tool_call_id": "b", "function_name": "second", "arguments": {}},
    ]
    results = [
        {"source_call_id": "b", "content": "of second"},
        {"source_call_id": "a", "content": "of first"},
        {"source_call_id": None, "content": "of none"},
    ]
    step = atif_step("agent", tool_calls=calls, observation={"results": results})
    steps = story(only(read("atif", atif(atif_step("user", TASK), step))))
    assert steps[3:] == [
        ("observation", "second", "of second"),
        ("observation", "first", "of first"),
        ("observation", "", "of none"),
    ]


def test_references_to_sub_agents_are_passed_over() -> None:
    step = atif_use("c", "delegate", {}, None)
    result = step["observation"]["results"][0]
    result["subagent_trajectory_ref"] = [{"session_id": "s-2"}]
    inner = atif(atif_step("user", "Do a part"))
    document = atif(atif_step("user", TASK), step, subagent_trajectories=[inner])
    assert story(only(read("atif", document)))[1:] == [
        ("call", "delegate", ""),
        ("observation", "delegate", ""),
    ]


def test_steps_copied_from_an_earlier_trajectory_tell_only_the_task() -> None:
    document = atif(
        atif_step("user", TASK, is_copied_context=True),
        atif_step("agent", "old words", is_copied_context=True),
        atif_step("agent", DONE),
    )
    example = only(read("atif", document))
    assert example.task == TASK
    assert story(example) == [("message", "assistant", DONE)]


def test_several_documents_are_several_episodes() -> None:
    other = ATIF[0] | {"session_id": "s-2"}
    assert [example.session for example in examples(read("atif", *ATIF, other))] == [
        "s-1",
        "s-2",
    ]


@pytest.mark.parametrize(
    ("name", "content", "status"),
    [
        pytest.param(
            "result.json",
            b'{"verifier_result": {"rewards": {"reward": 1.0}}}',
            OutcomeStatus.SUCCESS,
            id="harbor",
        ),
        pytest.param(
            "result.json",
            b'{"verifier_result": {"rewards": {"tests": 0.5}}}',
            OutcomeStatus.FAILURE,
            id="only-one",
        ),
        pytest.param(
            "result.json",
            b'{"verifier_result": {"rewards": {"a": 1, "b": 0}}}',
            OutcomeStatus.UNKNOWN,
            id="which",
        ),
        pytest.param(
            "result.json",
            b'{"verifier_result": null}',
            OutcomeStatus.UNKNOWN,
            id="not-run",
        ),
        pytest.param(
            "reward.json", b'{"reward": 0.75}', OutcomeStatus.FAILURE, id="json"
        ),
        pytest.param("reward.txt", b"1\n", OutcomeStatus.SUCCESS, id="text"),
        pytest.param("reward.txt", b"0", OutcomeStatus.FAILURE, id="failed"),
        pytest.param("reward.txt", b"\xff\xfe", OutcomeStatus.UNKNOWN, id="garbage"),
        pytest.param("result.json", b"[" * 10**5, OutcomeStatus.UNKNOWN, id="deep"),
    ],
)
def test_a_verifier_beside_the_trajectory_sets_the_outcome(
    name: str, content: bytes, status: OutcomeStatus
) -> None:
    outcome = only(read("atif", *ATIF, beside={name: content})).outcome
    is_judged = status is not OutcomeStatus.UNKNOWN
    source = OutcomeSource.VERIFIER if is_judged else OutcomeSource.NONE
    assert outcome == Outcome(status, source, name if is_judged else "")


def test_a_verdict_beside_many_trajectories_is_of_none_of_them() -> None:
    found = read("atif", *ATIF, *ATIF, beside={"reward.txt": b"1"})
    assert {example.outcome for example in examples(found)} == {Outcome()}


def test_a_verdict_is_not_of_the_last_of_many_that_is_read_later() -> None:
    origin = RecordOrigin("many.jsonl", (), lambda _name: b"1")
    (example,) = named("atif").read([Record(9, ATIF[0])], origin)
    assert isinstance(example, Example)
    assert example.outcome == Outcome()


def test_a_trajectory_with_odd_steps_keeps_its_verdict() -> None:
    document = atif(*ATIF[0]["steps"], 7)
    found = read("atif", document, beside={"reward.txt": b"1"})
    assert examples(found)[0].has_succeeded


def test_a_reward_that_the_trajectory_itself_claims_is_not_believed() -> None:
    claim = {"reward": 1, "extra": {"reward": 1}, "success": True}
    assert only(read("atif", ATIF[0] | claim)).outcome == Outcome()


@pytest.mark.parametrize(
    ("name", "folder", "session"),
    [
        pytest.param("trajectory.json", ("job", "t-7", "agent"), "t-7", id="trial"),
        pytest.param("trajectory.json", (), "trajectory", id="nowhere"),
        pytest.param("run-5.json", ("job",), "run-5", id="file"),
    ],
)
def test_without_an_id_the_session_is_named_after_its_place(
    name: str, folder: tuple[str, ...], session: str
) -> None:
    document = atif(*ATIF[0]["steps"], session_id=None)
    assert only(read("atif", document, name=name, folder=folder)).session == session


def test_documents_without_ids_are_different_sessions() -> None:
    document = atif(*ATIF[0]["steps"], session_id=None)
    found = examples(read("atif", document, document))
    assert len({example.session for example in found}) == 2


@pytest.mark.parametrize("steps", [None, [], {}, "all"])
def test_a_trajectory_without_steps_is_reported(steps: Any) -> None:
    (problem,) = problems(read("atif", atif(steps=steps)))
    assert "without steps" in problem.message


def test_invalid_steps_are_counted_and_the_rest_is_kept() -> None:
    document = atif(*ATIF[0]["steps"], 7, {"source": "oracle"}, {"source": ["user"]})
    found = read("atif", document)
    assert messages(found) == ["3 of 8 steps are not understood"]
    assert examples(found)[0].output == DONE


def test_an_error_is_known_by_its_words() -> None:
    kinds = [step.kind for step in only(read("atif", *ATIF)).steps]
    assert kinds.count(StepKind.ERROR) == 1
