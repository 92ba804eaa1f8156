"""Hold exchanges with a GitHub against GitHub's own OpenAPI description.

python -m tests.github.contract EXCHANGES.jsonl --openapi api.github.com.json
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.github.hub.faults import Exchange

Json = dict[str, Any]
API = "/api/v3"
UPLOADS = "/api/uploads"  # where files are sent to; the description is the same
ROOT = "urn:github"
# GitHub says in general what these mean and leaves them out of most operations.
ANYWHERE = {"401", "403", "404"}
BASIC_ERROR = {"$ref": "#/components/schemas/basic-error"}
# What GitHub does and its description forgets: a commit that does not exist, and a
# label without a description.
ALSO_ANSWERED = {
    ("get", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls"): {"422"},
    ("get", "/repos/{owner}/{repo}/commits/{ref}/check-runs"): {"422"},
}
NULLABLE_AFTER_ALL = ("pull-request-simple", "labels", "description")
_SCALARS: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "number": float,
    "boolean": json.loads,
}


class Contract:
    """The description, with a validator for each schema that was asked for."""

    def __init__(self, openapi: Path) -> None:
        self._api: Json = json.loads(openapi.read_text("utf-8"))
        schema, prop, inner = NULLABLE_AFTER_ALL
        labels = self._api["components"]["schemas"][schema]["properties"][prop]
        labels["items"]["properties"][inner]["nullable"] = True
        self._templates: dict[str, str | None] = {}
        self._validators: dict[str, Validator] = {}
        self.operations: set[tuple[str, str]] = set()
        self.checked = 0

    @cached_property
    def _registry(self) -> Registry[Any]:
        components = {
            kind: as_json_schema(self._api["components"][kind])
            for kind in ("schemas", "parameters")
        }
        document = {"components": components}
        resource = Resource.from_contents(document, default_specification=DRAFT202012)
        registry: Registry[Any] = Registry()
        whole: Registry[Any] = registry.with_resource(ROOT, resource)
        return whole

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str]]:
        """Every path, the most literal first."""
        paths = sorted(self._api["paths"], key=_literalness)
        return [(_pattern(path), path) for path in paths]

    def problems(self, exchanges: Iterable[Exchange]) -> list[str]:
        """Every way in which these exchanges differ from the description."""
        return [
            f"{exchange.method} {exchange.path} -> {exchange.status}: {problem}"
            for exchange in exchanges
            if exchange.path.startswith((f"{API}/", f"{UPLOADS}/"))
            for problem in self._problems(exchange)
        ]

    def _problems(self, exchange: Exchange) -> Iterator[str]:
        method = exchange.method.lower()
        path = exchange.path.removeprefix(API).removeprefix(UPLOADS)
        template = self._template(path, method)
        operation = self._api["paths"].get(template, {}).get(method)
        if template is None or operation is None:
            yield "no such operation is described"
            return
        self.checked += 1
        self.operations.add((method, template))
        understood = exchange.status != 400
        if understood:
            yield from self._query_problems(operation, exchange.query)
            yield from self._body_problems(operation, exchange)
        if not exchange.fault:
            yield from self._answer_problems(method, template, operation, exchange)

    def _template(self, path: str, method: str) -> str | None:
        key = f"{method} {path}"
        if key not in self._templates:
            fits = (text for found, text in self._patterns if found.fullmatch(path))
            known = list(fits)
            able = (text for text in known if method in self._api["paths"][text])
            self._templates[key] = next(able, None)
        return self._templates[key]

    def _query_problems(self, operation: Json, query: dict[str, str]) -> Iterator[str]:
        described = (self._resolve(p) for p in operation.get("parameters", []))
        known = {p["name"]: p for p in described if p["in"] == "query"}
        for name, text in query.items():
            if name not in known:
                yield f"query parameter {name!r} is not described"
                continue
            schema = self._resolve(known[name]["schema"])
            value = _typed(schema, text)
            yield from self._misfits(schema, value, f"query parameter {name!r}")
        for name, parameter in known.items():
            if parameter.get("required") and name not in query:
                yield f"query parameter {name!r} is missing"

    def _body_problems(self, operation: Json, exchange: Exchange) -> Iterator[str]:
        described = operation.get("requestBody")
        if described is None:
            if exchange.body is not None:
                yield "a body was sent, and none is described"
            return
        if exchange.body is None:
            if described.get("required"):
                yield "the request has no body"
            return
        schema = self._resolve(described)["content"]["application/json"]["schema"]
        yield from self._misfits(schema, exchange.body, "request")

    def _answer_problems(
        self, method: str, template: str, operation: Json, exchange: Exchange
    ) -> Iterator[str]:
        status = str(exchange.status)
        if status not in operation["responses"]:
            extra = ANYWHERE | ALSO_ANSWERED.get((method, template), set())
            if status not in extra:
                yield "this status is not described"
            else:
                yield from self._misfits(BASIC_ERROR, exchange.answer, "answer")
            return
        response = self._resolve(operation["responses"][status])
        content = response.get("content", {})
        if "application/json" in content:
            schema = content["application/json"]["schema"]
            yield from self._misfits(schema, exchange.answer, "answer")
        elif exchange.answer is not None:
            yield "an answer was sent, and none is described"

    def _misfits(self, schema: Json, value: Any, where: str) -> Iterator[str]:
        for error in self._validator(schema).iter_errors(value):
            for deepest in _causes(error):
                spot = ".".join(str(part) for part in deepest.absolute_path)
                yield f"{where} {spot or 'as a whole'}: {deepest.message[:300]}"

    def _validator(self, schema: Json) -> Validator:
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            self._validators[key] = Draft202012Validator(
                as_json_schema(schema), registry=self._registry
            )
        return self._validators[key]

    def _resolve(self, part: Json) -> Json:
        while "$ref" in part:
            found: Any = self._api
            for name in part["$ref"].removeprefix("#/").split("/"):
                found = found[name]
            part = found
        return part


def as_json_schema(part: Any) -> Any:
    """OpenAPI 3.0 in the words of JSON Schema.

    Alternatives may overlap: several of GitHub's errors fit each other's schema.
    """
    if isinstance(part, list):
        return [as_json_schema(entry) for entry in part]
    if not isinstance(part, dict):
        return part
    found = {
        name: as_json_schema(value)
        for name, value in part.items()
        if name not in ("example", "examples", "nullable", "discriminator")
        or not _is_schema(part)
    }
    if isinstance(found.get("$ref"), str) and found["$ref"].startswith("#/"):
        found["$ref"] = ROOT + found["$ref"]
    if isinstance(found.get("oneOf"), list):
        found["anyOf"] = [*found.pop("oneOf"), *found.get("anyOf", [])]
    if part.get("nullable") is True:
        return {"anyOf": [{"type": "null"}, found]}
    return found


def _is_schema(part: Json) -> bool:
    """Whether a name in this object is a keyword, not a property of that name."""
    words = ("type", "$ref", "oneOf", "anyOf", "allOf", "enum", "nullable", "title")
    return any(not isinstance(part.get(word, {}), dict) for word in words)


def _causes(error: Any) -> Iterator[Any]:
    """What is really wrong: of several alternatives, the one that nearly fits."""
    groups: dict[int, list[Any]] = {}
    for inner in error.context or ():
        groups.setdefault(inner.schema_path[0], []).append(inner)
    if not groups:
        yield error
        return
    for inner in min(groups.values(), key=_badness):
        yield from _causes(inner)


def _badness(errors: list[Any]) -> tuple[bool, int]:
    wrong_kind = any(
        (e.validator == "type" and not e.path)
        or (e.validator == "enum" and list(e.path) == ["type"])
        for e in errors
    )
    return wrong_kind, len(errors)


def _literalness(path: str) -> tuple[int, tuple[bool, ...]]:
    varies = tuple("{" in segment for segment in path.split("/"))
    return -varies.count(False), varies


def _pattern(path: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", path)
    # A path inside a repository has slashes of its own, and so has a branch.
    many = {"path", "ref"}
    texts = [
        (".+" if part in many else "[^/]+") if index % 2 else re.escape(part)
        for index, part in enumerate(parts)
    ]
    return re.compile("".join(texts))


def _typed(schema: Json, text: str) -> Any:
    try:
        return _SCALARS.get(schema.get("type", ""), str)(text)
    except ValueError:
        return text


def read_exchanges(file: Path) -> list[Exchange]:
    lines = file.read_text("utf-8").splitlines()
    return [Exchange(**json.loads(line)) for line in lines]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="exchanges as JSON lines")
    parser.add_argument("--openapi", type=Path, required=True)
    given = parser.parse_args(arguments)
    contract = Contract(given.openapi)
    problems = contract.problems(read_exchanges(given.file))
    counts = f"{contract.checked} exchanges of {len(contract.operations)} operations"
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    sys.stdout.write(f"checked {counts}: {len(problems)} problems\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
