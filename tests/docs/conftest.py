"""The machine that the commands of a page run on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.run import new_world
from tests.docs.world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with new_world(tmp_path, monkeypatch) as world:
        yield world
