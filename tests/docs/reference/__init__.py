"""The reference pages of `docs/reference/`, made from the code: `make reference`."""

from pathlib import Path

from tests.docs.reference import commands, policy, rules, schemas

FOLDER = Path(__file__).parents[3] / "docs" / "reference"


def pages() -> dict[Path, str]:
    """Every page by its file, as the code is now."""
    return {
        FOLDER / f"{page.__name__.rpartition('.')[2]}.md": page.render()
        for page in (commands, rules, policy, schemas)
    }
