"""What people do with plain git, in clones of their own."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.soak.places import BRANCH, git

NOTHING: dict[str, Any] = {}


@contextlib.contextmanager
def _alone(clone: Path) -> Iterator[None]:
    """One person sits before a clone."""
    with (clone / ".git" / "soak.hand").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def revert(clone: Path, skill: str, *, is_merge: bool) -> dict[str, Any]:
    """Take the newest change of a skill back, on main or on a branch to merge."""
    with _alone(clone):
        _begin(clone)
        path = f"skills/{skill}"
        line = ("log", "-1", "--first-parent", "--format=%H %P", "HEAD", "--", path)
        names = git(clone, *line).split()
        # What takes something back is left alone: to revert that needs a proposal.
        if not names or _takes_back(clone, names[0]):
            return NOTHING
        mainline = ("-m", "1") if len(names) == 3 else ()
        if is_merge:
            git(clone, "switch", "--quiet", "--force-create", f"revert-{skill}")
        if not git(clone, "revert", "--no-edit", *mainline, names[0], may_fail=True):
            git(clone, "reset", "--quiet", "--hard")
            return NOTHING
        if is_merge:
            git(clone, "switch", "--quiet", "--detach", f"origin/{BRANCH}")
            git(clone, "merge", "--quiet", "--no-ff", "--no-edit", f"revert-{skill}")
        return _pushed(clone, skill)


def _takes_back(clone: Path, commit: str) -> bool:
    text = git(clone, "log", "--format=%B", f"{commit}^1..{commit}")
    return "This reverts commit" in text or "\nReverts: " in text


def push(clone: Path, skill: str, text: str) -> dict[str, Any]:
    """Write a skill to main, past all review."""
    with _alone(clone):
        _begin(clone)
        folder = clone / "skills" / skill
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text(text)
        git(clone, "add", "--all")
        git(clone, "commit", "--quiet", "--message", f"Change {skill}")
        return _pushed(clone, skill)


def pull(clone: Path) -> dict[str, Any]:
    with _alone(clone):
        git(clone, "pull", "--quiet", "--ff-only", "origin", BRANCH)
    return NOTHING


def _begin(clone: Path) -> None:
    git(clone, "fetch", "--quiet", "origin", f"{BRANCH}:refs/remotes/origin/{BRANCH}")
    git(clone, "switch", "--quiet", "--discard-changes", "--detach", f"origin/{BRANCH}")


def _pushed(clone: Path, skill: str) -> dict[str, Any]:
    """Push what was made; git refuses it if main has moved meanwhile."""
    commit = git(clone, "rev-parse", "HEAD")
    git(clone, "push", "--quiet", "origin", f"HEAD:{BRANCH}", may_fail=True)
    git(clone, "fetch", "--quiet", "origin", f"{BRANCH}:refs/remotes/origin/{BRANCH}")
    line = git(clone, "rev-list", "--first-parent", f"origin/{BRANCH}").split()
    if commit not in line:
        return NOTHING
    version = git(
        clone, "rev-parse", "--verify", "--quiet", f"HEAD:skills/{skill}", may_fail=True
    )
    return {"commit": commit, "skill": skill, "version": version}
