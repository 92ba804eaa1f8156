from typing import Any

import pytest

from skillforge.model import Outcome, OutcomeSource, OutcomeStatus
from tests.learn.formats.samples import (
    CHAT,
    DONE,
    MESSAGES,
    TASK,
    TAU,
    chat_call,
    chat_use,
    examples,
    messages,
    only,
    problems,
    read,
    story,
)

ASKED = {"role": "user", "content": TASK}


def chat(*messages: Any, **more: Any) -> Any:
    return only(read("openai", {"messages": [ASKED, *messages], **more}))


def test_arguments_are_read_from_their_json_text() -> None:
    assert [call.arguments for call in only(read("openai", *CHAT)).calls] == [
        {"cmd": "df"},
        {"days": 3},
    ]


def test_the_reward_of_a_tau_bench_run_sets_the_outcome() -> None:
    won, lost = examples(read("openai", *CHAT, *TAU))
    assert won.outcome == Outcome(
        OutcomeStatus.SUCCESS, OutcomeSource.VERIFIER, "reward"
    )
    assert lost.outcome == Outcome(
        OutcomeStatus.FAILURE, OutcomeSource.VERIFIER, "reward"
    )
    assert (won.session, lost.session) == ("7-0", "7-1")
    assert won.environment == {"task": "7"}


@pytest.mark.parametrize(
    ("more", "status"),
    [
        pytest.param({}, OutcomeStatus.UNKNOWN, id="none"),
        pytest.param({"reward": True}, OutcomeStatus.SUCCESS, id="true"),
        pytest.param({"reward": "0.0"}, OutcomeStatus.FAILURE, id="text"),
        pytest.param({"info": {"reward": 1}}, OutcomeStatus.SUCCESS, id="info"),
        pytest.param(
            {"reward": 0, "info": {"reward": 1}}, OutcomeStatus.FAILURE, id="both"
        ),
        pytest.param({"reward": {"a": 1}}, OutcomeStatus.UNKNOWN, id="odd"),
    ],
)
def test_a_reward_is_taken_as_it_comes(
    more: dict[str, Any], status: OutcomeStatus
) -> None:
    assert chat(**more).outcome.status is status


@pytest.mark.parametrize(
    ("more", "session"),
    [
        pytest.param({}, "", id="none"),
        pytest.param({"task_id": 0, "trial": 0}, "0-0", id="run"),
        pytest.param({"task_id": "a"}, "a", id="task"),
        pytest.param({"id": "c-1"}, "c-1", id="id"),
        pytest.param({"session_id": "s", "task_id": 1, "trial": 2}, "s", id="session"),
        pytest.param({"id": ["c"], "session_id": {}}, "", id="odd"),
    ],
)
def test_the_record_names_the_session(more: dict[str, Any], session: str) -> None:
    assert chat(**more).session == session


def test_an_id_that_repeats_means_the_latest_call_with_it() -> None:
    uses = [*chat_use("c", "one", "{}", "1"), *chat_use("c", "two", "{}", "2")]
    assert story(chat(*uses))[1:] == [
        ("call", "one", ""),
        ("observation", "one", "1"),
        ("call", "two", ""),
        ("observation", "two", "2"),
    ]


def test_several_calls_in_a_message_are_matched_by_id() -> None:
    calls = [chat_call("a", "one", "{}"), chat_call("b", "two", "{}")]
    message = {"role": "assistant", "content": "I look.", "tool_calls": calls}
    answers = [{"role": "tool", "tool_call_id": key, "content": key} for key in "ba"]
    assert story(chat(message, *answers))[1:] == [
        ("message", "assistant", "I look."),
        ("call", "one", ""),
        ("call", "two", ""),
        ("observation", "two", "b"),
        ("observation", "one", "a"),
    ]


def test_the_single_function_call_of_before_is_read() -> None:
    call = {"name": "shell", "arguments": '{"cmd": "df"}'}
    message = {"role": "assistant", "content": None, "function_call": call}
    answer = {"role": "function", "name": "shell", "content": "ok"}
    example = chat(message, answer)
    assert story(example)[1:] == [("call", "shell", ""), ("observation", "shell", "ok")]
    assert next(example.calls).arguments == {"cmd": "df"}


def test_content_may_be_a_list_of_parts() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:..."}}
    parts = [{"type": "text", "text": "One."}, image, {"type": "text", "text": "Two."}]
    assert chat({"role": "assistant", "content": parts}).output == "One.\nTwo."


@pytest.mark.parametrize(
    ("arguments", "read_as"),
    [
        pytest.param({"a": 1}, {"a": 1}, id="object"),
        pytest.param("not json", {"input": "not json"}, id="text"),
        pytest.param("[1]", {"input": "[1]"}, id="list"),
        pytest.param("", {}, id="empty"),
        pytest.param(None, {}, id="none"),
        pytest.param(5, {"input": 5}, id="number"),
    ],
)
def test_any_arguments_are_an_object(arguments: Any, read_as: dict[str, Any]) -> None:
    calls = [chat_call("c", "shell", arguments)]
    message = {"role": "assistant", "tool_calls": calls}
    assert next(chat(message).calls).arguments == read_as


def test_an_answer_that_is_an_object_is_json() -> None:
    answer = {"role": "tool", "name": "find", "content": {"error": "lost"}}
    assert story(chat(answer))[-1] == ("error", "find", '{"error": "lost"}')


@pytest.mark.parametrize("messages", [[], {}, "Hi", None])
def test_a_record_without_messages_is_reported(messages: Any) -> None:
    (problem,) = problems(read("openai", {"messages": messages}))
    assert problem.message == "a record without messages"


def test_invalid_messages_are_counted_and_the_rest_is_kept() -> None:
    record = {"messages": [*MESSAGES, 5, {"role": ["user"]}, {"content": "who?"}]}
    found = read("openai", record)
    assert messages(found) == ["3 of 10 messages are not understood"]
    assert examples(found)[0].output == DONE


def test_a_conversation_without_a_request_is_reported() -> None:
    (problem,) = problems(read("openai", {"messages": MESSAGES[2:]}))
    assert "without a user request" in problem.message
