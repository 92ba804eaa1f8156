"""A library to learn in, and an agent's runs to learn from."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import LibraryFolder, Ran, Run

TABLES = ("orders", "customers", "invoices", "refunds", "shipments", "returns", "bills")


@dataclass(frozen=True)
class Learner:
    """The commands of the Learn stage, on one library."""

    folder: LibraryFolder
    run: Run
    place: Path

    def __call__(self, *arguments: object) -> Ran:
        words = [str(argument) for argument in arguments]
        return self.run(*words, "--library", str(self.folder.root))

    def ok(self, *arguments: object) -> dict[str, Any]:
        ran = self(*arguments, "--json")
        assert ran.code == 0, ran.out + ran.err
        return ran.data

    def file(self, name: str, rows: Iterable[object]) -> Path:
        """JSON lines beside the library."""
        path = self.place / name
        lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    def capture(self, *rows: object, options: tuple[str, ...] = ()) -> dict[str, Any]:
        return self.ok("capture", self.file("runs.jsonl", rows), *options)

    def learn(self, *rows: object) -> list[dict[str, Any]]:
        """Capture, approve and cluster; the patterns."""
        self.capture(*rows)
        self.ok("examples", "approve", "--all-verified", "--as", "Rita")
        found: list[dict[str, Any]] = self.ok("patterns")["patterns"]
        return found

    def examples(self, *options: object) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ok("examples", "list", *options)["examples"]
        return found

    @property
    def store(self) -> bytes:
        path = self.folder.root / ".git" / "skillforge" / "state.db"
        return path.read_bytes() if path.exists() else b""


@pytest.fixture
def learner(library: LibraryFolder, run: Run, tmp_path: Path) -> Learner:
    place = tmp_path / "transcripts"
    place.mkdir()
    return Learner(library, run, place)


def call(number: int, tool: str, answer: str, **given: object) -> list[dict[str, Any]]:
    """A call of a tool and its answer, as chat messages."""
    function = {"name": tool, "arguments": json.dumps(given)}
    asked = {"id": f"call-{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": f"call-{number}", "content": answer},
    ]


def export_run(
    table: str, reward: float | None = 1.0, *, extra: str = "", path: str = "out"
) -> dict[str, Any]:
    """A run of an agent that exports a table; one that fails does not read it back."""
    file = f"{path}/{table}.csv"
    talk = [
        {"role": "user", "content": f"Export the {table} table as CSV{extra}."},
        *call(0, "query", "Error: no such table", table=table[:-1]),
        *call(1, "list_tables", f"{table}, audit"),
        *call(2, "query", "id,amount\n1,2", table=table),
        *call(3, "write_file", "written", path=file, header=True),
        *(call(4, "read_file", "id,amount\n1,2", path=file) if reward else ()),
        {"role": "assistant", "content": f"The {table} are exported."},
    ]
    row: dict[str, Any] = {"session": f"s-{table}", "messages": talk}
    return row if reward is None else row | {"reward": reward}


def export_runs(count: int = 6, failures: int = 1) -> list[dict[str, Any]]:
    good = [export_run(table) for table in TABLES[:count]]
    names = [f"{table[:-1]}-archives" for table in TABLES[:failures]]
    return [*good, *(export_run(name, 0.0) for name in names)]


def plain(task: str, session: str = "", **more: object) -> dict[str, Any]:
    return {"task": task, "status": "approved", "session": session, **more}
