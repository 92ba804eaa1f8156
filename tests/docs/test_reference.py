"""The reference pages agree with the code and are complete."""

import re
from pathlib import Path
from typing import Any

import click
import pytest

from skillforge.cli import COMMANDS, cli
from skillforge.policy import Policy, read_policy
from skillforge.report import to_json
from skillforge.resources import schema
from tests.docs.page_parser import ROOT
from tests.docs.page_parser import pages as hand_written
from tests.docs.reference import pages

FILES = pages()
PAGES = {file: text for file, text in FILES.items() if file.suffix == ".md"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_committed_file_is_up_to_date(file: Path) -> None:
    assert file.read_text(encoding="utf-8") == FILES[file], "run `make reference`"


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_no_row_is_without_a_meaning(file: Path) -> None:
    rows = [line for line in PAGES[file].split("\n") if line.startswith("| ")]

    assert rows
    assert not [row for row in rows if row.endswith("|  |")]


def test_the_readme_names_every_command_by_stage() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")

    for stage, names in COMMANDS.items():
        listed = " ".join(f"`{name}`" for name in names)
        assert f"\n| {stage} | {listed} |\n" in text


@pytest.mark.parametrize("page", [*hand_written(), *PAGES], ids=lambda page: page.stem)
def test_every_link_points_to_a_file(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", prose)
    missing = [link for link in links if not (page.parent / link).exists()]

    assert missing == []


def test_every_command_and_option_has_help() -> None:
    missing = list(_without_help(cli, click.Context(cli), "skillforge"))

    assert missing == []


def _without_help(command: click.Command, above: click.Context, path: str) -> Any:
    if not command.help:
        yield path
    for param in command.params:
        if isinstance(param, click.Option) and not param.help:
            yield f"{path} {param.opts[0]}"
    if isinstance(command, click.Group):
        for name in command.list_commands(above):
            inner = command.get_command(above, name)
            assert inner is not None
            yield from _without_help(inner, above, f"{path} {name}")


def test_the_schema_names_the_defaults_of_the_policy() -> None:
    defaults = to_json(_defaults(schema("policy.schema.json")))

    assert read_policy(defaults.encode()) == Policy()


def _defaults(node: dict[str, Any]) -> dict[str, Any]:
    defaults = {}
    for name, inner in node["properties"].items():
        if "default" in inner:
            defaults[name] = inner["default"]
        elif "properties" in inner:
            defaults[name] = _defaults(inner)
    return defaults
