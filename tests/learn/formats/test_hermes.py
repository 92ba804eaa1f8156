import time
from typing import Any

import pytest

from skillforge.model import Outcome
from tests.learn.formats.samples import (
    DONE,
    HERMES,
    TASK,
    examples,
    hermes,
    messages,
    only,
    problems,
    read,
    story,
)

CALL = '<tool_call>{"name": "shell", "arguments": {"cmd": "df"}}</tool_call>'


def talk(*turns: tuple[str, Any], **more: Any) -> Any:
    return only(read("hermes", hermes(("human", TASK), *turns, **more)))


def test_session_time_and_model_are_known() -> None:
    example = only(read("hermes", *HERMES))
    assert (example.session, example.started) == ("s-1", "2026-03-01T08:00:00")
    assert example.environment == {"agent": "hermes", "model": "some-model"}


@pytest.mark.parametrize("completed", [True, False, None])
def test_completed_does_not_mean_success(completed: Any) -> None:
    stats = {"shell": {"count": 3, "success": 3, "failure": 0}}
    example = talk(("gpt", DONE), completed=completed, tool_stats=stats, reward=1)
    assert example.outcome == Outcome()


def test_answers_belong_to_calls_in_the_order_of_both() -> None:
    calls = CALL + CALL.replace("shell", "clean") + CALL.replace("shell", "mail")
    answers = (
        "<tool_response>one</tool_response>\n<tool_response>two</tool_response>"
        '<tool_response>{"name": "letter", "content": "three"}</tool_response>'
    )
    assert story(talk(("gpt", calls), ("tool", answers)))[4:] == [
        ("observation", "shell", "one"),
        ("observation", "clean", "two"),
        ("observation", "letter", "three"),
    ]


def test_a_call_that_was_never_answered_takes_no_later_answer() -> None:
    turns = [("gpt", CALL.replace("shell", "lost")), ("human", "Go on"), ("gpt", CALL)]
    assert story(talk(*turns, ("tool", "ok")))[-1] == ("observation", "shell", "ok")


def test_answers_may_come_in_messages_of_their_own_and_without_tags() -> None:
    turns = [("gpt", CALL + CALL.replace("shell", "clean")), ("tool", "one")]
    example = talk(*turns, ("function", "Error: two"))
    assert story(example)[3:] == [
        ("observation", "shell", "one"),
        ("error", "clean", "Error: two"),
    ]
    assert example.messages == 4


def test_an_answer_in_a_user_message_is_not_a_request() -> None:
    answer = "<tool_response>\nok\n</tool_response>"
    assert story(talk(("gpt", CALL), ("human", answer)))[-1] == (
        "observation",
        "shell",
        "ok",
    )


def test_an_answer_may_be_an_object() -> None:
    answer = '{"name": "shell", "content": {"output": "", "exit_code": 1}}'
    last = talk(("gpt", CALL), ("tool", f"<tool_response>{answer}</tool_response>"))
    assert story(last)[-1] == ("error", "shell", '{"output": "", "exit_code": 1}')


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(f"<think>Hm.</think>{DONE}", id="closed"),
        pytest.param(f"{DONE}<think>Hm. And", id="open"),
        pytest.param(f"Hm.</think>{DONE}", id="never-opened"),
        pytest.param(f"<think>a</think>{DONE}<think>b</think>", id="two"),
        pytest.param(f"<think>{CALL}</think>{DONE}", id="call-in-thought"),
        pytest.param(f"<thinking>Hm.</thinking>\n\n{DONE}", id="other-name"),
        pytest.param(
            f"<REASONING_SCRATCHPAD>Hm.</REASONING_SCRATCHPAD>{DONE}", id="scratchpad"
        ),
    ],
)
def test_thoughts_are_taken_out(value: str) -> None:
    assert story(talk(("gpt", value)))[1:] == [("message", "assistant", DONE)]


def test_a_call_after_a_thought_that_never_ends_is_a_call() -> None:
    assert story(talk(("gpt", f"<think>Hm.\n{CALL}")))[1:] == [("call", "shell", "")]


def test_an_argument_may_speak_of_thoughts() -> None:
    call = CALL.replace("df", "echo '<think>' '</think>'")
    (found,) = talk(("gpt", call)).calls
    assert found.arguments == {"cmd": "echo '<think>' '</think>'"}


def test_words_around_a_call_are_a_message() -> None:
    assert story(talk(("gpt", f"I look.\n{CALL}")))[1:] == [
        ("message", "assistant", "I look."),
        ("call", "shell", ""),
    ]


def test_a_call_that_is_not_json_is_reported_and_keeps_its_place() -> None:
    broken = "<tool_call>{'name': 'x'}</tool_call>"
    answers = "<tool_response>1</tool_response><tool_response>2</tool_response>"
    record = hermes(("human", TASK), ("gpt", broken + CALL), ("tool", answers))
    found = read("hermes", record)
    assert messages(found) == ["1 tool calls are not JSON"]
    assert story(examples(found)[0])[1:] == [
        ("call", "shell", ""),
        ("observation", "", "1"),
        ("observation", "shell", "2"),
    ]


def test_a_call_that_is_never_closed_is_read() -> None:
    value = CALL.removesuffix("</tool_call>")
    assert talk(("gpt", value)).tools == ("shell",)


def test_arguments_may_be_json_text() -> None:
    value = '<tool_call>{"name": "a", "arguments": "{\\"n\\": 1}"}</tool_call>'
    (call,) = talk(("gpt", value)).calls
    assert call.arguments == {"n": 1}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("<think>" * 200_000, id="thoughts"),
        pytest.param("<tool_call>" * 100_000, id="calls"),
        pytest.param("<think><tool_call></tool_call>" * 50_000, id="both"),
        pytest.param("<tool_response>" * 100_000, id="answers"),
    ],
)
def test_very_many_tags_are_read_in_no_time(value: str) -> None:
    started = time.process_time()
    assert examples(read("hermes", hermes(("human", TASK), ("gpt", value))))
    assert time.process_time() - started < 3


def test_every_record_is_an_episode_and_one_without_an_id_has_no_session() -> None:
    other = hermes(("user", "Sort them"), ("assistant", "Sorted."))
    found = examples(read("hermes", *HERMES, other))
    assert [(example.session, example.task) for example in found] == [
        ("s-1", TASK),
        ("", "Sort them"),
    ]


@pytest.mark.parametrize("turns", [[], {}, "Hi", None])
def test_a_record_without_conversations_is_reported(turns: Any) -> None:
    (problem,) = problems(read("hermes", {"conversations": turns}))
    assert problem.message == "a record without conversations"


def test_invalid_messages_are_counted_and_the_rest_is_kept() -> None:
    record = hermes(("human", TASK), ("oracle", "?"), ("gpt", DONE))
    record["conversations"].append(5)
    found = read("hermes", record)
    assert messages(found) == ["2 of 4 messages are not understood"]
    assert examples(found)[0].output == DONE
