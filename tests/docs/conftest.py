"""The machine that the commands of a page run on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.machine import Machine
from tests.docs.run import new_machine


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    with new_machine(tmp_path, monkeypatch) as machine:
        yield machine
