"""Unknown commands and options are found."""

import pytest

from tests.docs.command_check import misuse


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        pytest.param("skillforge validate --fix --write", "", id="fine"),
        pytest.param("skillforge canary set NAME --share 50", "", id="group"),
        pytest.param("skillforge record < uses.jsonl", "", id="redirected"),
        pytest.param("skillforge --version", "", id="version"),
        pytest.param("skillforge hook install|remove", "", id="either"),
        pytest.param("skillforge hook install|no", "no command 'install|no'", id="no"),
        pytest.param("skillforge valdate", "no command 'valdate'", id="command"),
        pytest.param("skillforge canary stop", "no command 'stop'", id="inner"),
        pytest.param("skillforge scan --fix", "no option --fix", id="option"),
    ],
)
def test_unknown_names_are_reported(line: str, wrong: str) -> None:
    assert misuse(line) == wrong
