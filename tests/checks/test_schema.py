"""The JSON Schemas that editors use say what the rules say."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from skillforge.document import parse
from skillforge.model import Document, Value
from skillforge.resources import schema
from tests.conftest import CASES

SCHEMAS = ("skill.schema.json", "skill.portable.schema.json", "policy.schema.json")
# Rules that the frontmatter alone decides and JSON Schema can express.
IN_SPEC = {
    "allowed-tools-text",
    "compatibility-length",
    "description-length",
    "field-client-type",
    "field-required",
    "field-text",
    "field-unknown",
    "metadata-map",
    "metadata-text",
    "name-characters",
    "name-hyphens",
    "name-length",
    "name-lowercase",
}
IN_PORTABLE = {
    "description-brackets",
    "installer-leftovers",
    "name-portable",
    "name-reserved",
    "value-quoted",
}


def validator(name: str) -> Draft202012Validator:
    pairs = [(schema(n)["$id"], Resource.from_contents(schema(n))) for n in SCHEMAS]
    return Draft202012Validator(schema(name), registry=Registry().with_resources(pairs))


def as_editors_see_it(document: Document) -> Any:
    """The fields with the types that YAML gives to unquoted values."""

    def typed(value: Value, path: str) -> Any:
        if isinstance(value, dict):
            return {k: typed(v, f"{path}{k}.") for k, v in value.items()}
        if isinstance(value, list):
            return [typed(v, f"{path}{i}.") for i, v in enumerate(value)]
        samples = {"number": 1.5, "boolean": True, "date": 20260101, "null": None}
        samples["sign"] = 0
        return samples.get(document.kinds.get(path[:-1], ""), value)

    return typed(dict(document.fields), "")


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))


def cases(rules: set[str]) -> list[object]:
    return [
        pytest.param(path, id="-".join(path.parts[-4:-1]))
        for rule in sorted(rules)
        for path in sorted((CASES / rule).glob("*/*/SKILL.md"))
    ]


@pytest.mark.parametrize("path", cases(IN_SPEC))
def test_schema_and_rules_agree_on_the_specification(path: Path) -> None:
    if path.parent.name == "НАВЫК":
        return  # capitals of all scripts are beyond a regular expression for editors
    fields = as_editors_see_it(parse(path.read_bytes()))

    good = path.parts[-3] == "good"
    assert validator("skill.schema.json").is_valid(fields) == good


@pytest.mark.parametrize("path", cases(IN_SPEC | IN_PORTABLE))
def test_schema_and_rules_agree_on_what_is_portable(path: Path) -> None:
    fields = as_editors_see_it(parse(path.read_bytes()))

    good = path.parts[-3] == "good"
    assert validator("skill.portable.schema.json").is_valid(fields) == good


def test_schemas_are_formatted_alike() -> None:
    for name in SCHEMAS:
        path = Path(__file__).parents[2] / "schemas" / name
        text = json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n"
        assert path.read_text(encoding="utf-8") == text
