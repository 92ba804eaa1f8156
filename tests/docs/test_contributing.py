"""CONTRIBUTING.md agrees with the tree: its paths, its drawing, its make targets."""

import re
import tomllib

import pytest

from tests.docs.page_parser import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_FOLDERS = r"skillforge|tests|schemas|docs|benchmarks|\.github"
PATHS = sorted(set(re.findall(rf"\b(?:{_FOLDERS})/[\w./-]*\w/?", PAGE)))
_TO_ADD = ("NAME", "RULE")


@pytest.mark.parametrize("path", PATHS)
def test_every_path_exists(path: str) -> None:
    """Of a path that the reader adds, the folder exists."""
    if any(word in path for word in _TO_ADD):
        path = re.split("[^/]*(?:NAME|RULE)", path)[0]

    assert (ROOT / path).exists()


def test_the_drawing_is_that_of_import_linter() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = config["tool"]["importlinter"]["contracts"][0]["layers"]
    drawing = PAGE.split("## Architecture")[1].split("```\n")[1]
    names = re.sub(r"  +\|", " |", re.sub(r"(?m)(?<=\S)   +.*$", "", drawing))
    drawn = names.replace("\n |", " |").strip().split("\n")

    assert drawn == layers


def test_every_make_target_exists() -> None:
    targets = set(re.findall(r"(?m)^([\w-]+):", (ROOT / "Makefile").read_text()))

    assert set(re.findall(r"\bmake ([a-z-]+)", PAGE)) <= targets


def test_at_most_three_files_are_touched() -> None:
    additions = PAGE.split("## Six additions")[1].split("\n## ")[0].split("\n### ")[1:]

    assert len(additions) == 6
    assert {len(re.findall(r"(?m)^\d\. ", text)) for text in additions} == {3}
