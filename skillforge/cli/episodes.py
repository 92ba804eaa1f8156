"""Transcripts for the demo: an agent that exports tables, in eight sessions."""

import json
from typing import Any

_RUNS = (
    ("orders", "order", "March", True),
    ("customers", "customer", "April", True),
    ("invoices", "invoice", "May", True),
    ("refunds", "refund", "June", True),
    ("shipments", "shipment", "July", True),
    ("returns", "return", "August", True),
    ("payments", "payment", "September", False),
    ("suppliers", "supplier", "October", False),
)


def transcripts() -> str:
    """One run on each line, as chat messages with a verifier's reward."""
    return "".join(f"{json.dumps(_run(*run))}\n" for run in _RUNS)


def _run(table: str, guess: str, month: str, is_good: bool) -> dict[str, Any]:
    path = f"/home/ada/exports/{table}.csv"
    talk = [
        _said(
            "user", f"Export the {table} table of {month} as CSV for bo@example.org."
        ),
        *_call(0, "query", {"table": guess}, "Error: no such table"),
        *_call(1, "list_tables", {}, f"{table}, audit"),
        *_call(2, "query", {"table": table}, f"id,{month}\n1,2"),
        *_call(3, "write_file", {"path": path, "header": is_good}, "written"),
    ]
    if is_good:
        talk += _call(4, "read_file", {"path": path}, f"id,{month}\n1,2")
    talk.append(_said("assistant", f"The {table} are in {path}."))
    return {"session": f"demo-{table}", "reward": float(is_good), "messages": talk}


def _said(role: str, words: str) -> dict[str, Any]:
    return {"role": role, "content": words}


def _call(number: int, tool: str, given: dict[str, Any], answer: str) -> list[Any]:
    name = f"call-{number}"
    function = {"name": tool, "arguments": json.dumps(given)}
    call = {"id": name, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": name, "content": answer},
    ]
