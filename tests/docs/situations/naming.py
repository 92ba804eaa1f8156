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
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n{dedent(body)}"


CSV = "Reads and joins CSV tables. Use when data comes as CSV."
PDF = "Reads and joins PDF tables. Use when data comes as PDF."
PLAIN_BODY = "# CSV\n\nRead the file.\n"
CSV_BODY = """\
# CSV

1. Read the first lines of each file: what parts the fields, and is there a header?
2. Look for the column that both files have; ask if there is none.
3. Join them: `python3 scripts/join.py ONE OTHER > joined.csv`.
4. Count the rows before and after, and tell what found no partner.
"""
JOIN = """\
import csv
import sys

one, other = (list(csv.DictReader(open(name))) for name in sys.argv[1:])
shared = next(key for key in one[0] if key in other[0])
partners = {row[shared]: row for row in other}
print(*[{**row, **partners.get(row[shared], {})} for row in one], sep="\\n")
"""
JOIN_CASE = """\
name: joins by the column that both have
run: [python3, scripts/join.py, one.csv, other.csv]
files: {one.csv: "id,name\\n1,Ada\\n", other.csv: "id,city\\n1,London\\n"}
expect: {stdout: {contains: London}}
"""
VERSION = 'version: "0.1.0"'
PDF_BODY = "# PDF\n\nFind the pages that hold one, then read each of them.\n"


@situation("an empty folder")
def an_empty_folder(_world: World) -> None:
    """As the home is made."""


def a_repository(world: World) -> None:
    """A policy, and no skill yet."""
    GitRepo.init(world.library.root)
    world.library.write("skillforge.yaml", "")
    world.library.commit("Start")


@situation("a library")
def a_library(world: World) -> None:
    """Two skills that are fine."""
    a_repository(world)
    add_skill(world, "csv-tables", page("csv-tables", CSV, CSV_BODY, VERSION))
    world.library.write("skills/csv-tables/scripts/join.py", JOIN)
    world.library.write("skills/csv-tables/tests/join.yaml", JOIN_CASE)
    add_skill(world, "pdf-tables", page("pdf-tables", PDF, PDF_BODY, VERSION))
    world.library.git("add", "--all")
    world.library.git("commit", "--quiet", "--amend", "--message", "Start")


def add_skill(world: World, name: str, text: str) -> None:
    world.library.write(f"skills/{name}/SKILL.md", text)


def land(world: World, number: int) -> None:
    """Somebody else approves a proposal, and it is merged."""
    world.ok("review", str(number), "--approve", "--as", RITA)
    world.ok("promote", str(number))
