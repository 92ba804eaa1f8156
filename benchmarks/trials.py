"""Trials in the sandbox against a bare `bwrap true`, the least that a sandbox costs."""

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, Work, command, ratio, seconds
from skillforge.sandbox import Job
from skillforge.sandbox.bubblewrap import Bubblewrap

_SKILL = """---
name: {name}
description: Does nothing, many times. Use when speed is measured.
---
# Nothing

Do nothing.
"""


def rows(work: Work) -> Iterator[Row]:
    box = Bubblewrap()
    if lacking := box.gaps():
        yield Row("trials in the sandbox", lacking[0][:40], "", None)
        return
    yield _single_trial(box, work.size(100, 5))
    yield _many(box, work.folder, work.size(1000, 20))


def _bare(box: Bubblewrap, jobs: int, count: int) -> None:
    """So many bare rooms, so many at a time."""
    room = [box.program, "--unshare-all", "--ro-bind", "/", "/", "true"]
    line = ["xargs", "-P", str(jobs), "-n", "1", *room]
    subprocess.run(line, input=b"x\n" * count, check=True)


def _single_trial(box: Bubblewrap, count: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        job = Job(("true",), Path(folder), has_traps=True)
        bare, ours = seconds(
            lambda: _bare(box, 1, count),
            lambda: [box.run(job) for _ in range(count)],
            times=7,
        )
    return ratio("one trial, against a bare bwrap", ours / bare, 3)


def _many(box: Bubblewrap, work: Path, count: int) -> Row:
    """A whole call of `skillforge test` on a skill with many cases."""
    tests = work / "trials" / "nothing" / "tests"
    tests.mkdir(parents=True)
    (tests.parent / "SKILL.md").write_text(_SKILL.format(name="nothing"))
    rows = "".join(f"  - {{n: {n}}}\n" for n in range(count))
    (tests / "many.yaml").write_text(f"run: ['true', '{{{{ n }}}}']\nvariants:\n{rows}")
    done = command("test", tests.parent, "--jobs", 2, "--no-cache")()
    assert b"%d passed" % count in done.stdout.replace(b",", b""), done
    bare, ours = seconds(
        lambda: _bare(box, 2, count),
        command("test", tests.parent, "--jobs", 2, "--no-cache"),
        times=3,
    )
    return ratio(
        f"{count:,} trials, two at a time, against bare bwraps", ours / bare, 2.5
    )
