import json
from typing import Any

import pytest

from tests.learn.formats.samples import (
    CODEX,
    CODEX_OLD,
    DONE,
    TASK,
    TIME,
    codex,
    codex_item,
    codex_message,
    codex_meta,
    examples,
    only,
    problems,
    read,
    story,
)


def rollout(*lines: Any, **place: Any) -> list[Any]:
    return read("codex", *lines, **place)


def test_where_it_ran_is_known() -> None:
    example = only(rollout(*CODEX))
    assert (example.session, example.started) == ("s-1", TIME)
    assert example.environment == {
        "agent": "codex",
        "model": "some-model",
        "cwd": "/home/me/shop",
        "project": "shop",
        "version": "0.65.0",
        "branch": "main",
    }


def test_the_flat_form_of_before_reads_the_same() -> None:
    old = only(rollout(*CODEX_OLD))
    assert (old.session, old.started) == ("s-1", TIME)
    assert story(old) == story(only(rollout(*CODEX)))


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(
            "<environment_context>\nlinux\n</environment_context>", id="place"
        ),
        pytest.param("<user_instructions>Be kind.</user_instructions>", id="user"),
        pytest.param("<user_instructions>Never closed", id="open"),
        pytest.param("# AGENTS.md instructions for /home/me\n\nBe kind.", id="agents"),
        pytest.param(
            "# AGENTS.md instructions for /home/me\n\n<INSTRUCTIONS>Be kind."
            "</INSTRUCTIONS>\n<environment_context>linux</environment_context>",
            id="together",
        ),
    ],
)
def test_generated_user_messages_are_not_requests(words: str) -> None:
    assert only(rollout(codex_message("user", words), *CODEX)).task == TASK
    assert only(rollout(codex_message("user", words, TASK))).task == TASK


def test_a_request_that_follows_what_was_injected_is_found() -> None:
    context = "<environment_context>linux</environment_context>\n"
    editor = f"# Context from my IDE setup:\n\n## My request for Codex:\n{TASK}\n"
    assert only(rollout(codex_message("user", context + TASK))).task == TASK
    assert only(rollout(codex_message("user", editor))).task == TASK


def test_very_many_injected_blocks_are_read_in_no_time() -> None:
    words = "<skill></skill>" * 100_000 + TASK
    assert only(rollout(codex_message("user", words))).task == TASK


def test_a_compaction_repeats_nothing() -> None:
    history = [line["payload"] for line in CODEX if line["type"] == "response_item"]
    compacted = codex("compacted", message="In short ...", replacement_history=history)
    lines = [*CODEX[:8], *[compacted] * 96, *CODEX[8:]]
    assert only(rollout(*lines)) == only(rollout(*CODEX))


def test_events_repeat_nothing() -> None:
    event = codex("event_msg", type="agent_message", message=DONE)
    assert only(rollout(*CODEX, event, event)) == only(rollout(*CODEX))


@pytest.mark.parametrize(
    ("output", "kind", "text"),
    [
        pytest.param("fine", "observation", "fine", id="text"),
        pytest.param(
            "Exit code: 1\nOutput:\n", "error", "Exit code: 1\nOutput:\n", id="exit"
        ),
        pytest.param(
            json.dumps({"output": "fine", "metadata": {"exit_code": 0}}),
            "observation",
            "fine",
            id="json",
        ),
        pytest.param(
            json.dumps({"output": "gone", "metadata": {"exit_code": 1}}),
            "error",
            "gone",
            id="json-exit",
        ),
        pytest.param(
            json.dumps({"output": "Error: a word", "metadata": {"exit_code": 0}}),
            "observation",
            "Error: a word",
            id="exit-beats-words",
        ),
        pytest.param({"content": "no", "success": False}, "error", "no", id="object"),
        pytest.param(
            {"content": "yes", "success": True}, "observation", "yes", id="yes"
        ),
        pytest.param(
            {"content": "x", "success": None}, "observation", "x", id="unsaid"
        ),
        pytest.param(
            [{"type": "input_text", "text": "part"}], "observation", "part", id="list"
        ),
        pytest.param('{"rows": 3}', "observation", '{"rows": 3}', id="other-json"),
        pytest.param('{"broken', "observation", '{"broken', id="broken"),
        pytest.param(None, "observation", "", id="nothing"),
    ],
)
def test_every_form_of_output_is_read(output: Any, kind: str, text: str) -> None:
    call = codex_item("function_call", name="shell", arguments="{}", call_id="c")
    answer = codex_item("function_call_output", call_id="c", output=output)
    steps = story(only(rollout(codex_message("user", TASK), call, answer)))
    assert steps[-1] == (kind, "shell", text)


@pytest.mark.parametrize(
    ("item", "tool", "arguments"),
    [
        pytest.param(
            codex_item("function_call", name="shell", arguments='{"cmd": ["ls"]}'),
            "shell",
            {"cmd": ["ls"]},
            id="function",
        ),
        pytest.param(
            codex_item("custom_tool_call", name="apply_patch", input="*** Begin"),
            "apply_patch",
            {"input": "*** Begin"},
            id="custom",
        ),
        pytest.param(
            codex_item("local_shell_call", action={"type": "exec", "command": ["ls"]}),
            "local_shell",
            {"type": "exec", "command": ["ls"]},
            id="local-shell",
        ),
        pytest.param(
            codex_item("web_search_call", action={"type": "search", "query": "q"}),
            "web_search",
            {"type": "search", "query": "q"},
            id="web-search",
        ),
        pytest.param(
            codex_item("function_call", name="shell", arguments="{broken"),
            "shell",
            {"input": "{broken"},
            id="broken",
        ),
    ],
)
def test_every_form_of_call_is_read(
    item: dict[str, Any], tool: str, arguments: dict[str, Any]
) -> None:
    (call,) = only(rollout(codex_message("user", TASK), item)).calls
    assert (call.tool, call.arguments) == (tool, arguments)


def test_calls_side_by_side_are_one_message_and_their_answers_one_each() -> None:
    calls = [
        codex_item("function_call", name="shell", arguments="{}", call_id=key)
        for key in "ab"
    ]
    answers = [
        codex_item("function_call_output", call_id=key, output="ok") for key in "ba"
    ]
    asked = codex_message("user", TASK)
    assert (
        only(
            rollout(asked, codex_message("assistant", "I look."), *calls, *answers)
        ).messages
        == 4
    )


def test_another_session_in_the_file_is_another_episode() -> None:
    found = examples(rollout(*CODEX, codex_meta("s-2"), *CODEX[1:]))
    assert [(example.session, example.task) for example in found] == [
        ("s-1", TASK),
        ("s-2", TASK),
    ]


def test_a_session_that_is_resumed_stays_one() -> None:
    example = only(rollout(*CODEX, codex_meta(), codex_message("user", "Thanks")))
    assert (example.session, example.task) == ("s-1", TASK)


def test_a_fork_that_repeats_its_parents_history_is_one_session_of_its_own() -> None:
    own = codex_meta("fork", forked_from_id="s-1", cwd="/home/me/fork")
    parent = codex_meta("s-1", forked_from_id="s-0")
    lines = [own, parent, *CODEX[1:6], codex_meta("s-0"), codex_meta("s-1"), *CODEX[6:]]
    example = only(rollout(*lines))
    assert (example.session, example.task) == ("fork", TASK)
    assert example.environment["project"] == "fork"
    assert example.environment["forked_from"] == "s-1"


def test_a_fork_that_does_not_name_its_parent_is_one_session_too() -> None:
    assert only(rollout(codex_meta("fork"), *CODEX)).session == "fork"


def test_without_an_id_the_session_is_named_after_its_file() -> None:
    example = only(rollout(*CODEX[1:], name="rollout-2026-03-01-ab.jsonl"))
    assert example.session == "rollout-2026-03-01-ab"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param({"type": "response_item"}, id="no-payload"),
        pytest.param({"type": "response_item", "payload": {}}, id="no-type"),
        pytest.param(codex_item("message", role="user"), id="no-content"),
        pytest.param({"type": ["message"]}, id="odd-type"),
    ],
)
def test_an_invalid_line_is_reported_with_its_number(line: dict[str, Any]) -> None:
    found = rollout(*CODEX[:2], line, *CODEX[2:])
    assert [problem.line for problem in problems(found)] == [3]
    assert examples(found) == [only(rollout(*CODEX))]


def test_items_of_tomorrow_are_passed_over() -> None:
    lines = [codex_item("ghost_snapshot", commit="a"), codex("world_state", a=1)]
    assert only(rollout(*CODEX, *lines)) == only(rollout(*CODEX))
