"""Speed, as ratios within one run: `make bench`, or `python -m benchmarks --large`."""

import argparse
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import yaml

from benchmarks import agents, loop, scan, share_hub, share_read, sync, trials
from benchmarks.corpus import generate
from benchmarks.measure import Row, command, git, library, ratio, seconds
from skillforge.checks import Ruleset
from skillforge.checks.run import check_checkout, check_commit
from skillforge.library import Library
from skillforge.model import Profile

RULES = Ruleset(Profile.PORTABLE, {})
NO_CACHE = 10**9


def floor(root: Path) -> None:
    """The least that any validator does: list, read, and load the frontmatter."""
    with os.scandir(root / "skills") as folders:
        for folder in folders:
            with os.scandir(folder.path) as files:
                for file in files:
                    if file.name == "SKILL.md":
                        _load(Path(file.path).read_bytes().decode())


def _load(text: str) -> None:
    with suppress(yaml.YAMLError):
        yaml.load(text[4 : text.find("\n---", 4) + 1], Loader=yaml.CSafeLoader)


def cat_file(root: Path) -> None:
    """All SKILL.md blobs through one bare `git cat-file --batch`."""
    listed = git(root, "ls-tree", "-r", "HEAD", "skills/").splitlines()
    names = "\n".join(line.split()[2] for line in listed if line.endswith("/SKILL.md"))
    batch = ["git", "cat-file", "--batch", "--buffer"]
    subprocess.run(batch, cwd=root, input=names.encode(), stdout=subprocess.DEVNULL)


def cold(root: Path, work: Path) -> list[Row]:
    library = Library(root)
    low, ours = seconds(
        lambda: floor(root), lambda: check_checkout(library, RULES, NO_CACHE)
    )
    rows = [ratio("cold validate against the floor", ours / low, 1.5)]
    rows += [_reference(root, work), _agnix(root, work), _memory(root)]
    bare, objects = seconds(
        lambda: cat_file(root),
        lambda: check_commit(library, RULES, "HEAD"),
        times=3,
    )
    return [*rows, ratio("from objects against cat-file", objects / bare, 3)]


def _sample(root: Path, work: Path, count: int) -> Path:
    sample = work / f"sample-{count}"
    if not sample.exists():
        for folder in sorted((root / "skills").iterdir())[:count]:
            shutil.copytree(folder, sample / "skills" / folder.name)
    return sample


def _reference(root: Path, work: Path) -> Row:
    import skills_ref

    sample = _sample(root, work, 4000)
    folders = sorted((sample / "skills").iterdir())
    ours, theirs = seconds(
        lambda: check_checkout(Library(sample), RULES, NO_CACHE),
        lambda: [skills_ref.validate(folder) for folder in folders],
        times=3,
    )
    return ratio("times as fast as skills-ref", theirs / ours, 20, least=True)


def _agnix(root: Path, work: Path) -> Row:
    program = shutil.which("agnix") or os.environ.get("AGNIX")
    if program is None:
        return Row("against agnix", "not installed", "at least 1 x", None)
    sample = _sample(root, work, 4000)
    ours, theirs = seconds(
        command("validate", "--library", sample),
        lambda: subprocess.run(
            [program, str(sample)], capture_output=True, check=False
        ),
        times=3,
    )
    return ratio("times as fast as agnix", theirs / ours, 1, least=True)


def _memory(root: Path) -> Row:
    code = (
        "import resource, sys; from skillforge.cli import run;"
        f"run(['validate', '--library', {str(root)!r}, '--format', 'json']);"
        "who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN);"
        "peak = sum(resource.getrusage(w).ru_maxrss for w in who);"
        "print(peak // 1024, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    peak = int(done.stderr.split()[-1])
    return Row("memory of a cold validate", f"{peak} MB", "under 150 MB", peak < 150)


def warm(root: Path) -> list[Row]:
    """The whole command, cold and with one skill changed since."""
    one = sorted((root / "skills").iterdir())[0] / "SKILL.md"
    cache = root / ".git" / "skillforge"
    validate = command("validate", "--library", root)

    def forget() -> None:
        shutil.rmtree(cache, ignore_errors=True)

    best = [float("inf"), float("inf")]
    for turn in range(4):
        forget()
        best[0] = min(best[0], seconds(validate, times=1)[0])
        one.write_text(one.read_text(encoding="utf-8") + f"{turn}\n", encoding="utf-8")
        best[1] = min(best[1], seconds(validate, times=1)[0])
    git(root, "checkout", "--", "skills")
    return [ratio("warm, one skill changed, against cold", best[1] / best[0], 0.3)]


def changed_since(small: Path, large: Path) -> list[Row]:
    for root in (small, large):
        git(root, "checkout", "-q", "-b", "work")
        one = sorted((root / "skills").iterdir())[0] / "SKILL.md"
        one.write_text(one.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
        git(root, "commit", "-qam", "Change")
    few, many = seconds(
        command("validate", "--changed-since", "main", cwd=small),
        command("validate", "--changed-since", "main", cwd=large),
    )
    return [ratio("--changed-since, ten times the skills", many / few, 1.5)]


def start_up(root: Path) -> list[Row]:
    one = sorted((root / "skills").iterdir())[0]
    nothing, version, single = seconds(
        lambda: subprocess.run([sys.executable, "-c", "pass"], check=False),
        command("--version"),
        command("validate", one),
        times=15,
    )
    over = (version - nothing) * 1000
    whole = single * 1000
    return [
        Row("--version over python", f"{over:.0f} ms", "within 60 ms", over <= 60),
        Row("validate of one skill", f"{whole:.0f} ms", "within 150 ms", whole <= 150),
    ]


def linear(work: Path, root: Path) -> list[Row]:
    large = work / "large"
    generate(large, 100_000)
    few, many = seconds(
        lambda: check_checkout(Library(root), RULES, NO_CACHE),
        lambda: check_checkout(Library(large), RULES, NO_CACHE),
        times=2,
    )
    return [ratio("100,000 skills, time for each", many / few / 10, 1.2)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also 100,000 skills")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        small, root = library(work, "small", 1_000), library(work, "root", 10_000)
        rows = [*loop.proposing(small, root), *loop.looking_back(work)]
        rows += trials.trials(work)
        rows += scan.rows(small)
        rows += sync.rows(root, work)
        rows += agents.rows(root)
        rows += share_read.rows(root, work)
        rows += share_hub.rows(small)
        rows += [*cold(root, work), *warm(root), *start_up(root)]
        if options.large:
            rows += linear(work, root)
        rows += changed_since(small, root)
    show(rows)


def show(rows: list[Row]) -> None:
    peer = importlib.metadata.version("skills-ref")
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, skills-ref {peer}"
    )
    print("10,000 generated skills, median 6 KB\n")
    print(f"| {'what':<40} | {'measured':<13} | {'target':<14} | met |")
    print(f"| {'-' * 40} | {'-' * 13} | {'-' * 14} | --- |")
    for row in rows:
        met = {True: "yes", False: "no", None: "-"}[row.met]
        print(f"| {row.what:<40} | {row.value:<13} | {row.target:<14} | {met:<3} |")


if __name__ == "__main__":
    main()
