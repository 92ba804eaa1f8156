"""Validate: against the least that any validator does, and against peers."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import yaml

from benchmarks.corpus import generate
from benchmarks.measure import Row, Work, command, git, milliseconds, ratio, seconds
from skillforge.checks import Ruleset
from skillforge.checks.runner import check_checkout, check_commit
from skillforge.library import Library
from skillforge.model import Profile

RULES = Ruleset(Profile.PORTABLE, {})
NO_CACHE = 10**9


def rows(work: Work) -> Iterator[Row]:
    root = work.large
    yield from start_up(root)
    yield from cold(root, work.folder, work.size(4000, 60))
    yield warm(root)
    yield changed_since(work.small, root)
    yield linear(work, root)


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


def cold(root: Path, work: Path, few: int) -> Iterator[Row]:
    library = Library(root)
    low, ours = seconds(
        lambda: floor(root), lambda: check_checkout(library, RULES, NO_CACHE)
    )
    yield ratio("validate of 10,000, cold, against the floor", ours / low, 1.5)
    sample = _sample(root, work, few)
    yield _reference(sample)
    yield _agnix(sample)
    yield _memory(root)
    bare, objects = seconds(
        lambda: cat_file(root),
        lambda: check_commit(library, RULES, "HEAD"),
        times=3,
    )
    yield ratio("from git objects, against cat-file", objects / bare, 3)


def _sample(root: Path, work: Path, count: int) -> Path:
    sample = work / f"sample-{count}"
    for folder in sorted((root / "skills").iterdir())[:count]:
        shutil.copytree(folder, sample / "skills" / folder.name)
    return sample


def _reference(sample: Path) -> Row:
    import skills_ref

    folders = sorted((sample / "skills").iterdir())
    ours, theirs = seconds(
        lambda: check_checkout(Library(sample), RULES, NO_CACHE),
        lambda: [skills_ref.validate(folder) for folder in folders],
        times=3,
    )
    row = ratio("times as fast as skills-ref", theirs / ours, 20, least=True)
    per_skill = theirs / len(folders) * 1000
    return row._replace(peers=f"skills-ref: {per_skill:.1f} ms a skill")


def _agnix(sample: Path) -> Row:
    program = shutil.which("agnix") or os.environ.get("AGNIX")
    if program is None:
        return Row("times as fast as agnix", "not installed", "at least 1 x", None)
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
    return Row(
        "memory of a cold validate of 10,000", f"{peak} MB", "under 150 MB", peak < 150
    )


def warm(root: Path) -> Row:
    """The whole command, cold and with one skill changed since."""
    skill_file = sorted((root / "skills").iterdir())[0] / "SKILL.md"
    cache = root / ".git" / "skillforge"
    validate = command("validate", "--library", root)

    def forget() -> None:
        shutil.rmtree(cache, ignore_errors=True)

    best = [float("inf"), float("inf")]
    for turn in range(4):
        forget()
        best[0] = min(best[0], seconds(validate, times=1)[0])
        skill_file.write_text(
            skill_file.read_text(encoding="utf-8") + f"{turn}\n", encoding="utf-8"
        )
        best[1] = min(best[1], seconds(validate, times=1)[0])
    git(root, "checkout", "--", "skills")
    return ratio("warm, one skill changed, against cold", best[1] / best[0], 0.3)


def changed_since(small: Path, large: Path) -> Row:
    for root in (small, large):
        git(root, "checkout", "-q", "-b", "work")
        skill_file = sorted((root / "skills").iterdir())[0] / "SKILL.md"
        skill_file.write_text(
            skill_file.read_text(encoding="utf-8") + "more\n", encoding="utf-8"
        )
        git(root, "commit", "-qam", "Change")
    few, many = seconds(
        command("validate", "--changed-since", "main", cwd=small),
        command("validate", "--changed-since", "main", cwd=large),
    )
    for root in (small, large):
        git(root, "checkout", "-q", "main")
        git(root, "branch", "-q", "-D", "work")
    return ratio("--changed-since, ten times the skills", many / few, 1.5)


def start_up(root: Path) -> list[Row]:
    folder = sorted((root / "skills").iterdir())[0]
    nothing, version, single = seconds(
        lambda: subprocess.run([sys.executable, "-c", "pass"], check=False),
        command("--version"),
        command("validate", folder),
        times=15,
    )
    return [
        milliseconds("--version, over a start of Python", version - nothing, 60),
        milliseconds("validate of one skill", single, 150),
    ]


def linear(work: Work, root: Path) -> Row:
    larger = work.folder / "larger"
    generate(larger, work.size(100_000, 1_200))
    few, many = seconds(
        lambda: check_checkout(Library(root), RULES, NO_CACHE),
        lambda: check_checkout(Library(larger), RULES, NO_CACHE),
        times=2,
    )
    shutil.rmtree(larger)
    return ratio("100,000 skills, time for each", many / few / 10, 1.2)
