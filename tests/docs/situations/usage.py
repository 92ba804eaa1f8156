"""Libraries in use: which versions keys got, what they reported, unused skills."""

import json
import platform
import time
from collections.abc import Iterator

from skillforge import sandbox
from skillforge.model import Arm, Use
from skillforge.operate import rollouts
from skillforge.operate.assignment import has_canary
from skillforge.operate.health_record import Environment
from skillforge.store import CaseRecord, Uses
from tests.docs.machine import RITA, Machine
from tests.docs.situations.checks import CASES, unit_price
from tests.docs.situations.registry import (
    CSV,
    CSV_BODY,
    PDF,
    PDF_BODY,
    VERSION,
    a_library,
    add_skill,
    page,
    situation,
)

DAY = 86_400


@situation("an agent that takes a skill")
def an_agent(machine: Machine) -> None:
    """Only has to be on the PATH."""
    a_library(machine)
    machine.install_program("agent", "#!/bin/sh\nexit 0\n")


@situation("an edit in the agent's folder, and another on main")
def an_edit_in_the_agents_folder(machine: Machine) -> None:
    file = machine.home / ".claude/skills/csv-tables/SKILL.md"
    file.write_text(file.read_text() + "\nMind the header.\n")
    text = page("pdf-tables", PDF, PDF_BODY + "\nThen join them.\n", VERSION)
    add_skill(machine, "pdf-tables", text)
    machine.library.commit("Edit pdf-tables")


@situation("a hundred uses in a file")
def a_hundred_uses(machine: Machine) -> None:
    machine.patch.setenv("SESSION", "s-1")
    uses = [{"key": f"key {n}", "outcome": "success"} for n in range(100)]
    _write_uses(machine, uses)


@situation("an edit that was approved")
def an_edit_that_was_approved(machine: Machine) -> None:
    a_library(machine)
    text = page("csv-tables", CSV, CSV_BODY + "\nSkip empty rows.\n", VERSION)
    add_skill(machine, "csv-tables", text)
    machine.ok("propose", "csv-tables", "--why", "Shorter")
    machine.ok("review", "1", "--approve", "--as", RITA)


@situation("600 uses, most of which fail with the edit")
def uses_that_fail(machine: Machine) -> None:
    """From the first keys that get each version, as the rollout decides."""
    new = _keys(machine, Arm.CANARY)
    old = _keys(machine, Arm.STABLE)
    rows = []
    for number in range(600):
        turn = number // 10
        is_new = number % 10 == 0
        fails = turn % 5 in (1, 3) if is_new else number % 20 == 1
        key = next(new if is_new else old)
        rows.append({"key": key, "outcome": "failure" if fails else "success"})
    _write_uses(machine, rows)


@situation("uses of two versions")
def uses_of_two_versions(machine: Machine) -> None:
    an_edit_that_was_approved(machine)
    machine.ok("promote", "1")
    uses_that_fail(machine)
    machine.run("skillforge record < uses.jsonl")


def _keys(machine: Machine, arm: Arm) -> Iterator[str]:
    rollout = rollouts.find(machine.library.library.repository(), "csv-tables")
    assert rollout
    for number in range(100_000):
        key = f"key {number}"
        if has_canary(rollout, key) is (arm is Arm.CANARY):
            yield key


def _write_uses(machine: Machine, rows: list[dict[str, str]]) -> None:
    common = {"skill": "csv-tables", "verified_by": "test", "seconds": 4.4}
    text = "".join(json.dumps({**common, **row}) + "\n" for row in rows)
    machine.library.write("uses.jsonl", text)


@situation("pitfalls that users reported")
def pitfalls(machine: Machine) -> None:
    a_library(machine)
    reported = {
        "Quoted line breaks do not end a row": 3,
        "The jq command is not installed": 3,
    }
    for words, count in reported.items():
        for number in range(count):
            line = ("record", "csv-tables", "--key", f"{words} {number}")
            how = ("--outcome", "failure", "--verified-by", "human")
            machine.ok(*line, *how, "--pitfall", words)


@situation("a case that another Python passed")
def a_case_that_another_python_passed(machine: Machine) -> None:
    a_library(machine)
    wrong = CASES.split("\n\n")[0].replace("0.75", "0.76") + "\n"
    unit_price(machine, cases=wrong)
    machine.library.commit("Add unit-price")
    tree = machine.library.git("rev-parse", "main:skills/unit-price").strip()
    week = int(time.time()) - 7 * DAY
    box, _ = sandbox.choose()
    assert box is not None
    system = f"{platform.system()} {platform.machine()}"
    before = Environment("Python 3.10.14", system, box.name)
    row = CaseRecord("unit-price", tree, before.key, week, True, "{}")
    Uses.of(machine.library.root / ".git").save_case_records([row])


AGENTS = "origin: agent-foreground"


@situation("skills that nobody uses any more")
def skills_that_nobody_uses(machine: Machine) -> None:
    a_library(machine)
    about = {
        "old-export": ("Exports orders as XML. Use when XML is asked for.", ""),
        "log-reader": ("Reads logs of servers. Use when a service fails.", "guide"),
        "quarter-report": ("Writes the report of a quarter. Use when one is over.", ""),
    }
    for name, (description, link) in about.items():
        text = f"# {name}\n\n1. Open the {name} folder.\n2. Write what it holds.\n"
        text += "\nSee [the guide](docs/guide.md).\n" if link else ""
        if link:
            machine.library.write(f"skills/{name}/references/guide.md", "# Guide\n")
        add_skill(machine, name, page(name, description, text, AGENTS))
    machine.library.write(
        "skillforge.yaml", "rules: {link-target: warning, sections-required: off}\n"
    )
    machine.patch.setenv("GIT_COMMITTER_DATE", f"{int(time.time()) - 200 * DAY} +0000")
    machine.library.commit("Long ago")
    machine.patch.delenv("GIT_COMMITTER_DATE")
    last = {"csv-tables": 1, "pdf-tables": 2, "log-reader": 3}
    last |= {"old-export": 140, "quarter-report": 48}
    now = int(time.time())
    uses = [
        Use(f"{name} {days} {n}", name, "v1", "me", now - days * DAY - n * 20 * DAY)
        for name, days in last.items()
        for n in range(5)
    ]
    Uses.of(machine.library.root / ".git").add(uses)


@situation("old-export is archived")
def old_export_is_archived(machine: Machine) -> None:
    machine.ok("curate", "old-export", "--propose")
    machine.ok("review", "1", "--approve", "--as", RITA)
    machine.ok("promote", "1")
