"""What `make reference` generates: reference pages, output schemas, a README table."""

from pathlib import Path

from tests.docs.reference import (
    commands,
    output,
    output_schemas,
    policy,
    readme,
    rules,
    schemas,
)

FOLDER = Path(__file__).parents[3] / "docs" / "reference"


def pages() -> dict[Path, str]:
    """The current text of every page and schema, by its file."""
    found = {
        FOLDER / f"{page.__name__.rpartition('.')[2]}.md": page.render()
        for page in (commands, rules, policy, schemas, output)
    }
    return found | output_schemas.files() | {readme.FILE: readme.render()}
