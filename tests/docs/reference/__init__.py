"""The pages of `docs/reference/`, generated from the code by `make reference`."""

from pathlib import Path

from tests.docs.reference import commands, policy, rules, schemas

FOLDER = Path(__file__).parents[3] / "docs" / "reference"


def pages() -> dict[Path, str]:
    """The current text of every page, by its file."""
    return {
        FOLDER / f"{page.__name__.rpartition('.')[2]}.md": page.render()
        for page in (commands, rules, policy, schemas)
    }
