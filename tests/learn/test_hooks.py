"""Hooks go beside what an agent's user has written, and leave nothing behind."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillforge.errors import ConfigError
from skillforge.learn.hooks import AGENTS, command, is_ours, json_hooks, yaml_hooks

CLAUDE = AGENTS["claude-code"]
LINE = command(["/opt/my tools/skillforge"], "claude-code", "/home/me/my skills")
PLACE = yaml_hooks.ListPath("config.yaml", "hooks", "on_session_end")
ITEM = {"command": "skillforge hook run hermes --library 'a b'", "timeout": 10}


def test_a_command_survives_a_shell() -> None:
    assert "'/opt/my tools/skillforge'" in LINE
    assert is_ours(LINE, "claude-code")
    assert not is_ours(LINE, "codex")
    assert not is_ours("other hook run claude-code", "claude-code")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="none"),
        pytest.param("{}\n", id="empty"),
        pytest.param('{\n\t"model": "opus"\n}\n', id="tabs"),
        pytest.param(
            '{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", '
            '"command": "say"}]}], "Stop": [{"matcher": "x", "hooks": []}]}, '
            '"ö": [1.5, null]}\n',
            id="others",
        ),
        pytest.param('{"hooks": {"SessionEnd": [{"strange": 1}, 7]}}\n', id="strange"),
    ],
)
def test_a_hook_is_put_in_once_and_taken_out_again(text: str) -> None:
    with_hook = json_hooks.with_hook(text, CLAUDE, LINE)

    assert json_hooks.has_hook(with_hook, CLAUDE)
    assert json_hooks.with_hook(with_hook, CLAUDE, LINE) == with_hook
    moved = json_hooks.with_hook(with_hook, CLAUDE, LINE.replace("my skills", "other"))
    assert moved.count("hook run claude-code") == 1
    gone = json_hooks.without_hook(moved, CLAUDE)
    assert json.loads(gone) == json.loads(text or "{}")
    assert not json_hooks.has_hook(gone, CLAUDE)


def test_what_is_not_there_is_not_taken_out() -> None:
    text = '{"a":1}'

    assert json_hooks.without_hook(text, CLAUDE) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("{", "is not JSON", id="broken"),
        pytest.param('// mine\n{"a": 1}', "is not JSON", id="comment"),
        pytest.param('{"a": 1, "a": 2}', "duplicate key", id="twice"),
        pytest.param("[]", "is not an object", id="list"),
        pytest.param('{"hooks": []}', "unknown layout", id="hooks"),
        pytest.param('{"hooks": {"SessionEnd": {}}}', "unknown layout", id="event"),
    ],
)
def test_json_that_is_not_understood_is_left_alone(text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        json_hooks.with_hook(text, CLAUDE, LINE)

    assert "nothing was changed" in caught.value.hint


def test_a_tap_is_added_once() -> None:
    text = json_hooks.with_tap('{"taps": [{"repo": "a/b", "path": "x/"}]}', "o/r")

    assert json.loads(text)["taps"] == [
        {"repo": "a/b", "path": "x/"},
        {"repo": "o/r", "path": "skills/"},
    ]
    assert json_hooks.with_tap(text, "o/r") == text
    with pytest.raises(ConfigError):
        json_hooks.with_tap('{"taps": {}}', "o/r")


YAMLS = [
    pytest.param("", id="none"),
    pytest.param("# only words\n", id="comment"),
    pytest.param("model: x # mine\n", id="other"),
    pytest.param("model: x", id="no-newline"),
    pytest.param("hooks: {}   # none yet\nmodel: x\n", id="empty-flow"),
    pytest.param("hooks:\nmodel: x\n", id="null"),
    pytest.param(
        "hooks:\n    # first\n    pre_llm_call:\n    - command: a\nb: 1\n", id="event"
    ),
    pytest.param("hooks:\n  on_session_end: []\n  x: 1\n", id="empty-list"),
    pytest.param(
        "hooks:\n  on_session_end:\n  - command: a # mine\n    timeout: 3\nb: 1\n",
        id="list",
    ),
    pytest.param("hooks:\n  on_session_end:\n      -   command: a\n", id="wide"),
]


@pytest.mark.parametrize("text", YAMLS)
def test_an_item_of_a_list_is_put_in_and_taken_out_line_by_line(text: str) -> None:
    fresh = yaml_hooks.with_item(text, PLACE, ITEM)

    assert yaml_hooks.items(fresh, PLACE)[0] == ITEM
    unchanged = [
        line
        for line in text.splitlines()
        if line.strip() not in ("hooks: {}   # none yet",)
    ]
    assert all(line in fresh or "[]" in line for line in unchanged)
    gone = yaml_hooks.without_item(fresh, PLACE, 0)
    assert yaml_hooks.items(gone, PLACE) == yaml_hooks.items(text, PLACE)
    before, after = yaml.safe_load(text) or {}, yaml.safe_load(gone) or {}
    hooks = {k: v for k, v in (before.pop("hooks", None) or {}).items() if v}
    assert {k: v for k, v in (after.pop("hooks", None) or {}).items() if v} == hooks
    assert after == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("hooks: {a: 1}\n", "on one line", id="flow"),
        pytest.param(
            "hooks:\n  on_session_end: [{command: a}]\n", "one line", id="flow-list"
        ),
        pytest.param("hooks: text\n", "no list", id="text"),
        pytest.param("hooks:\n  on_session_end: text\n", "no list", id="inner-text"),
        pytest.param("- a\n", "not a mapping", id="sequence"),
        pytest.param("a: [\n", "not YAML", id="broken"),
        pytest.param("a: 1\na: 2\nhooks:\n", "not YAML", id="twice"),
        pytest.param("hooks: &x\n  a: 1\nb: *x\n", "unknown layout", id="anchor"),
        pytest.param("a: 1\n...\n", "not", id="end-of-document"),
    ],
)
def test_yaml_that_is_not_understood_is_left_alone(text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        yaml_hooks.with_item(text, PLACE, ITEM)


KEYS = st.sampled_from(["hooks", "skills", "model", "on_session_end", "a b", "ö"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab: #-\n", max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.booleans())
def test_any_settings_say_the_same_and_one_thing_more_or_stay(
    settings: dict[str, object], is_flow: bool
) -> None:
    text = yaml.safe_dump(settings, default_flow_style=is_flow, allow_unicode=True)
    try:
        fresh = yaml_hooks.with_item(text, PLACE, ITEM)
    except ConfigError:
        return
    now = yaml.safe_load(fresh)
    assert now["hooks"]["on_session_end"][0] == ITEM
    assert {k: v for k, v in now.items() if k != "hooks"} == {
        k: v for k, v in settings.items() if k != "hooks"
    }
