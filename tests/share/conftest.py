"""Somebody who installs skills."""

from pathlib import Path

import pytest


@pytest.fixture
def use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of somebody who installs skills; it is the current folder."""
    folder = tmp_path / "use"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
