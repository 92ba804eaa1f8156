"""Trials in the sandbox against a bare `bwrap true`, the least that a sandbox costs."""

import subprocess
import tempfile
from pathlib import Path

from benchmarks.measure import Row, command, ratio, seconds
from skillforge.sandbox import Job
from skillforge.sandbox.bubblewrap import Bubblewrap

TRIALS = 1000
_SKILL = """---
name: {name}
description: Does nothing, many times. Use when speed is measured.
---
# Nothing

Do nothing.
"""


def trials(work: Path) -> list[Row]:
    box = Bubblewrap()
    if lacking := box.gaps():
        return [Row("trials in the sandbox", lacking[0][:40], "", None)]
    return [_one(box), _many(box, work)]


def _bare(box: Bubblewrap, jobs: int, count: int) -> None:
    """So many bare rooms, so many at a time."""
    room = [box.program, "--unshare-all", "--ro-bind", "/", "/", "true"]
    line = ["xargs", "-P", str(jobs), "-n", "1", *room]
    subprocess.run(line, input=b"x\n" * count, check=True)


def _one(box: Bubblewrap) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        job = Job(("true",), Path(folder), has_traps=True)
        bare, ours = seconds(
            lambda: _bare(box, 1, 100),
            lambda: [box.run(job) for _ in range(100)],
            times=7,
        )
    return ratio("one trial against a bare bwrap", ours / bare, 3)


def _many(box: Bubblewrap, work: Path) -> Row:
    """A whole call of `skillforge test` on a skill with many cases."""
    tests = work / "trials" / "nothing" / "tests"
    tests.mkdir(parents=True)
    (tests.parent / "SKILL.md").write_text(_SKILL.format(name="nothing"))
    rows = "".join(f"  - {{n: {n}}}\n" for n in range(TRIALS))
    (tests / "many.yaml").write_text(f"run: ['true', '{{{{ n }}}}']\nvariants:\n{rows}")
    done = command("test", tests.parent, "--jobs", 2, "--no-cache")()
    assert b"1,000 passed" in done.stdout.replace(b"1000", b"1,000"), done
    bare, ours = seconds(
        lambda: _bare(box, 2, TRIALS),
        command("test", tests.parent, "--jobs", 2, "--no-cache"),
        times=3,
    )
    return ratio(f"{TRIALS:,} trials, two at a time, against bare", ours / bare, 2.5)
