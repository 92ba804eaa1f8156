"""The policy file: every key optional, every mistake named with its line."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.config import Policy, read_policy
from skillforge.errors import ConfigError
from skillforge.model import Profile
from skillforge.resources import template


def test_the_policy_that_init_writes_is_the_default() -> None:
    assert read_policy(template("skillforge.yaml").encode()) == Policy()


def test_a_policy_is_read() -> None:
    policy = read_policy(b"profile: spec\nrules:\n  body-length: error\n  x-y: off\n")

    assert policy == Policy(Profile.SPEC, {"body-length": "error", "x-y": "off"})


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param("profil: spec\n", 1, "did you mean profile", id="typo"),
        pytest.param("\nprofile: strict\n", 2, "not one of", id="value"),
        pytest.param("rules:\n  body-length: fatal\n", 2, "not one of", id="severity"),
        pytest.param("rules: [a]\n", 1, "has to be a mapping", id="type"),
        pytest.param("a: [\n", 2, "not YAML", id="syntax"),
        pytest.param("a: 1\na: 2\n", 2, "not YAML", id="duplicate"),
        pytest.param("- a\n", 1, "has to be a mapping", id="list"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_policy(text.encode())
    assert refused.value.message.startswith(f"skillforge.yaml:{line}: ")
    assert words in refused.value.message


@given(st.binary(max_size=60))
def test_any_bytes_are_a_policy_or_a_config_error(data: bytes) -> None:
    with suppress(ConfigError):
        assert isinstance(read_policy(data), Policy)
