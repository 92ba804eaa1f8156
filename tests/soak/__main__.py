"""`python -m tests.soak --minutes 30 --seed 7`: everything at once, on one library."""

import argparse
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path

from skillforge.operate.materialize import remove
from tests.soak.running import Plan, Soak


def main() -> int:
    options = _options()
    plan = Plan(options.minutes * 60, options.seed, options.actors)
    top = Path(tempfile.mkdtemp(prefix="skillforge-soak-")).resolve()
    _say(f"seed {plan.seed}, {options.minutes:g} minutes, {plan.actors} at once, {top}")
    start = time.monotonic()

    def progress(words: str) -> None:
        if sys.stderr.isatty() or options.verbose:
            _say(f"{time.monotonic() - start:6.0f} s  {words}")

    soak = Soak(top, plan, progress)
    try:
        soak.run()
    except BaseException:  # noqa: BLE001 - told, with all that leads there
        _say("\n".join(soak.last))
        _say(traceback.format_exc())
        _say(f"FAILED with seed {plan.seed}; all of it is kept in {top}")
        return 1
    finally:
        soak.crew.stop()
        if options.verbose:
            for (kind, how), count in sorted(soak.answers.items()):
                _say(f"{count:>6} {kind}: {how}")
    sys.stdout.write(f"{soak.table()}\n")
    remove(top)  # versions in the cache are read-only
    return 0


def _options() -> argparse.Namespace:
    words = "What is told of a seed is what is chosen; processes take their own time."
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=words)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--actors", type=int, default=4, help="commands at once")
    parser.add_argument("--verbose", action="store_true", help="all that was answered")
    return parser.parse_args()


def _say(words: str) -> None:
    sys.stderr.write(f"{words}\n")


if __name__ == "__main__":
    sys.exit(main())
