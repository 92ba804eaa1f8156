"""A repository. The only module that knows GitPython exists.

Plumbing runs git itself; GitPython, which takes a while to import, does what has no
need for speed.
"""

import os
import time
import weakref
from collections.abc import (
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from skillforge import proc
from skillforge.errors import ConflictError, RequestError, ToolError
from skillforge.gitrepo import history, parsing
from skillforge.gitrepo.objects import Entry, Object, Objects, read_tree
from skillforge.gitrepo.running import (
    AS_IT_IS,
    GIT,
    environment,
    hook_variables_hidden,
    output,
)
from skillforge.gitrepo.writing import (
    RefUpdate,
    Who,
    cannot_write,
    ref_lines,
)

if TYPE_CHECKING:
    from skillforge.gitrepo.making import Making

T = TypeVar("T")
_FEW = 15  # objects that are had sooner from the process that answers other questions


class TreeFile(NamedTuple):
    """One entry of a recursive listing; `size` is 0 for what is not a blob."""

    mode: str
    object: str
    size: int
    path: str


class GitRepo:
    """A repository, bare or with a checkout, at `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._env = environment()
        self._objects: Objects | None = None
        self.held: set[tuple[str, str, str]] = set()  # tips, and versions that they had

    def __getstate__(self) -> dict[str, object]:
        """In another process it reads by a `git cat-file` of its own."""
        return self.__dict__ | {"_objects": None}

    @classmethod
    def init(cls, root: Path) -> "GitRepo":
        """Make `root` a repository with the branch `main`; an existing one stays."""
        with hook_variables_hidden():
            import git

            try:
                git.Repo.init(root, initial_branch="main").close()
            except (OSError, git.GitError) as err:
                raise ToolError(
                    f"cannot make a git repository in {root}: {err}"
                ) from err
        return cls(root)

    @property
    def is_bare(self) -> bool:
        return not (self.root / ".git").exists()

    @property
    def common_dir(self) -> Path:
        """The git directory that all linked worktrees share."""
        dot_git = self.root / ".git"
        if dot_git.is_dir():
            return dot_git
        shown = self.git("rev-parse", "--git-common-dir").decode().strip()
        return (self.root / shown).resolve()

    def resolve(self, revision: str) -> str:
        """The commit that a revision names."""
        result = self.run(
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            f"{revision}^{{commit}}",
        )
        if result.code:
            raise RequestError(
                f"git knows no commit {revision!r} here",
                hint="git log --oneline --all shows what there is; in a shallow clone, "
                "fetch more history first: git fetch --unshallow",
            )
        return result.out.decode().strip()

    def merge_base(self, one: str, other: str) -> str:
        """The commit where two histories part."""
        result = self.run("merge-base", self.resolve(one), self.resolve(other))
        if result.code:
            raise RequestError(
                f"{one} and {other} have no commit in common",
                hint="in a shallow clone, fetch more history: git fetch --unshallow",
            )
        return result.out.decode().strip()

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """Those of some paths of the checkout that git is told to leave out."""
        lines = "".join(f"{path}\0" for path in paths)
        done = self.run("check-ignore", "-z", "--stdin", stdin=os.fsencode(lines))
        return set(parsing.paths(done.out))

    def is_ancestor(self, one: str, other: str) -> bool:
        """Whether a commit comes before another, or is it."""
        line = ("merge-base", "--is-ancestor", "--end-of-options", one, other)
        return self.run(*line).code == 0

    def line(self, tip: str, since: str = "") -> list[str]:
        """The commits of a branch's own line, those of another's history left out."""
        left_out = [f"^{since}"] if since else []
        out = self.git("rev-list", "--first-parent", tip, *left_out, "--")
        return out.decode().split()

    def start_subtrees(self, revision: str, folder: str) -> "Asked[dict[str, str]]":
        """Begin to list what lies directly under `folder`: names and object hashes."""
        options = ("-z", "--full-tree", revision, f"{folder}/")
        return Asked(self._start("ls-tree", *options), parsing.hashes)

    def files(self, revision: str, *folders: str) -> Iterator[TreeFile]:
        """All files under some folders, by path, with their sizes."""
        out = self.git(
            "ls-tree", "-r", "-l", "-z", "--full-tree", revision, "--", *folders
        )
        for entry in parsing.paths(out):
            about, _, path = entry.partition("\t")
            mode, _kind, name, size = about.split()
            yield TreeFile(mode, name, int(size) if size.isdigit() else 0, path)

    def changed_paths(self, base: str, head: str, folder: str) -> list[str]:
        """Paths under `folder` that differ between two commits."""
        options = ("--name-only", "-r", "-z", base, head, "--", folder)
        return parsing.paths(self.git("diff-tree", *AS_IT_IS, *options))

    def changed_files(self, base: str, head: str) -> Iterator[tuple[str, str, bool]]:
        """Files that differ: path, mode now (empty if gone), and whether it is new."""
        out = self.git("diff-tree", *AS_IT_IS, "-r", "-z", "--raw", base, head)
        words = iter(parsing.paths(out))
        for about, path in zip(words, words, strict=True):
            before, after, *_ = about.lstrip(":").split()
            yield path, after.strip("0") and after, not before.strip("0")

    def start_diff(self, revision: str, folder: str) -> "Asked[list[str]]":
        """Begin to compare the checkout with a commit, while the caller goes on.

        The plumbing command names every file whose times differ from the index, also
        where a filter such as `text=auto` would call the content equal.
        """
        trust = ("core.fileMode=true", "core.trustctime=true", "core.checkStat=default")
        strict = [word for setting in trust for word in ("-c", setting)]
        options = (*AS_IT_IS, "--name-only", "-z")
        question = ("diff-index", *options, revision, "--", folder)
        return Asked(self._start(*strict, *question), parsing.paths)

    def start_unwatched(self, folder: str) -> "Asked[list[str]]":
        """Begin to list files that git was told not to look at (assume-unchanged)."""
        return Asked(self._start("ls-files", "-v", "-z", "--", folder), parsing.flagged)

    def start_listing(self, revision: str, folder: str) -> "Asked[list[str]]":
        """Begin to list all files of a commit under `folder`."""
        options = ("-r", "-z", "--full-tree", "--name-only")
        question = self._start("ls-tree", *options, revision, "--", folder)
        return Asked(question, parsing.paths)

    def blob(self, name: str) -> bytes:
        return self.git("cat-file", "blob", name)

    def blobs(self, names: Iterable[str]) -> Generator[bytes, None, None]:
        """The contents of blobs, in order; of many, from a process of their own."""
        wanted = list(names)
        is_few = len(wanted) <= _FEW
        objects = self.find_all(wanted) if is_few else self.objects(wanted)
        for name, found in zip(wanted, objects, strict=True):
            if found is None:
                raise parsing.lost(name)
            yield found.data

    def objects(self, names: Iterable[str]) -> Iterator[Object | None]:
        """Many objects, in order, from one process; None for those that are missing."""
        wanted = list(names)
        with proc.running(
            self._start("cat-file", "--batch", "--buffer", stdin=True)
        ) as p:
            assert p.stdin is not None
            assert p.stdout is not None
            import threading

            feeder = threading.Thread(target=parsing.feed, args=(p.stdin, wanted))
            feeder.start()
            yield from parsing.objects(p.stdout, len(wanted))
            feeder.join()

    def find(self, expression: str) -> Object | None:
        """The object that `main`, `main:skills/csv` or a hash names, if there is one.

        All such questions go to one process, which ends with this object.
        """
        return self._reader().find_all([expression])[0]

    def find_all(self, expressions: Sequence[str]) -> list[Object | None]:
        """Objects by expression; to ask for many together is faster."""
        return self._reader().find_all(expressions)

    def _reader(self) -> Objects:
        if self._objects is None or self._objects.owner != os.getpid():
            process = self._start("cat-file", "--batch-command", stdin=True)
            self._objects = Objects(process)
            weakref.finalize(self, self._objects.close)
        return self._objects

    def tree(self, expression: str) -> dict[str, Entry]:
        """The entries of a tree; none where there is no such tree."""
        found = self.find(expression)
        return read_tree(found) if found and found.kind == "tree" else {}

    def files_in(self, expression: str) -> dict[str, Entry]:
        """Every file below a tree, by its path there."""
        found: dict[str, Entry] = {}
        for name, entry in self.tree(expression).items():
            if entry.is_tree:
                inner = self.files_in(entry.object)
                found |= {f"{name}/{path}": file for path, file in inner.items()}
            else:
                found[name] = entry
        return found

    def name_of(self, expression: str) -> str:
        """The hash of what an expression names; empty if there is nothing."""
        return self.names_of([expression])[0]

    def names_of(self, expressions: Sequence[str]) -> list[str]:
        """Hashes by expression, without reading what they name."""
        return self._reader().names_of(expressions)

    def start_identity(self) -> "Asked[Who]":
        """Begin to ask who commits here, and the time, as git itself would write it."""
        return Asked(self._start("var", "-l"), parsing.who)

    @contextmanager
    def making(self, like: str) -> "Iterator[Making]":
        """Make commits; when this ends, git has written them, and no ref names them.

        Their names are of the same kind as another, `like` that of their base.
        """
        from skillforge.gitrepo.making import Making

        made = Making(self.find, len(like))
        yield made
        done = self.run("unpack-objects", "-q", stdin=made.pack())
        if done.code:
            raise cannot_write(done.complaint)

    def refs(self, *prefixes: str) -> dict[str, tuple[str, str]]:
        """Refs by full name: what they point at, and that commit's subject."""
        line = "--format=%(refname)%00%(objectname)%00%(contents:subject)"
        out = self.git("for-each-ref", line, *prefixes).decode("utf-8", "replace")
        rows = (row.split("\0") for row in out.split("\n")[:-1])
        return {ref: (name, subject) for ref, name, subject in rows}

    def move_refs(self, *updates: RefUpdate) -> bool:
        """Move refs, all or none; False if one has not its old value any more."""
        done = self.run("update-ref", "--stdin", "-z", stdin=ref_lines(updates))
        if done.code == 0:
            return True
        held = any(self.ref(update.ref) != update.old for update in updates)
        if held:
            return False
        raise cannot_write(done.complaint)

    def ref(self, name: str) -> str:
        """What a ref points at, by its full name; empty if there is no such ref."""
        return self.name_of(name)

    def shallow_commits(self) -> set[str]:
        """The commits at which a shallow clone ends; none in a whole one."""
        try:
            return set((self.common_dir / "shallow").read_text().split())
        except OSError:
            return set()

    def date(self, words: str) -> int:
        """The second that a date means; git takes what it cannot read for now."""
        out = self.git("rev-parse", f"--since={words}").decode().strip()
        seconds = int(out.partition("=")[2] or 0)
        if words.strip() != "now" and abs(time.time() - seconds) < 2:
            raise RequestError(
                f"git does not understand the date {words!r}", hint="2026-01-31"
            )
        return seconds

    def log(self, *options: str) -> Iterator[history.Commit]:
        """Commits in git's order, from one process."""
        return self.start_log(*options).wait()

    def start_log(self, *options: str) -> "Asked[Iterator[history.Commit]]":
        """Begin to list commits, while the caller goes on."""
        question = ("log", "-z", "--encoding=UTF-8", history.FORMAT, *options)
        return Asked(self._start(*question), history.read)

    def diff(self, base: str, head: str, last: str) -> str:
        """What differs, for people; no program of the user's takes part in it.

        What lies under the folder `last` comes last.
        """
        plain = ("--no-ext-diff", "--no-textconv", "--no-color", *AS_IT_IS)
        question = ("diff", *plain, "--src-prefix=a/", "--dst-prefix=b/", base, head)
        first = self.git(*question, "--", ".", f":(exclude){last}")
        return (first + self.git(*question, "--", last)).decode("utf-8", "replace")

    def diff_lines(self, base: str, head: str) -> Iterator[tuple[str, str, str]]:
        """Files that differ: path, lines added and removed; `-` for what is no text."""
        out = self.git("diff", "--numstat", "-z", *AS_IT_IS, base, head)
        for row in parsing.paths(out):
            added, removed, path = row.split("\t", 2)
            yield path, added, removed

    def merged_tree(self, ours: str, theirs: str) -> str:
        """The tree of a three-way merge; a conflict is an error that names files."""
        options = ("--write-tree", "-z", "--name-only", "--no-messages")
        done = self.run("merge-tree", *options, ours, theirs)
        if done.code not in (0, 1):
            raise cannot_write(done.complaint)
        tree, *paths = parsing.paths(done.out)
        if done.code == 0:
            return tree
        conflicts = ", ".join(path for path in paths if path)
        raise ConflictError(f"both sides changed {conflicts}")

    def run(
        self,
        *args: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
    ) -> proc.Result:
        """Run git; a non-zero exit is a value. `env` is for secrets, and for now."""
        line, env = [*GIT, *args], self._env | dict(env or {})
        return proc.run(line, cwd=self.root, env=env, stdin=stdin)

    def _start(self, *args: str, stdin: bool = False) -> "proc.Process":
        return proc.start([*GIT, *args], cwd=self.root, env=self._env, stdin=stdin)

    def git(self, *args: str) -> bytes:
        """The output of git; a non-zero exit is an error."""
        return output(args, self.run(*args))


class Asked(NamedTuple, Generic[T]):
    """A question to git under way; `wait` returns its answer."""

    process: "proc.Process"
    read: Callable[[bytes], T]

    def wait(self) -> T:
        args = list(self.process.args)[len(GIT) :]  # type: ignore[arg-type]
        return self.read(output(tuple(map(str, args)), proc.finish(self.process)))
