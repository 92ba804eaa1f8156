"""All situations by name, and the library that most of them start from."""

from collections.abc import Callable
from textwrap import dedent

from skillforge.gitrepo import GitRepo
from tests.docs.machine import RITA, Machine

Situation = Callable[[Machine], None]
SITUATIONS: dict[str, Situation] = {}


def situation(name: str) -> Callable[[Situation], Situation]:
    """Register a function for `<!-- given: NAME -->` and `<!-- and: NAME -->`."""

    def named(make: Situation) -> Situation:
        assert name not in SITUATIONS, name
        SITUATIONS[name] = make
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
def an_empty_folder(_machine: Machine) -> None:
    """A new machine has one."""


def a_repository(machine: Machine) -> None:
    """A repository with a policy and no skill."""
    GitRepo.init(machine.library.root)
    machine.library.write("skillforge.yaml", "")
    machine.library.commit("Start")


@situation("a library")
def a_library(machine: Machine) -> None:
    """A library with two valid skills."""
    a_repository(machine)
    add_skill(machine, "csv-tables", page("csv-tables", CSV, CSV_BODY, VERSION))
    machine.library.write("skills/csv-tables/scripts/join.py", JOIN)
    machine.library.write("skills/csv-tables/tests/join.yaml", JOIN_CASE)
    add_skill(machine, "pdf-tables", page("pdf-tables", PDF, PDF_BODY, VERSION))
    machine.library.git("add", "--all")
    machine.library.git("commit", "--quiet", "--amend", "--message", "Start")


def add_skill(machine: Machine, name: str, text: str) -> None:
    machine.library.write(f"skills/{name}/SKILL.md", text)


def land(machine: Machine, number: int) -> None:
    """Approve a proposal as another person, and merge it."""
    machine.ok("review", str(number), "--approve", "--as", RITA)
    machine.ok("promote", str(number))
