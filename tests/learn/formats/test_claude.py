from typing import Any

import pytest

from tests.learn.formats.samples import (
    CLAUDE,
    DONE,
    TASK,
    claude,
    claude_answer,
    claude_call,
    examples,
    only,
    problems,
    read,
    story,
)


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def session(*lines: dict[str, Any], **place: Any) -> list[Any]:
    return read("claude-code", *lines, **place)


ASKED = claude("user", TASK, 900)


def test_where_it_ran_is_known() -> None:
    example = only(session(*CLAUDE))
    assert example.session == "s-1"
    assert example.started == "2026-03-01T08:00:00Z"
    assert example.environment == {
        "agent": "claude-code",
        "model": "some-model",
        "cwd": "/home/me/shop",
        "project": "shop",
        "version": "2.1.0",
        "branch": "main",
    }


def test_a_message_written_block_by_block_is_one_message() -> None:
    words, call = text("I look."), claude_call("t1", "shell")
    example = only(
        session(
            ASKED,
            claude("assistant", [words], 1, message_id=5),
            claude("assistant", [words, call], 2, message_id=5),
            claude("assistant", [words, call], 3, message_id=5),
            claude("user", [claude_answer("t1", "ok")], 4),
        )
    )
    assert story(example)[1:] == [
        ("message", "assistant", "I look."),
        ("call", "shell", ""),
        ("observation", "shell", "ok"),
    ]
    assert example.messages == 3


def test_the_same_words_in_two_messages_are_said_twice() -> None:
    lines = [claude("assistant", [text("Done.")], n) for n in (1, 2)]
    assert len(only(session(ASKED, *lines)).steps) == 3


def test_lines_that_a_resumed_session_repeats_count_once() -> None:
    again = [line | {"sessionId": "s-2"} for line in CLAUDE[1:]]
    more = claude("user", "And now the weekly one", 50, sessionId="s-2")
    first, second = examples(session(*CLAUDE, *again, more))
    assert first == only(session(*CLAUDE))
    assert (second.session, second.task) == ("s-2", "And now the weekly one")


def test_an_answer_that_is_repeated_under_another_line_counts_once() -> None:
    lines = [claude("user", [claude_answer("t1", "ok")], n) for n in (1, 2)]
    assert len(only(session(ASKED, *lines)).steps) == 2


def test_another_session_id_is_another_episode() -> None:
    other = [
        line | {"sessionId": "s-2", "uuid": f"x{n}"} for n, line in enumerate(CLAUDE)
    ]
    found = examples(session(*CLAUDE, *other[1:]))
    assert [(example.session, example.task) for example in found] == [
        ("s-1", TASK),
        ("s-2", TASK),
    ]


def test_what_sub_agents_did_is_passed_over() -> None:
    aside = [line | {"isSidechain": True, "uuid": "y"} for line in CLAUDE[1:]]
    assert only(session(*aside, *CLAUDE, *aside)) == only(session(*CLAUDE))
    assert session(*CLAUDE, folder=("projects", "s-1", "subagents")) == []
    far = ("home", "subagents", ".claude", "projects", "shop")
    assert only(session(*CLAUDE, folder=far)) == only(session(*CLAUDE))


def test_a_compaction_summary_is_neither_a_request_nor_a_new_episode() -> None:
    summary = claude("user", "The user wants ...", 60, isCompactSummary=True)
    boundary = {"type": "system", "subtype": "compact_boundary", "parentUuid": None}
    example = only(session(summary, *CLAUDE[:4], boundary, summary, *CLAUDE[4:]))
    assert example == only(session(*CLAUDE))


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(claude("user", "Caveat", isMeta=True), id="meta"),
        pytest.param(
            claude("user", "<command-name>/clear</command-name>"), id="command"
        ),
        pytest.param(
            claude("user", "<command-message>x</command-message>"), id="command-message"
        ),
        pytest.param(
            claude("user", "<local-command-stdout>ok</local-command-stdout>"),
            id="stdout",
        ),
        pytest.param(
            claude("user", "<system-reminder>Be brief.</system-reminder>"),
            id="reminder",
        ),
        pytest.param(claude("user", "<system-reminder>Never closed"), id="open"),
        pytest.param(
            claude("user", [text("[Request interrupted by user for tool use]")]),
            id="interrupted",
        ),
        pytest.param(claude("user", "<task-notification>x"), id="notification"),
        pytest.param(
            claude(
                "user",
                "This session is being continued from a previous conversation that",
            ),
            id="continued",
        ),
        pytest.param(claude("user", [{"type": "image", "source": {}}]), id="image"),
    ],
)
def test_generated_user_messages_are_not_requests(
    line: dict[str, Any],
) -> None:
    assert only(session(line, *CLAUDE, line)) == only(session(*CLAUDE))


def test_reminders_are_taken_out_of_what_was_said_and_answered() -> None:
    reminder = "<system-reminder>Be\nbrief.</system-reminder>"
    lines = [
        claude("user", [text(reminder), text(f"{reminder} {TASK}")], 1),
        claude("assistant", [claude_call("t", "read")], 2),
        claude("user", [claude_answer("t", f"1 line{reminder}")], 3),
    ]
    example = only(session(*lines))
    assert example.task == TASK
    assert example.steps[-1].text == "1 line"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(
            claude("assistant", [text("API Error: 529")], 70, isApiErrorMessage=True),
            id="error",
        ),
        pytest.param(
            claude("assistant", [text("No response requested.")], 71)
            | {"message": {"model": "<synthetic>", "content": [text("No response")]}},
            id="synthetic",
        ),
    ],
)
def test_text_without_a_model_is_not_an_output(line: dict[str, Any]) -> None:
    assert only(session(*CLAUDE, line)).output == DONE


@pytest.mark.parametrize(
    "kind", ["system", "progress", "queue-operation", "file-history-snapshot", "x-new"]
)
def test_other_lines_are_passed_over_without_trouble(kind: str) -> None:
    line = {"type": kind, "sessionId": "s-9", "content": "Error", "uuid": "z"}
    assert only(session(line, *CLAUDE, line)) == only(session(*CLAUDE))


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        pytest.param(claude_answer("t", "fine", is_error=True), "error", id="flag"),
        pytest.param(
            claude_answer("t", "Error: in a log", is_error=False),
            "observation",
            id="no-error",
        ),
        pytest.param(claude_answer("t", "Error: lost"), "error", id="words"),
        pytest.param(claude_answer("t", None), "observation", id="nothing"),
    ],
)
def test_a_flag_says_what_failed_and_words_do_without_one(
    block: dict[str, Any], kind: str
) -> None:
    call = claude("assistant", [claude_call("t", "shell")], 1)
    line = claude("user", [block], 2, toolUseResult={"stdout": "unused"})
    assert story(only(session(ASKED, call, line)))[-1][:2] == (kind, "shell")


def test_without_an_id_the_session_is_named_after_its_file() -> None:
    lines = [{k: v for k, v in record.items() if k != "sessionId"} for record in CLAUDE]
    assert only(session(*lines, name="5f2c.jsonl.gz")).session == "5f2c"


def test_a_session_without_a_request_is_reported() -> None:
    (problem,) = problems(session(claude("assistant", [text("Hello")], 1)))
    assert "without a user request" in problem.message


def test_a_session_without_any_message_is_nothing() -> None:
    assert session(CLAUDE[0]) == []


@pytest.mark.parametrize("content", [None, 7, {"type": "text"}])
def test_a_message_without_content_is_reported_with_its_line(content: Any) -> None:
    found = session(ASKED, claude("assistant", content, 1), *CLAUDE)
    assert [(problem.line, problem.message) for problem in problems(found)] == [
        (2, "a message without content")
    ]
