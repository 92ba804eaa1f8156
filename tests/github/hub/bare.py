"""All git that the hub runs itself, in bare repositories and without a checkout."""

import os
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

CONFIG = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\thooksPath = {hooks}
[http]
\treceivepack = true
[receive]
\tautogc = false
\thideRefs = refs/pull
[gc]
\tauto = 0
[uploadpack]
\tallowAnySHA1InWant = true
\tallowFilter = true
"""

# What a ruleset forbids comes from the hub with each push, as lists of refs.
UPDATE_HOOK = """\
#!/bin/sh
refuse() {
  echo "error: GH013: Repository rule violations found for $1." >&2
  echo "- $2" >&2
  exit 1
}
none=0000000000000000000000000000000000000000
[ "$2" = "$none" ] && exit 0
if [ "$3" = "$none" ]; then
  case " $HUB_KEPT " in *" $1 "*) refuse "$1" "Cannot delete this branch" ;; esac
  exit 0
fi
case " $HUB_LOCKED " in
  *" $1 "*) refuse "$1" "Changes must be made through a pull request." ;;
esac
case " $HUB_FORWARD " in
  *" $1 "*)
    git merge-base --is-ancestor "$2" "$3" ||
      refuse "$1" "Cannot force-push to this branch" ;;
esac
exit 0
"""
_LOG = "%x1e%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%at%x1f%cn%x1f%ce%x1f%ct%x1f%B"


class ConflictedMergeError(Exception):
    """Two commits change the same lines."""


@dataclass(frozen=True)
class Signature:
    """Who made a commit, and when; the clock's time if nothing is said."""

    name: str
    mail: str
    seconds: int | None = None

    @property
    def date(self) -> str:
        return stamp(self.seconds or 0)

    def variables(self, role: str) -> dict[str, str]:
        found = {f"GIT_{role}_NAME": self.name, f"GIT_{role}_EMAIL": self.mail}
        if self.seconds is not None:
            found[f"GIT_{role}_DATE"] = f"{self.seconds} +0000"
        return found


@dataclass(frozen=True)
class Commit:
    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str

    @property
    def subject(self) -> str:
        return self.message.partition("\n")[0]

    @property
    def rest(self) -> str:
        return self.message.partition("\n")[2].strip()


@dataclass(frozen=True)
class Change:
    """What a diff does to one file."""

    status: str
    path: str
    before: str | None
    blob: str
    added: int
    removed: int
    patch: str | None


def stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def clean_environment(home: Path) -> dict[str, str]:
    """No git configuration of a user, and no variable of a surrounding git."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


_TESTER = Signature("GitHub", "noreply@github.com")


class Bare:
    """A bare repository that can merge."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._merges: dict[tuple[str, str], str | None] = {}
        self._changes: dict[tuple[str, str], list[Change]] = {}
        self._trials: dict[tuple[str, str], str | None] = {}
        self._logs: dict[tuple[str, str], list[Commit]] = {}

    def create(self, hooks: Path) -> None:
        for folder in ("objects", "refs/heads"):
            (self.path / folder).mkdir(parents=True)
        (self.path / "HEAD").write_text("ref: refs/heads/main\n")
        (self.path / "config").write_text(CONFIG.format(hooks=hooks))

    def run(
        self, *args: str, stdin: bytes | None = None, **variables: str
    ) -> subprocess.CompletedProcess[bytes]:
        environment = clean_environment(self.path.parent)
        environment["GIT_DIR"] = str(self.path)
        return subprocess.run(
            ["git", *args],
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            env=environment | variables,
        )

    def bytes(self, *args: str, stdin: bytes | None = None, **variables: str) -> bytes:
        done = self.run(*args, stdin=stdin, **variables)
        if done.returncode:
            raise AssertionError(f"git {' '.join(args)}: {done.stderr.decode()}")
        return done.stdout

    def git(self, *args: str) -> str:
        return self.bytes(*args).decode("utf-8", "replace").strip()

    def tips(self) -> dict[str, str]:
        """Every branch, by its name; nothing here packs them, and git would be slow."""
        assert not (self.path / "packed-refs").exists()
        top = self.path / "refs/heads"
        files = (
            Path(folder, name) for folder, _, names in os.walk(top) for name in names
        )
        found: dict[str, str] = {}
        for file in sorted(file for file in files if file.suffix != ".lock"):
            with suppress(FileNotFoundError):  # it went meanwhile
                found[str(file.relative_to(top))] = file.read_text().strip()
        return found

    def commit_of(self, name: str) -> str | None:
        for found in (f"refs/heads/{name}", f"refs/tags/{name}", name):
            done = self.run(
                "rev-parse", "--verify", "--quiet", f"{found}^{{commit}}", "--"
            )
            if not done.returncode:
                return done.stdout.decode().splitlines()[0]
        return None

    def contains(self, newer: str, older: str) -> bool:
        done = self.run("merge-base", "--is-ancestor", older, newer)
        return not done.returncode

    def log(self, base: str, head: str) -> list[Commit]:
        """The commits of `head` that `base` lacks, oldest first."""
        if (base, head) not in self._logs:
            self._logs[base, head] = self._log(
                "--reverse", "--topo-order", f"{base}..{head}"
            )
        return self._logs[base, head]

    def commit(self, sha: str) -> Commit:
        return self._log("--max-count=1", sha)[0]

    def _log(self, *args: str) -> list[Commit]:
        text = self.bytes("log", f"--format={_LOG}", *args, "--").decode()
        return [_commit(record) for record in text.split("\x1e")[1:]]

    def merged_tree(self, base: str, head: str) -> str | None:
        """The tree of a merge, or nothing if there is a conflict."""
        if (base, head) not in self._merges:
            done = self.run("merge-tree", "--write-tree", base, head)
            tree = done.stdout.decode().partition("\n")[0]
            self._merges[base, head] = None if done.returncode else tree
        return self._merges[base, head]

    def trial_merge(self, base: str, head: str) -> str | None:
        """The commit that GitHub makes to see whether a merge would work."""
        if (base, head) not in self._trials:
            tree = self.merged_tree(base, head)
            text = f"Merge {head} into {base}"
            self._trials[base, head] = tree and self.write_commit(
                tree, [base, head], text, _TESTER, _TESTER
            )
        return self._trials[base, head]

    def write_commit(
        self,
        tree: str,
        parents: list[str],
        message: str,
        author: Signature,
        committer: Signature,
    ) -> str:
        flags = [flag for parent in parents for flag in ("-p", parent)]
        commit = self.bytes(
            "commit-tree",
            tree,
            *flags,
            stdin=message.encode(),
            **author.variables("AUTHOR"),
            **committer.variables("COMMITTER"),
        )
        return commit.decode().strip()

    def replay(self, commit: Commit, onto: str, committer: Signature) -> str:
        """The same change on top of another commit."""
        # A stand-in for `onto` whose parent is the commit's own: their merge is then
        # the cherry-pick, for which older versions of git have no plumbing.
        ours = self.write_commit(
            f"{onto}^{{tree}}",
            list(commit.parents[:1]),
            "-",
            Signature("hub", "hub@example.invalid"),
            Signature("hub", "hub@example.invalid"),
        )
        tree = self.merged_tree(ours, commit.sha)
        if tree is None:
            raise ConflictedMergeError
        return self.write_commit(tree, [onto], commit.message, commit.author, committer)

    def changes(self, base: str, head: str) -> list[Change]:
        """What `head` did since it left `base`, file by file."""
        if (base, head) not in self._changes:
            start = self.git("merge-base", base, head)
            self._changes[base, head] = self._diff(start, head)
        return self._changes[base, head]

    def _diff(self, start: str, head: str) -> list[Change]:
        common = ("-M", "--no-abbrev", "--no-color", start, head, "--")
        raw = self.bytes("diff", "--raw", "-z", *common).decode().split("\0")
        text = self.bytes("diff", *common).decode("utf-8", "replace")
        patches = ("\n" + text).split("\ndiff --git ")[1:]
        changes = []
        while raw[0]:
            before = raw[1] if raw[0].split(" ")[-1][0] in "RC" else None
            changes.append(_change(raw[0], before, raw[2 if before else 1], patches))
            raw = raw[3 if before else 2 :]
        return changes


def _change(line: str, before: str | None, path: str, patches: list[str]) -> Change:
    _, _, old, new, status = line.split(" ")
    section = patches.pop(0)
    patch = section[section.find("\n@@") + 1 :] if "\n@@" in section else None
    lines = (patch or "").split("\n")
    return Change(
        status=status[0],
        path=path,
        before=before,
        blob=old if status[0] == "D" else new,
        added=sum(text.startswith("+") for text in lines),
        removed=sum(text.startswith("-") for text in lines),
        patch=patch,
    )


def _commit(record: str) -> Commit:
    sha, tree, parents, an, ae, at, cn, ce, ct, message = record.split("\x1f")
    return Commit(
        sha,
        tree,
        tuple(parents.split()),
        Signature(an, ae, int(at)),
        Signature(cn, ce, int(ct)),
        message.strip(),
    )
