"""What holds for every format: who knows what, and that nothing makes it stop."""

import copy
import json
import tracemalloc
from collections.abc import Iterator
from itertools import repeat
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillforge.errors import RequestError
from skillforge.learn.formats import Record, RecordOrigin, formats, named, recognise
from skillforge.model import Example, OutcomeSource, OutcomeStatus
from tests.learn.formats import samples
from tests.learn.formats.samples import ALL, DONE, STORY, TASK, only, read, story

NAMES = list(dict.fromkeys(form for form, _lines in ALL.values()))


Sample: TypeAlias = tuple[str, list[dict[str, Any]]]


@pytest.fixture(params=sorted(ALL))
def sample(request: pytest.FixtureRequest) -> Sample:
    return ALL[request.param]


def test_every_format_has_a_sample() -> None:
    assert sorted(formats()) == sorted(NAMES)


def test_a_format_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(RequestError) as stop:
        named("diary")
    assert "hermes" in stop.value.hint


def test_a_file_is_known_by_its_own_format_and_by_no_other(sample: Sample) -> None:
    form, lines = sample
    known = {
        name for name, reader in formats().items() if any(map(reader.knows, lines))
    }
    assert known == {form}
    found = recognise(lines)
    assert found is not None
    assert form == found.NAME


@pytest.mark.parametrize(
    ("first", "form"),
    [
        pytest.param({"type": "summary", "leafUuid": "u"}, "claude-code", id="summary"),
        pytest.param(
            {"type": "file-history-snapshot", "messageId": "u", "snapshot": {}},
            "claude-code",
            id="snapshot",
        ),
        pytest.param(
            {"type": "queue-operation", "operation": "enqueue", "sessionId": "s"},
            "claude-code",
            id="queue",
        ),
        pytest.param(samples.claude("user", "Hi"), "claude-code", id="line"),
        pytest.param(samples.codex_meta(), "codex", id="meta"),
        pytest.param(samples.CODEX_OLD[0], "codex", id="old-meta"),
        pytest.param({"record_type": "state"}, "codex", id="state"),
        pytest.param({"schema_version": "ATIF-v1.4"}, "atif", id="version"),
        pytest.param({"agent": {}, "steps": []}, "atif", id="no-version"),
        pytest.param(
            {"schema_version": "1.4", "agent": {}, "steps": []}, "atif", id="bare"
        ),
        pytest.param({"task": "Sort", "agent": {}, "steps": []}, "plain", id="task"),
        pytest.param(
            {"task": "a", "id": "b", "timestamp": "c", "git": {}}, "plain", id="dated"
        ),
        pytest.param({"task": "Sort", "messages": 4}, "plain", id="counted"),
        pytest.param({"task": "Sort", "messages": []}, "openai", id="task-of-chat"),
        pytest.param(
            {"id": "a", "timestamp": "b", "instructions": "", "messages": []},
            "openai",
            id="chat-with-instructions",
        ),
        pytest.param({"messages": [], "conversations": []}, "hermes", id="both"),
    ],
)
def test_one_object_is_enough_to_tell(first: dict[str, Any], form: str) -> None:
    assert [name for name, reader in formats().items() if reader.knows(first)] == [form]


@pytest.mark.parametrize(
    "first",
    [
        pytest.param({}, id="empty"),
        pytest.param({"task": "  "}, id="no-task"),
        pytest.param({"task": ["a"]}, id="task-list"),
        pytest.param({"type": "user"}, id="type-only"),
        pytest.param({"name": "skillforge", "version": "1"}, id="package"),
        pytest.param({"steps": [1], "jobs": {}}, id="workflow"),
        pytest.param({"type": ["user"], "payload": {}, "sessionId": 1}, id="odd"),
    ],
)
def test_no_format_recognises_other_files(first: dict[str, Any]) -> None:
    assert recognise([first]) is None


def test_the_same_work_reads_alike_in_every_format(sample: Sample) -> None:
    form, lines = sample
    example = only(read(form, *lines))
    assert example.task == TASK
    assert example.format == form
    assert example.output == DONE
    assert story(example) == STORY
    assert example.tools == ("shell", "clean")
    assert example.messages == 6
    assert example.left_out == 0


def test_thoughts_and_system_prompts_are_not_steps(sample: Sample) -> None:
    text = str(only(read(sample[0], *sample[1])).observed)
    assert "Hm." not in text
    assert "careful" not in text


def test_a_review_in_a_transcript_is_not_believed(sample: Sample) -> None:
    form, lines = sample
    review = {"status": "approved", "reviewer": "me", "outcome_source": "test"}
    claims = {"status": "approved", "outcome_source": "human", "reviewed_by": "me"}
    believed = only(read(form, *lines))
    example = only(read(form, *(line | claims | {"review": review} for line in lines)))
    assert example.outcome == believed.outcome
    assert example.review.status == "pending"


def test_reading_twice_gives_the_same_id(sample: Sample) -> None:
    form, lines = sample
    assert only(read(form, *lines)).id == only(read(form, *lines)).id


def test_an_invalid_object_is_reported_and_reading_continues(
    sample: Sample,
) -> None:
    form, lines = sample
    found = read(form, {"neither": "this"}, *lines)
    assert [problem.line for problem in samples.problems(found)] == [1]
    assert [example.task for example in samples.examples(found)] == [TASK]


def test_a_value_that_is_not_an_object_is_reported_and_reading_continues(
    sample: Sample,
) -> None:
    form, lines = sample
    found = read(form, ["a"], *lines)
    assert [problem.line for problem in samples.problems(found)] == [1]
    assert len(samples.examples(found)) == 1


def test_no_records_make_no_episodes() -> None:
    assert [read(name) for name in NAMES] == [[]] * len(NAMES)


KEYS = (
    "type message content role task steps messages conversations from value payload "
    "session_id sessionId uuid id call_id output text name input arguments tool_calls "
    "function observation results source agent git timestamp metadata exit_code self "
    "environment outcome status reward info traj kind tool is_error started"
)
WORDS = (
    "user assistant agent tool message call text tool_use tool_result session_meta "
    'response_item function_call function_call_output gpt human {} {"a":1} <think> '
    "<tool_call>{</tool_call> <tool_response> Error: ATIF-v1.7 \ud800 1 success"
)
LEAVES = st.one_of(
    st.sampled_from(WORDS.split()),
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
)


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=8)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.lists(inner, max_size=4), _objects(inner))


VALUES = st.recursive(LEAVES, _nested, max_leaves=15)
OBJECTS = _objects(VALUES)
QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@QUICK
@given(st.lists(OBJECTS, max_size=3))
def test_no_objects_make_a_reader_raise(values: list[dict[str, Any]]) -> None:
    for name in NAMES:
        for found in read(name, *values):
            assert not isinstance(found, Example) or found.id
    recognise(values)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container and key in a value."""
    todo = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, dict | list):
            keys: Any = list(part) if isinstance(part, dict) else range(len(part))
            todo.extend(part[key] for key in keys)
            yield from ((part, key) for key in keys)


@QUICK
@given(st.sampled_from(sorted(ALL)), st.data())
def test_nothing_put_into_a_good_transcript_makes_its_reader_raise(
    which: str, data: st.DataObject
) -> None:
    form, lines = ALL[which]
    changed = copy.deepcopy(lines)
    for _ in range(data.draw(st.integers(1, 3))):
        part, key = data.draw(st.sampled_from(list(_places(changed))))
        part[key] = data.draw(VALUES)
    for found in read(form, *changed):
        assert not isinstance(found, Example) or found.id


def test_any_depth_can_be_read(sample: Sample) -> None:
    form, lines = sample
    deep: Any = "end"
    for turn in range(20_000):
        deep = [deep] if turn % 2 else {"content": deep, "arguments": deep}
    plainly: Any = {}
    for _ in range(20_000):
        plainly = {"a": plainly}
    turns = [{"role": "user", "content": TASK}, {"role": "tool", "content": plainly}]
    assert only(read("openai", {"messages": turns})).messages == 2
    for number, line in enumerate(lines):
        for key in ("message", "steps", "payload", "messages", "conversations"):
            read(form, *lines[:number], line | {key: deep}, *lines[number + 1 :])
            inner = line[key] if isinstance(line.get(key), dict) else {}
            within = {key: inner | {"content": deep, "arguments": deep}}
            read(form, *lines[:number], line | within)


def endless(form: str, count: int) -> Iterator[dict[str, Any]]:
    if form == "claude-code":
        yield samples.claude("user", TASK, 1)
        line, block = samples.CLAUDE[3], samples.claude_call("t", "shell", cmd="df")
        for number in range(count - 1):
            content = [block | {"id": f"t{number}"}]
            message = {"id": f"m{number}", "content": content}
            yield line | {"uuid": f"u{number}", "message": message}
    else:
        yield from samples.CODEX[:4]
        call = {"name": "shell", "arguments": "{}", "type": "function_call"}
        for number in range(count - 4):
            yield {"type": "response_item", "payload": call | {"call_id": number}}


@pytest.mark.parametrize(
    ("form", "count"), [("claude-code", 25_000), ("codex", 25_000)]
)
def test_a_session_of_any_length_is_kept_to_its_start_and_end(
    form: str, count: int
) -> None:
    lines = endless(form, count)
    records = (Record(line, value) for line, value in enumerate(lines, 1))
    (example,) = named(form).read(records, RecordOrigin("long.jsonl"))
    assert isinstance(example, Example)
    assert len(example.steps) == 400
    assert example.left_out + len(example.steps) > count - 10
    assert example.steps[0].text == TASK


@pytest.mark.parametrize("form", ["claude-code", "codex"])
def test_what_is_left_out_is_not_held_in_memory(form: str) -> None:
    def lines() -> Iterator[dict[str, Any]]:
        for number in range(1, 2000):
            text = f"{number} " * 5000  # some 25 kB, fifty megabytes together
            block = {"type": "text", "text": text}
            yield samples.claude("assistant" if number % 2 else "user", [block], number)
            yield samples.codex_message("assistant" if number % 2 else "user", text)

    own = (line for line in lines() if ("payload" in line) == (form == "codex"))
    tracemalloc.start()
    found = list(
        named(form).read(map(Record, repeat(1), own), RecordOrigin("long.jsonl"))
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 1
    assert peak < 10_000_000


@pytest.mark.parametrize("form", ["atif", "hermes", "openai", "plain"])
def test_episodes_come_as_they_are_read(form: str) -> None:
    (value,) = ALL[form][1]
    endless_file = (Record(line, value) for line in range(1, 10**9))
    found = named(form).read(endless_file, RecordOrigin("many.jsonl"))
    assert [isinstance(next(found), Example) for _ in range(50)] == [True] * 50


def test_long_texts_and_arguments_are_cut_in_the_middle() -> None:
    text = "start" + "x" * 1_000_000 + "end"
    arguments = json.dumps(
        {"text": text, "many": list(range(10**5)), "d": [[[[text]]]]}
    )
    messages = [
        {"role": "user", "content": text},
        *samples.chat_use("c", "write", arguments, text),
        {"role": "assistant", "content": text},
    ]
    example = only(read("openai", {"messages": messages}))
    texts = [example.task, example.output, *(s.text for s in example.steps if s.text)]
    assert {len(text) for text in texts} == {4000}
    assert all(text.startswith("start") and text.endswith("end") for text in texts)
    assert all("…" in text for text in texts)
    (call,) = example.calls
    assert len(call.arguments["text"]) == 4000
    assert len(str(call.arguments)) < 20_000


def test_arguments_of_very_many_parts_are_cut_short() -> None:
    wide = [[[["y"] * 50] * 50] * 50] * 50
    calls = [samples.chat_call("c", "write", {"wide": wide, "deep": wide})]
    turns = [
        {"role": "user", "content": TASK},
        {"role": "assistant", "tool_calls": calls},
    ]
    (call,) = only(read("openai", {"messages": turns})).calls
    assert len(str(call.arguments)) < 20_000


def test_only_a_verifier_speaks_for_success() -> None:
    for form, lines in ALL.values():
        outcome = only(read(form, *lines)).outcome
        is_judged = form == "openai"
        assert outcome.source is (
            OutcomeSource.VERIFIER if is_judged else OutcomeSource.NONE
        )
        assert (outcome.status is OutcomeStatus.UNKNOWN) is not is_judged
