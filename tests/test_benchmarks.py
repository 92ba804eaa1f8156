"""The benchmarks run, tell each figure, and keep it beside those of other parts."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks import results
from benchmarks.__main__ import PARTS, TITLES
from benchmarks.measure import Row

MET, MISSED = Row("a", "1 x", "at most 2 x", True), Row("b", "9 %", "0", False, "peer")


def bench(*arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_part_is_measured_alone(tmp_path: Path) -> None:
    file = tmp_path / "results.json"

    output = bench("--quick", "--only", "scan", "--results", file)

    rows = json.loads(file.read_text())["scan"]["rows"]
    assert all(row["what"] in output for row in rows)
    assert "needs attacks/" in output
    table = (tmp_path / "RESULTS.md").read_text()
    assert all(f"| {row['what']} | {row['value']} |" in table for row in rows)


def test_a_part_that_is_measured_again_replaces_only_itself(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    results.keep(file, "scan", [MISSED], 3)
    results.keep(file, "learn", [MET], 60)
    results.keep(file, "scan", [MET, MET], 3)

    known = json.loads(file.read_text())

    assert [len(known[part]["rows"]) for part in ("scan", "learn")] == [2, 1]


def test_the_table_shows_missed_targets_and_the_machine(
    tmp_path: Path,
) -> None:
    file = tmp_path / "results.json"
    results.keep(file, "scan", [MET, MISSED], 3)

    page = results.render(file, TITLES)

    assert "Targets met: 1; missed: 1 (b)." in page
    assert "| b | 9 % | 0 | **no** | peer |" in page
    assert "cores" in page
    assert str(Path.home()) not in page


def test_every_part_has_a_module_with_rows() -> None:
    folder = Path(results.__file__).parent

    named = {module for _, modules in PARTS.values() for module in modules}

    assert all((folder / f"{module}.py").is_file() for module in named)
