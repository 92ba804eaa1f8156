"""Speed and quality beside their targets: `make bench`, or `python -m benchmarks`.

`--only PART` measures some parts again and leaves the figures of the others; `--quick`
tries the benchmarks themselves on little data. Data that is not ours to publish is
looked for in the folder that SKILLFORGE_BENCH_DATA names; scan.py and learn.py say
under which names.
"""

import argparse
import os
import tempfile
import time
from importlib import import_module
from pathlib import Path

from benchmarks import results
from benchmarks.measure import Row, Work

# Part, its title in the table, and the modules that measure it, quickest first.
PARTS = {
    "demo": ("The loop, end to end", ("demo",)),
    "agents": ("Agents: the same over MCP", ("agents",)),
    "scan": ("Scan: speed and quality", ("scan", "leaks")),
    "trials": ("Test: trials in the sandbox", ("trials",)),
    "share": ("Share: search, catalog, hub", ("share_read", "share_hub")),
    "propose": ("Propose, audit, log", ("loop",)),
    "validate": ("Validate: speed against floors and peers", ("validate",)),
    "operate": ("Operate: uses and the canary, simulated", ("operate",)),
    "learn": ("Learn: quality and speed", ("learn",)),
}
TITLES = {part: title for part, (title, _) in PARTS.items()}


def main() -> None:
    options = _options()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users have what is compiled
    file = options.results or (None if options.quick else results.KEPT)
    with tempfile.TemporaryDirectory() as folder:
        work = Work(Path(folder), options.quick, options.data)
        for part in options.only or PARTS:
            start = time.perf_counter()
            rows = measured(work, part)
            taken = time.perf_counter() - start
            print(f"   {taken:.0f} s\n", flush=True)
            if file is not None:
                results.keep(file, part, rows, taken)
                file.with_name("RESULTS.md").write_text(results.render(file, TITLES))


def measured(work: Work, part: str) -> list[Row]:
    """The rows of a part, each told as soon as it is there."""
    title, modules = PARTS[part]
    print(f"{title} ({part})", flush=True)
    rows = []
    for name in modules:
        for row in import_module(f"benchmarks.{name}").rows(work):
            rows.append(row)
            met = {True: "met", False: "MISSED", None: ""}[row.met]
            words = f"   {row.what:<68} {row.value:>14}  {row.target:<16} {met}"
            print(words.rstrip(), flush=True)
    return rows


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("SKILLFORGE_BENCH_DATA")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, metavar="PART", help=", ".join(PARTS)
    )
    parser.add_argument(
        "--quick", action="store_true", help="little data; keeps nothing"
    )
    parser.add_argument("--results", type=Path, metavar="FILE", help="JSON of all rows")
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", default=Path(data) if data else None
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
