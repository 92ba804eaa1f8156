"""Packages that import their parts late offer what they promise, and no more."""

import subprocess
import sys
from importlib import import_module

import pytest

LAZY = (
    "skillforge.gitrepo",
    "skillforge.model",
    "skillforge.redact",
    "skillforge.store",
)


@pytest.mark.parametrize("name", LAZY)
def test_everything_that_is_promised_is_there(name: str) -> None:
    package = import_module(name)

    assert [getattr(package, name) is not None for name in package.__all__]
    promised = {name for names in package._PARTS.values() for name in names}
    assert promised == set(package.__all__)


@pytest.mark.parametrize("name", LAZY)
def test_what_is_not_there_is_an_error_like_any_other(name: str) -> None:
    with pytest.raises(AttributeError, match=f"{name}.*'nothing'"):
        _ = import_module(name).nothing


@pytest.mark.parametrize("name", LAZY)
def test_a_part_is_imported_when_it_is_asked_for(name: str) -> None:
    code = f"import sys, {name}; print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert f"'{name}'" in done.stdout
    assert f"'{name}." not in done.stdout


RENDERERS = ("skillforge.render", "skillforge.render.data", "skillforge.render.text")


@pytest.mark.parametrize("name", RENDERERS)
def test_renderers_are_imported_when_they_are_used(name: str) -> None:
    code = f"import sys, {name}; print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert "skillforge.render.data.proposals" not in done.stdout
    assert import_module("skillforge.render").data.proposals.proposal_row is not None
    with pytest.raises(AttributeError, match=f"{name}.*'nothing'"):
        _ = import_module(name).nothing
