"""What was measured, kept part by part, and the table that is made of it."""

import importlib.metadata
import json
import os
import platform
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, git

HOME = Path(__file__).parent
KEPT = HOME / "results.json"
_LIBRARIES = ("click", "GitPython", "mcp", "PyYAML", "ruamel.yaml", "skills-ref")
_ABOUT = """# What was measured

Made by `make bench`, or part by part by `python -m benchmarks --only PART`; each part
says when and on which commit. Ratios are taken within one run, of the least time of
several turns. Generated skills are shaped like real ones: median 6 KB, some 100 KB.
"""


def machine() -> dict[str, str]:
    """What figures depend on; nothing that tells whose machine it is."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    found = {
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GB",
        "Python": platform.python_version(),
        "git": git(HOME, "version").split()[2],
        "SQLite": sqlite3.sqlite_version,
    }
    return found | {name: _version(name) for name in _LIBRARIES}


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def commit() -> str:
    """The commit that is measured; with a plus where files differ from it."""
    is_changed = git(
        HOME, "status", "--porcelain", "--untracked-files=no", ".."
    ).strip()
    return git(HOME, "rev-parse", "--short=10", "HEAD").strip() + "+" * bool(is_changed)


def keep(file: Path, part: str, rows: Sequence[Row], seconds: float) -> None:
    """Put the rows of a part in the place of what was known of it, and say it again."""
    known: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    known[part] = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit(),
        "seconds": round(seconds),
        "machine": machine(),
        "rows": [row._asdict() for row in rows],
    }
    file.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")


def render(file: Path, titles: Mapping[str, str]) -> str:
    """The table of all parts, in their order."""
    known: dict[str, Any] = json.loads(file.read_text())
    parts = [(titles[name], known[name]) for name in titles if name in known]
    newest = max((part for _, part in parts), key=lambda entry: str(entry["date"]))[
        "machine"
    ]
    rows = [Row(**row) for _, part in parts for row in part["rows"]]
    met = sum(row.met is True for row in rows)
    missed = [row.what for row in rows if row.met is False]
    names = f" ({'; '.join(missed)})" if missed else ""
    summary = f"Targets met: {met}; missed: {len(missed)}{names}."
    lines = [_ABOUT, _machine_words(newest), "", summary, ""]
    for title, part in parts:
        lines += [f"## {title}", "", _when(part, newest), "", *_table(part["rows"]), ""]
    return "\n".join(lines)


def _machine_words(of: Mapping[str, str]) -> str:
    return (
        "Machine: " + ", ".join(f"{name} {value}" for name, value in of.items()) + "."
    )


def _when(part: Mapping[str, Any], usual: Mapping[str, str]) -> str:
    words = f"{part['date']}, commit {part['commit']}, measured in {part['seconds']} s."
    other = part["machine"]
    return words if other == usual else f"{words} {_machine_words(other)}"


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [
        "| what | measured | target | met | peers |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in (Row(**it) for it in rows):
        cells = (row.what, row.value, row.target, sign(row), row.peers)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def sign(row: Row) -> str:
    return {True: "yes", False: "**no**", None: "-"}[row.met]
