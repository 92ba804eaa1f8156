"""Agent sessions to learn from, and files that agents leave behind."""

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import skillforge
from tests.docs.machine import Machine
from tests.docs.situations.registry import a_library, a_repository, situation
from tests.learn.conftest import call, export_run
from tests.workflows.test_import_pending import hold

RUNS = {
    "orders": ("March", "ada"), "customers": ("April", "bob"),
    "invoices": ("May", "cleo"), "refunds": ("June", "dan"),
    "shipments": ("July", "eve"), "returns": ("August", "fay"),
    "bills": ("May", "gil"), "claims": ("June", "hal"),
}  # fmt: skip
FAILING = ("bills", "claims")


def run(table: str, month: str, who: str) -> dict[str, Any]:
    """A session that exports a table for a user; two of them fail."""
    return export_run(
        table,
        0.0 if table in FAILING else 1.0,
        extra=f" for {who}@example.org",
        path=f"/home/{who}/out",
    ) | {"session": f"{month}-{who}"}


def _lines(machine: Machine, path: str, rows: list[dict[str, Any]]) -> None:
    machine.library.write(path, "".join(json.dumps(row) + "\n" for row in rows))


@situation("runs of an agent")
def runs_of_an_agent(machine: Machine) -> None:
    a_library(machine)
    rows = [run(table, *rest) for table, rest in RUNS.items()]
    for row, (month, _) in zip(rows, RUNS.values(), strict=True):
        asked = row["messages"][0]
        asked["content"] = asked["content"].replace(
            " table as", f" table of {month} as"
        )
    _lines(machine, "runs.jsonl", rows)
    (machine.home / ".claude/projects").mkdir(parents=True)


@situation("the transcripts of the demo")
def the_transcripts_of_the_demo(machine: Machine) -> None:
    a_repository(machine)
    demo = Path(skillforge.__file__).parent / "templates/demo/transcripts"
    copytree(demo, machine.home / "transcripts")


@situation("sessions that somebody saw end well")
def sessions_that_ended_well(machine: Machine) -> None:
    rows = [export_run(name, None) for name in ("payments", "accounts")]
    _lines(machine, "good-sessions/week.jsonl", rows)
    machine.install_program("claude", "#!/bin/sh\ncat > /dev/null\n")


@situation("settings of Claude Code")
def settings_of_claude_code(machine: Machine) -> None:
    a_library(machine)
    folder = machine.home / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text('{\n  "model": "opus"\n}\n')


@situation("a session has ended")
def a_session_has_ended(machine: Machine) -> None:
    _session(machine)
    where = ("--session", "5f0c", "--transcript", "session.jsonl")
    machine.ok("hook", "run", "claude-code", "--now", *where)


@situation("a session that loaded a skill")
def _session(machine: Machine) -> None:
    row = export_run("orders", extra=" for ada@example.org")
    more = [
        *call(9, "skill_view", "ok", name="csv-tables"),
        {"role": "user", "content": "The header is missing; we always need one."},
        *call(10, "query", "id,amount\n1,2", table="orders"),
        *call(11, "write_file", "written", path="out/orders.csv", header=True),
        *call(12, "read_file", "id,amount\n1,2", path="out/orders.csv"),
        *call(13, "list_tables", "orders, audit"),
    ]
    row["messages"][-1:-1] = more
    _lines(machine, "session.jsonl", [row])


@situation("writes that Hermes holds back")
def writes_that_hermes_holds_back(machine: Machine) -> None:
    a_library(machine)
    folder = machine.home / ".hermes/pending/skills"
    folder.mkdir(parents=True)
    change = {"old_string": "ask if there is none.", "new_string": "ask."}
    hold(folder, "3f9a1c20", action="patch", name="csv-tables", **change)
    hold(folder, "77aa0001", action="patch", name="csv-table", **change)
