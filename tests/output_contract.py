"""Hold every `--json` output that a test causes to the schema of its command."""

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from skillforge.cli import output
from skillforge.render.data.outputs import OUTPUTS
from tests.docs.reference.output_schemas import schema, strict


def install() -> None:
    """Check what is printed from now on: a key that no schema names is an error."""
    envelope = output.envelope

    def checked(command: str, ok: bool, data: Any, error: Any) -> str:
        if error is None and command in OUTPUTS:
            problems = [
                f"{command}: {problem.json_path}: {problem.message[:300]}"
                for problem in _validator(command).iter_errors(_plain(data))
            ]
            assert not problems, problems
        return envelope(command, ok, data, error)

    output.envelope = checked


def _plain(data: Any) -> Any:
    import json

    return json.loads(json.dumps(data))


@cache
def _validator(command: str) -> Draft202012Validator:
    return Draft202012Validator(strict(schema(command)))
