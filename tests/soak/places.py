"""Where the soak works: a library with unsaved work in it, a clone, and folders."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

BRANCH = "trunk"  # beside others that are called main and master
POLICY = f"""\
branch: {BRANCH}
proposals:
  open: 14
evidence:
  examples: 0
  sessions: 0
canary:
  share: 50
  alpha: 0.3
  least: 3
curate:
  young: 0
"""
LIBRARY, CLONE = "library", "clone"


def git(folder: Path, *arguments: str, may_fail: bool = False) -> str:
    """Run git as a user would; what it said."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode and not may_fail:
        words = f"git {' '.join(arguments)}: {done.stdout}{done.stderr}"
        raise RuntimeError(words)
    return "" if done.returncode else done.stdout.strip()


@dataclass(frozen=True)
class Places:
    """The folders of a run, all below one."""

    top: Path

    @property
    def library(self) -> Path:
        return self.top / LIBRARY

    @property
    def clone(self) -> Path:
        return self.top / CLONE

    @property
    def hand(self) -> Path:
        """The clone of somebody who uses nothing but git."""
        return self.top / "hand"

    @property
    def checkout(self) -> Path:
        """A worktree of the library in which its branch is checked out, at times."""
        return self.top / "checkout"

    @property
    def drafts(self) -> Path:
        return self.top / "drafts"

    @property
    def agents(self) -> Path:
        return self.top / "agents"

    @property
    def outputs(self) -> Path:
        """What commands print."""
        return self.top / "outputs"

    def of(self, name: str) -> Path:
        return self.top / name


def settle_environment(top: Path) -> None:
    """No user's settings reach a run, and it leaves nothing in a user's cache."""
    for name in [n for n in os.environ if n.startswith(("GIT_", "SKILLFORGE_"))]:
        del os.environ[name]
    os.environ |= {
        "GIT_CONFIG_GLOBAL": str(top / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "SKILLFORGE_CACHE": str(top / "cache"),
        "GIT_AUTHOR_NAME": "Soak",
        "GIT_AUTHOR_EMAIL": "soak@example.invalid",
        "GIT_COMMITTER_NAME": "Soak",
        "GIT_COMMITTER_EMAIL": "soak@example.invalid",
    }


def make(top: Path) -> Places:
    """A library that adopted a policy, its clones, and unsaved work in its checkout."""
    places = Places(top)
    for folder in (places.library, places.drafts, places.agents, places.outputs):
        folder.mkdir(parents=True)
    root = places.library
    git(root, "init", "--quiet", "--initial-branch", BRANCH)
    _sign(top)
    (root / "skillforge.yaml").write_text(POLICY)
    (root / "notes.txt").write_text("Notes of the owner\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "Start")
    for branch in ("main", "master"):
        git(root, "branch", branch)
    for name in (places.clone, places.hand):
        git(top, "clone", "--quiet", str(root), str(name))
    _begin_work(root)
    return places


def _sign(top: Path) -> None:
    """Have git sign commits and tags, where there is a program that makes a key."""
    if shutil.which("ssh-keygen") is None:
        return
    key = str(top / "key")
    line = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key]
    subprocess.run(line, check=True)
    settings = {"gpg.format": "ssh", "user.signingKey": key}
    settings |= {"commit.gpgSign": "true", "tag.gpgSign": "true"}
    for name, value in settings.items():
        git(top, "config", "--global", name, value)


def _begin_work(root: Path) -> None:
    """What the owner of the library is at, and nobody may touch."""
    git(root, "switch", "--quiet", "--create", "work")
    (root / "notes.txt").write_text("Notes of the owner\nnot saved yet\n")
    (root / "staged.txt").write_text("staged\n")
    git(root, "add", "staged.txt")
    (root / "staged.txt").write_text("staged, and changed again\n")
    (root / "skills" / "half-done").mkdir(parents=True)
    (root / "skills" / "half-done" / "SKILL.md").write_text("half a thought")


def checkout_of(root: Path) -> dict[str, object]:
    """All of a checkout that a command could touch: files, index, branch."""
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }
    return {
        "files": files,
        "index": git(root, "ls-files", "--stage"),
        "branch": git(root, "symbolic-ref", "HEAD"),
        "head": git(root, "rev-parse", "HEAD"),
        "stash": git(root, "stash", "list"),
    }
