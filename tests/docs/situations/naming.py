"""Situations by name, and the library that most of them start from."""

from collections.abc import Callable
from textwrap import dedent

from skillforge.gitrepo import GitRepo
from tests.docs.world import RITA, World

Situation = Callable[[World], None]
NAMED: dict[str, Situation] = {}


def situation(name: str) -> Callable[[Situation], Situation]:
    """Let pages say `<!-- given: NAME -->`, or `<!-- and: NAME -->`."""

    def named(make: Situation) -> Situation:
        assert name not in NAMED, name
        NAMED[name] = make
        return make

    return named


def page(name: str, description: str, body: str, metadata: str = "") -> str:
    more = f"metadata:\n  {metadata}\n" if metadata else ""
    return (
        f"---\nname: {name}\ndescription: {description}\n{more}---\n{dedent(body)}"
    )


CSV = "Reads and joins CSV tables. Use when data comes as CSV."
PDF = "Reads and joins PDF tables. Use when data comes as PDF."
CSV_BODY = "# CSV\n\nRead the file.\n"
PDF_BODY = "# PDF\n\nFind the pages with tables, then read each of them.\n"


@situation("a repository")
def a_repository(world: World) -> None:
    """A policy, and no skill yet."""
    GitRepo.init(world.library.root)
    world.library.write("skillforge.yaml", "")
    world.library.commit("Start")


@situation("a library")
def a_library(world: World) -> None:
    """Two skills that are fine."""
    a_repository(world)
    add_skill(world, "csv-tables", page("csv-tables", CSV, CSV_BODY))
    world.library.write("skills/csv-tables/scripts/join.py", "import csv, sys\n")
    add_skill(world, "pdf-tables", page("pdf-tables", PDF, PDF_BODY))
    world.library.commit("Two skills")


def add_skill(world: World, name: str, text: str) -> None:
    world.library.write(f"skills/{name}/SKILL.md", text)


def land(world: World, number: int) -> None:
    """Somebody else approves a proposal, and it is merged."""
    world.ok("review", str(number), "--approve", "--as", RITA)
    world.ok("promote", str(number))
