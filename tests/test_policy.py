"""The policy file: every key optional, every mistake named with its line."""

from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from skillforge import policy
from skillforge.errors import ConfigError
from skillforge.model import Profile
from skillforge.policy import Policy, read_policy
from skillforge.resources import template
from tests.conftest import EXAMPLES


def test_the_policy_that_init_writes_is_the_default() -> None:
    assert read_policy(template("skillforge.yaml").encode()) == Policy()


def test_a_policy_is_read() -> None:
    policy = read_policy(b"profile: spec\nrules:\n  body-length: error\n  x-y: off\n")

    assert policy == Policy(
        profile=Profile.SPEC, rules={"body-length": "error", "x-y": "off"}
    )


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param("profil: spec\n", 1, "did you mean profile", id="typo"),
        pytest.param("\nprofile: strict\n", 2, "not one of", id="value"),
        pytest.param("rules:\n  body-length: fatal\n", 2, "not one of", id="severity"),
        pytest.param("rules: [a]\n", 1, "must be a mapping", id="type"),
        pytest.param("a: [\n", 2, "not YAML", id="syntax"),
        pytest.param("a: 1\na: 2\n", 2, "not YAML", id="duplicate"),
        pytest.param("- a\n", 1, "must be a mapping", id="list"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_policy(text.encode())
    assert refused.value.message.startswith(f"skillforge.yaml:{line}: ")
    assert words in refused.value.message


POLICY_BYTES = st.lists(
    st.sampled_from(
        [
            *(b"#", b"# x", b"approvals: 5", b" ", b"\t", b"---", b"~", b"x", b"..."),
            *(
                b"\n",
                b"\r\n",
                b"\r",
                b"\v",
                b"\f",
                b"\x1c",
                b"\0",
                b"\xef\xbb\xbf",
                b"\xff",
            ),
            *("\x85".encode(), "\u2028".encode(), "\u2029é".encode(), b"%YAML 1.1"),
        ]
    ),
    max_size=6,
).map(b"".join)


@given(POLICY_BYTES | st.binary(max_size=20))
@example(b"# x\rapprovals: 5")
@example("# größe\n".encode())
@settings(max_examples=10 * EXAMPLES)
def test_the_quick_look_at_a_policy_agrees_with_the_parser(data: bytes) -> None:
    """Where it answers, YAML finds nothing there but comments."""
    if policy._COMMENTS.fullmatch(data):
        assert YAML().compose(data) is None


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n", "\x85"])
def test_a_comment_ends_where_yaml_ends_it(line_break: str) -> None:
    assert read_policy(f"# x{line_break}approvals: 5".encode()).approvals == 5


def test_a_policy_of_comments_in_any_script_is_the_default() -> None:
    assert read_policy("# Größe\n".encode()) == Policy()
    with pytest.raises(ConfigError):
        read_policy(b"~\n")


@given(st.binary(max_size=60))
def test_any_bytes_are_a_policy_or_a_config_error(data: bytes) -> None:
    with suppress(ConfigError):
        assert isinstance(read_policy(data), Policy)
