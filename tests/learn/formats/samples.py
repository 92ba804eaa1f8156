"""Small transcripts of the same work in every format, and how to read them."""

from collections.abc import Iterable, Mapping
from typing import Any

from skillforge.learn.formats import Episode, FormatProblem, Record, RecordOrigin, named
from skillforge.model import Example

TASK = "Why does the nightly build fail?"
DONE = "The disk was full; I removed the old caches."
TIME = "2026-03-01T08:00:00Z"


def read(
    form: str,
    *values: Any,
    name: str = "night.jsonl",
    folder: tuple[str, ...] = (),
    beside: Mapping[str, bytes] | None = None,
) -> list[Episode]:
    files = beside or {}
    origin = RecordOrigin(name, folder, lambda asked: files.get(asked, b""))
    records = (Record(line, value) for line, value in enumerate(values, 1))
    return list(named(form).read(records, origin))


def examples(results: Iterable[Episode]) -> list[Example]:
    return [result for result in results if isinstance(result, Example)]


def problems(results: Iterable[Episode]) -> list[FormatProblem]:
    return [result for result in results if isinstance(result, FormatProblem)]


def messages(results: Iterable[Episode]) -> list[str]:
    """The messages of all problems."""
    return [problem.message for problem in problems(results)]


def only(results: list[Episode]) -> Example:
    """The only example of a transcript that was read without a problem."""
    (result,) = results
    assert isinstance(result, Example), result
    return result


def story(example: Example) -> list[tuple[str, ...]]:
    """The steps in short: kind, role or tool, and text."""
    return [(str(s.kind), s.role or s.tool, s.text) for s in example.steps]


STORY = [
    ("message", "user", TASK),
    ("call", "shell", ""),
    ("error", "shell", "Error: no space left"),
    ("call", "clean", ""),
    ("observation", "clean", "freed 20 GB"),
    ("message", "assistant", DONE),
]


# --- ATIF


def atif_step(source: str, message: Any = "", **more: Any) -> dict[str, Any]:
    return {"step_id": 1, "source": source, "message": message, **more}


def atif_use(key: str, tool: str, arguments: Any, content: Any) -> dict[str, Any]:
    call = {"tool_call_id": key, "function_name": tool, "arguments": arguments}
    result = {"source_call_id": key, "content": content}
    observation = {"results": [result]}
    return atif_step("agent", tool_calls=[call], observation=observation)


def atif(*steps: Any, **more: Any) -> dict[str, Any]:
    agent = {"name": "terminus", "version": "2.0", "model_name": "some-model"}
    document = {"schema_version": "ATIF-v1.6", "session_id": "s-1", "agent": agent}
    return document | {"steps": list(steps)} | more


ATIF = [
    atif(
        atif_step("system", "You are careful."),
        atif_step("user", TASK, timestamp=TIME),
        atif_use("c1", "shell", {"cmd": "df"}, "Error: no space left"),
        atif_use("c2", "clean", {"days": 3}, "freed 20 GB"),
        atif_step("agent", DONE, reasoning_content="I guess so."),
    )
]


# --- Claude Code


def claude(
    kind: str, content: Any, number: int = 0, message_id: int = 0, **more: Any
) -> dict[str, Any]:
    """A line, by its number; lines with the same `said` are of the same message."""
    message: dict[str, Any] = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": f"msg_{message_id or number}", "model": "some-model"}
    line = {"type": kind, "message": message, "sessionId": "s-1", "timestamp": TIME}
    if number:
        line["uuid"] = f"uuid-{number}"
    facts = {"cwd": "/home/me/shop", "version": "2.1.0", "gitBranch": "main"}
    return line | facts | {"isSidechain": False} | more


def claude_call(key: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": key, "name": tool, "input": arguments}


def claude_answer(key: str, content: Any, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": key, "content": content}
    return block | more


CLAUDE = [
    {"type": "summary", "summary": "Builds", "leafUuid": "u-9"},
    claude("user", TASK, 1),
    claude("assistant", [{"type": "thinking", "thinking": "Hm."}], 2, message_id=3),
    claude("assistant", [claude_call("t1", "shell", cmd="df")], 3),
    claude("user", [claude_answer("t1", "Error: no space left", is_error=True)], 4),
    claude("assistant", [claude_call("t2", "clean", days=3)], 5),
    claude("user", [claude_answer("t2", [{"type": "text", "text": "freed 20 GB"}])], 6),
    claude("assistant", [{"type": "text", "text": DONE}], 7),
]


# --- Codex


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": TIME, "type": kind, "payload": payload}


def codex_item(kind: str, **item: Any) -> dict[str, Any]:
    return codex("response_item", **{"type": kind, **item})


def codex_message(role: str, *texts: str) -> dict[str, Any]:
    blocks = [{"type": "input_text", "text": text} for text in texts]
    return codex_item("message", role=role, content=blocks)


def codex_meta(name: str = "s-1", **more: Any) -> dict[str, Any]:
    facts = {"cwd": "/home/me/shop", "cli_version": "0.65.0", "timestamp": TIME}
    git = {"branch": "main"}
    return codex("session_meta", id=name, git=git, **(facts | more))


CODEX = [
    codex_meta(),
    codex_message("developer", "Be careful."),
    codex_message("user", "<environment_context>linux</environment_context>"),
    codex_message("user", TASK),
    codex("event_msg", type="user_message", message=TASK),
    codex("turn_context", model="some-model", cwd="/home/me/shop"),
    codex_item("reasoning", summary=[{"type": "summary_text", "text": "Hm."}]),
    codex_item("function_call", name="shell", arguments='{"cmd":"df"}', call_id="c1"),
    codex_item("function_call_output", call_id="c1", output="Error: no space left"),
    codex_item("custom_tool_call", name="clean", input="3 days", call_id="c2"),
    codex_item("custom_tool_call_output", call_id="c2", output="freed 20 GB"),
    codex_message("assistant", DONE),
]

CODEX_OLD = [
    {"id": "s-1", "timestamp": TIME, "instructions": None, "git": {"branch": "main"}},
    {"record_type": "state"},
    *(line["payload"] for line in CODEX if line["type"] == "response_item"),
]


# --- Hermes


def hermes(*turns: tuple[str, Any], **more: Any) -> dict[str, Any]:
    talk = [{"from": who, "value": value} for who, value in turns]
    return {"conversations": talk, "completed": True, **more}


HERMES = [
    hermes(
        ("system", "You are a function calling model."),
        ("human", TASK),
        (
            "gpt",
            "<think>Hm.</think>\n"
            '<tool_call>\n{"name": "shell", "arguments": {"cmd": "df"}}\n</tool_call>',
        ),
        ("tool", "<tool_response>\nError: no space left\n</tool_response>"),
        (
            "gpt",
            '<tool_call>\n{"name": "clean", "arguments": {"days": 3}}\n</tool_call>',
        ),
        (
            "tool",
            '<tool_response>{"name": "clean", "content": "freed 20 GB"}'
            "</tool_response>",
        ),
        ("gpt", f"<think>Done.</think>{DONE}"),
        session_id="s-1",
        timestamp="2026-03-01T08:00:00",
        model="some-model",
    )
]


# --- OpenAI


def chat_call(key: str, name: str, arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": key, "type": "function", "function": function}


def chat_use(key: str, name: str, arguments: str, content: Any) -> list[dict[str, Any]]:
    call = chat_call(key, name, arguments)
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [asked, {"role": "tool", "tool_call_id": key, "content": content}]


MESSAGES = [
    {"role": "system", "content": "You are careful."},
    {"role": "user", "content": TASK},
    *chat_use("c1", "shell", '{"cmd": "df"}', "Error: no space left"),
    *chat_use("c2", "clean", '{"days": 3}', "freed 20 GB"),
    {"role": "assistant", "content": DONE},
]
CHAT = [{"messages": MESSAGES, "task_id": 7, "trial": 0, "reward": 1.0}]
TAU = [{"traj": MESSAGES, "task_id": 7, "trial": 1, "reward": 0, "info": {}}]


# --- plain

PLAIN = [
    {
        "task": TASK,
        "status": "approved",
        "session": "s-1",
        "inputs": {"window": "24h"},
        "notes": "Good, as it names the cause.",
        "steps": [
            {"role": "user", "content": TASK},
            {"tool": "shell", "args": {"cmd": "df"}, "error": "Error: no space left"},
            {"tool": "clean", "input": {"days": 3}, "output": "freed 20 GB"},
            {"kind": "message", "role": "assistant", "text": DONE},
        ],
    }
]

ALL: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "atif": ("atif", ATIF),
    "claude-code": ("claude-code", CLAUDE),
    "codex": ("codex", CODEX),
    "codex-old": ("codex", CODEX_OLD),
    "hermes": ("hermes", HERMES),
    "openai": ("openai", CHAT),
    "tau": ("openai", TAU),
    "plain": ("plain", PLAIN),
}
