"""The loop: propose against a bare fast-import, audit and log against bare git log."""

import itertools
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import (
    Row,
    Work,
    command,
    git,
    identify,
    library,
    milliseconds,
    ratio,
    seconds,
)
from skillforge.gitrepo import trailers
from skillforge.history import audit, skill_history
from skillforge.history.steps import MAIN_LINE
from skillforge.model import Draft, DraftFile
from skillforge.propose.proposal_request import ProposalRequest
from skillforge.propose.submit import propose
from skillforge.propose.workspace import Workspace

NAMES = ("".join(letters) for letters in itertools.product("abcdefghij", repeat=6))
WHO = "Bench <bench@example.invalid>"
REVIEWER = "Rita <rita@example.invalid>"


def rows(work: Work) -> Iterator[Row]:
    identify()
    yield from proposing(work.small, work.large)
    yield batches(work.folder, work.size(2_000, 40))
    yield promoting(work.huge, work.size(20_000, 150))
    yield from looking_back(work.folder, work.size(5_000, 200))


def skill(name: str) -> bytes:
    head = f"---\nname: {name}\ndescription: Helps with {name}. Use when asked.\n---\n"
    lines = "".join(f"{n}. Do {name} {n} and then {n + 1}.\n" for n in range(150))
    return f"{head}# About {name}\n\n{lines}".encode()


def proposing(small: Path, large: Path) -> Iterator[Row]:
    ours = {}
    for root, count in ((small, "1,000"), (large, "10,000")):
        _propose(root)  # the first one reads every skill, once
        bare, own, porcelain = seconds(
            lambda root=root: _fast_import(root),  # type: ignore[misc]
            lambda root=root: _propose(root),  # type: ignore[misc]
            lambda root=root: _porcelain(root),  # type: ignore[misc]
            times=12,
        )
        ours[count] = own
        yield ratio(f"propose at {count}, against fast-import", own / bare, 2.5)
        what = f"propose at {count}, times as fast as porcelain"
        row = ratio(what, porcelain / own, 10, least=True)
        yield row._replace(peers=f"checkout, add, commit: {porcelain * 1000:.0f} ms")
        _forget(root)
    growth = ours["10,000"] / ours["1,000"]
    yield ratio("propose, ten times the skills", growth, 4)


def _propose(root: Path, count: int = 1) -> int:
    """Open so many proposals; the number of the last one."""
    workspace = Workspace.at_work(root, None)
    names = itertools.islice(NAMES, count)
    drafts = [Draft(name, {"SKILL.md": DraftFile(skill(name))}) for name in names]
    requests = [ProposalRequest(draft, workspace.base) for draft in drafts]
    outcomes = propose(workspace, requests)
    assert all(outcome.created for outcome in outcomes), outcomes
    last = outcomes[-1].proposal
    return last.number if last else 0


def batches(work: Path, open_already: int) -> Row:
    """A draft of a batch, with many proposals open against none."""
    root = library(work, "open", 20)
    (root / "skillforge.yaml").write_text("proposals:\n  open: 100000\n")
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "Allow many proposals")
    [alone] = seconds(lambda: _propose(root, 200), times=1)
    _propose(root, open_already)
    [among] = seconds(lambda: _propose(root, 200), times=1)
    what = f"propose of 200 drafts with {open_already:,} open, against none"
    return ratio(what, among / alone, 3)


def promoting(root: Path, count: int) -> Row:
    """The command that merges an approved proposal, in a large library."""
    _propose(root)  # the first one reads every skill, once
    best = float("inf")
    for _ in range(3):
        number = str(_propose(root))
        approve = command("review", number, "--approve", "--as", REVIEWER, cwd=root)
        promote = command("promote", number, cwd=root)
        assert approve().returncode == 0
        start = time.perf_counter()
        assert promote().returncode == 0
        best = min(best, time.perf_counter() - start)
    return milliseconds(f"promote at {count:,} skills", best, 800)


def _fast_import(root: Path) -> None:
    name = next(NAMES)
    stream = (
        f"commit refs/heads/bare-{name}\ncommitter {WHO} 1700000000 +0000\ndata 2\nx\n"
        f"from refs/heads/main^0\nM 100644 inline skills/{name}/SKILL.md\n"
    ).encode() + _data(skill(name))
    line = ["git", "fast-import", "--quiet", "--done"]
    subprocess.run(line, input=stream + b"\ndone\n", cwd=root, check=True)


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)


def _porcelain(root: Path) -> None:
    name = next(NAMES)
    git(root, "checkout", "-q", "-b", f"porcelain-{name}", "main")
    folder = root / "skills" / name
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(skill(name))
    git(root, "add", f"skills/{name}")
    git(root, "commit", "-q", "-m", f"Add {name}")
    git(root, "checkout", "-q", "main")


def _forget(root: Path) -> None:
    refs = git(root, "for-each-ref", "--format=%(refname)").splitlines()
    gone = [f"delete {ref}\n" for ref in refs if ref != "refs/heads/main"]
    line = ["git", "update-ref", "--stdin"]
    subprocess.run(line, input="".join(gone).encode(), cwd=root, check=True)
    git(root, "gc", "-q", "--prune=now")


def looking_back(work: Path, promotions: int) -> list[Row]:
    """Audit and log over many promotions, against git's own passes with no reader."""
    root = library(work, "history", 200)
    _promote_many(root, promotions)
    workspace = Workspace.at(root)
    floor, own, skill_log = seconds(
        lambda: _bare_log(root),
        lambda: _audit(workspace, promotions),
        lambda: skill_history.log(workspace.library, "skill-000007"),
        times=3,
    )
    return [
        ratio(f"audit of {promotions:,} promotions, against git log", own / floor, 4),
        ratio("log of one skill, against git log", skill_log / floor, 3),
    ]


def _bare_log(root: Path) -> None:
    for options in (MAIN_LINE, ("--format=%B",)):
        line = ["git", "log", "-z", *options, "main"]
        subprocess.run(line, cwd=root, stdout=subprocess.DEVNULL, check=True)


def _audit(workspace: Workspace, promotions: int) -> None:
    done = audit.audit(workspace.library, workspace.forge)
    assert done.promotions == promotions, done
    assert not done.exceptions, done.exceptions[:3]


def _promote_many(root: Path, promotions: int) -> None:
    """Make proposals and their merges as promote does, in a single import."""
    line = ["git", "fast-import", "--quiet", "--force"]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, cwd=root, stdin=pipe, stdout=pipe) as git_:
        assert git_.stdin is not None
        assert git_.stdout is not None
        before = "refs/heads/main^0"
        for number in range(1, promotions + 1):
            for part in _promotion(number, before):
                git_.stdin.write(part)
            git_.stdin.flush()
            tree = git_.stdout.readline().split()[2].decode()
            git_.stdin.write(_merge(number, before, tree))
            before = f":{number * 2}"
        git_.stdin.close()
        assert git_.wait() == 0
    git(root, "gc", "-q")


def _promotion(number: int, before: str) -> Iterator[bytes]:
    name = f"skill-{number % 200:06d}"
    mark = number * 2 - 1
    fields = [
        ("Skill", name),
        ("Action", "edit"),
        ("Origin", "human"),
        ("Proposed-By", WHO),
    ]
    yield f"commit refs/heads/draft\nmark :{mark}\n".encode()
    yield f"committer {WHO} {1_700_000_000 + number} +0000\n".encode()
    yield _data(trailers.message(f"Edit {name}", "Better", fields).encode())
    yield f"from {before}\nM 100644 inline skills/{name}/SKILL.md\n".encode()
    yield _data(b"%s\n%d\n" % (skill(name), number))
    yield f'\nls :{mark} ""\n'.encode()


def _merge(number: int, before: str, tree: str) -> bytes:
    fields = [
        ("Proposal", str(number)),
        ("Approved-By", REVIEWER),
        ("Approved-Tree", tree),
        ("Checks-Digest", "sha256:" + "0" * 64),
        ("Policy", "none"),
    ]
    return (
        f"commit refs/heads/main\nmark :{number * 2}\n"
        f"committer {WHO} {1_700_000_000 + number} +0000\n"
    ).encode() + (
        _data(trailers.message(f"Merge proposal {number}", "", fields).encode())
        + f'from {before}\nmerge :{number * 2 - 1}\nM 040000 {tree} ""\n\n'.encode()
    )
