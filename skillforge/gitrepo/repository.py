"""A repository. The only module that knows GitPython exists.

Plumbing runs git itself; GitPython, which takes a while to import, does what has no
need for speed.
"""

import os
import re
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
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from skillforge import processes
from skillforge.errors import RequestError, ToolError
from skillforge.gitrepo import (
    commit_log,
    drivers,
    git_command,
    git_output,
    ref_moves,
    refs,
    signatures,
)
from skillforge.gitrepo.git_command import AS_IT_IS, GIT, environment, output
from skillforge.gitrepo.object_reader import Object, Objects
from skillforge.gitrepo.ref_update import RefUpdate, Signature
from skillforge.gitrepo.trees import TreeEntry, TreeFile, Trees, folders_to

if TYPE_CHECKING:
    from skillforge.gitrepo.object_writer import ObjectWriter

T = TypeVar("T")
_FEW = 15  # objects that are had sooner from the process that answers other questions
_IMMUTABLE = re.compile(r"[0-9a-f]{40,64}:")


class GitRepo:
    """A repository, bare or with a checkout, at `root`."""

    def __init__(self, root: Path, of: "GitRepo | None" = None) -> None:
        """`of` is the same repository: what was verified there is so here."""
        self.root = root
        self._objects: Objects | None = None
        self.held: set[tuple[str, str, str]] = set()  # tips, and versions that they had
        self.logs: commit_log.Logs = {}  # as they were read last
        self.trees: Trees = Trees(self, of.trees.canonical if of else None)
        # Trees, and those beside them.
        self._verified: set[tuple[str, str]] = of._verified if of else set()
        # The trees that were compared last, and what `diff-tree` printed.
        self.compared: dict[tuple[str, ...], bytes] = of.compared if of else {}
        self._checked: set[str] = set()  # folders of commits whose trees are canonical

    @cached_property
    def _env(self) -> dict[str, str]:
        env = environment()
        return env | drivers.overrides(self.root, env)

    def __getstate__(self) -> dict[str, object]:
        """In another process it reads by a `git cat-file` of its own."""
        return self.__dict__ | {"_objects": None, "logs": {}}

    @classmethod
    def init(cls, root: Path) -> "GitRepo":
        """Make `root` a repository on the user's usual branch, or `main`."""
        with git_command.hook_variables_hidden():
            import git

            try:
                name = git.Git().config("--default=main", "--get", "init.defaultBranch")
                git.Repo.init(root, initial_branch=name).close()
            except (OSError, git.GitError) as err:
                raise ToolError(
                    f"cannot make a git repository in {root}: {err}"
                ) from err
        return cls(root)

    @property
    def is_bare(self) -> bool:
        return not (self.root / ".git").exists()

    @cached_property
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
        return set(git_output.paths(done.out))

    def is_ancestor(self, one: str, other: str) -> bool:
        """Whether a commit comes before another, or is it."""
        line = ("merge-base", "--is-ancestor", "--end-of-options", one, other)
        return self.run(*line).code == 0

    def line(self, tip: str, since: str = "") -> list[str]:
        """The commits of a branch's own line, those of another's history left out."""
        left_out = [f"^{since}"] if since else []
        out = self.git("rev-list", "--first-parent", tip, *left_out, "--")
        return out.decode().split()

    def start_subtrees(
        self, revision: str, folder: str
    ) -> "PendingQuery[dict[str, str]]":
        """Begin to list what lies directly under `folder`: names and object hashes."""
        options = ("-z", "--full-tree", revision, f"{folder}/")
        return PendingQuery(self._start("ls-tree", *options), git_output.hashes)

    def files(self, revision: str, *folders: str) -> Iterator[TreeFile]:
        """All files under some folders, by path, with their sizes."""
        listed = list(self._listed(revision, folders))
        sizes = iter(
            self._sizes([e.object for _path, e in listed if not e.is_submodule])
        )
        for path, entry in listed:
            size = 0 if entry.is_submodule else next(sizes)
            yield TreeFile(entry.mode, entry.object, size, path)

    def _listed(
        self, revision: str, folders: Sequence[str]
    ) -> Iterator[tuple[str, TreeEntry]]:
        if not folders:
            yield from self.files_in(f"{revision}^{{tree}}").items()
        asked = [f"{revision}:{folder}" for folder in folders]
        self._check_folders(asked)
        trees: dict[str, str] = {}
        parents: dict[str, dict[str, TreeEntry]] = {}
        for folder, found in zip(folders, self._reader().about(asked), strict=True):
            if found is not None and found.kind == "tree":
                trees[folder] = found.name
            else:  # nothing, a file, a link, or a submodule
                parent, _, name = folder.rpartition("/")
                if parent not in parents:
                    parents[parent] = self.tree(f"{revision}:{parent}")
                if entry := parents[parent].get(name):
                    yield folder, entry
        yield from self.trees.files(trees)

    def _sizes(self, names: list[str]) -> list[int]:
        if len(names) <= _FEW:
            return [found.size if found else 0 for found in self._reader().about(names)]
        lines = "".join(f"{name}\n" for name in names).encode()
        done = self.run("cat-file", "--batch-check=%(objectsize)", stdin=lines)
        rows = output(("cat-file",), done).split(b"\n")[:-1]
        return [int(row) if row.isdigit() else 0 for row in rows]

    def start_diff(self, revision: str, folder: str) -> "PendingQuery[list[str]]":
        """Begin to compare the checkout with a commit, while the caller goes on.

        The plumbing command names every file whose times differ from the index, also
        where a filter such as `text=auto` would call the content equal.
        """
        trust = ("core.fileMode=true", "core.trustctime=true", "core.checkStat=default")
        strict = [word for setting in trust for word in ("-c", setting)]
        options = (*AS_IT_IS, "--name-only", "-z")
        question = ("diff-index", *options, revision, "--", folder)
        return PendingQuery(self._start(*strict, *question), git_output.paths)

    def start_unwatched(self, folder: str) -> "PendingQuery[list[str]]":
        """Begin to list files that git was told not to look at (assume-unchanged)."""
        return PendingQuery(
            self._start("ls-files", "-v", "-z", "--", folder), git_output.flagged
        )

    def start_listing(self, revision: str, folder: str) -> "PendingQuery[list[str]]":
        """Begin to list all files of a commit under `folder`."""
        options = ("-r", "-z", "--full-tree", "--name-only")
        question = self._start("ls-tree", *options, revision, "--", folder)
        return PendingQuery(question, git_output.paths)

    def blobs(self, names: Iterable[str]) -> Generator[bytes, None, None]:
        """The contents of blobs, in order; of many, from a process of their own."""
        wanted = list(names)
        for name, found in zip(wanted, self.read_all(wanted), strict=True):
            if found is None:
                raise git_output.lost(name)
            yield found.data

    def objects(self, names: Iterable[str]) -> Iterator[Object | None]:
        """Many objects, in order, from one process; None for those that are missing."""
        wanted = list(names)
        with processes.running(
            self._start("cat-file", "--batch", "--buffer", stdin=True)
        ) as p:
            assert p.stdin is not None
            assert p.stdout is not None
            import threading

            feeder = threading.Thread(target=git_output.feed, args=(p.stdin, wanted))
            feeder.start()
            yield from git_output.objects(p.stdout, len(wanted))
            feeder.join()

    def find(self, expression: str) -> Object | None:
        """The object that `main`, `main:skills/csv` or a hash names, if there is one.

        All such questions go to one process, which ends with this object.
        """
        return self.find_all([expression])[0]

    def find_all(self, expressions: Sequence[str]) -> list[Object | None]:
        """Objects by expression; to ask for many together is faster."""
        self._check_folders(expressions)
        return self._reader().find_all(expressions)

    def read_all(self, names: list[str]) -> Iterable[Object | None]:
        """Objects by their hashes; of many, from a process of their own."""
        is_few = len(names) <= _FEW
        return self._reader().find_all(names) if is_few else self.objects(names)

    def _check_folders(self, expressions: Sequence[str]) -> None:
        """Refuse paths through malformed trees, where git would take any entry."""
        folders = {f: None for e in expressions for f in folders_to(e)}
        left = [folder for folder in folders if folder not in self._checked]
        if not left:
            return
        # Of a hash, `HASH:` is the tree itself, or that of a commit.
        names = {name for name in self._reader().names_of(left) if name}
        for tree in self.read_all(sorted(names - self.trees.canonical)):
            if tree is not None and tree.kind == "tree":
                self.trees.check(tree)
        self._checked |= {folder for folder in left if _IMMUTABLE.match(folder)}

    def _reader(self) -> Objects:
        known = self._objects
        if known is None or known.has_died or known.owner != os.getpid():
            known = Objects(self._start("cat-file", "--batch-command", stdin=True))
            self._objects = known
            weakref.finalize(self, known.close)
        return known

    def tree(self, expression: str) -> dict[str, TreeEntry]:
        """The entries of a tree; none where there is no such tree."""
        found = self.find(expression)
        return self.trees.entries(found) if found and found.kind == "tree" else {}

    def verify(self, head: str, base: str = "") -> None:
        """Refuse malformed trees in what a commit changes of another, or in all of it.

        Whatever has git itself compare, merge or check out trees calls this first.
        """
        names = self.names_of([f"{it}^{{tree}}" for it in (head, base) if it])
        new, old = [*names, ""][:2]
        if new and (new, old) not in self._verified:
            self.trees.verify(new, old)
            self._verified.add((new, old))

    def files_in(self, expression: str) -> dict[str, TreeEntry]:
        """Every file below a tree, by its path there."""
        found = self.find(expression)
        is_tree = found is not None and found.kind == "tree"
        return dict(self.trees.files({"": found.name})) if found and is_tree else {}

    def name_of(self, expression: str) -> str:
        """The hash of what an expression names; empty if there is nothing."""
        return self.names_of([expression])[0]

    def names_of(self, expressions: Sequence[str]) -> list[str]:
        """Hashes by expression, without reading what they name."""
        self._check_folders(expressions)
        return self._reader().names_of(expressions)

    def start_identity(self) -> "PendingQuery[Signature]":
        """Begin to ask who commits here, and the time, as git itself would write it."""
        return PendingQuery(self._start("var", "-l"), git_output.who)

    @contextmanager
    def object_writer(self, like: str) -> "Iterator[ObjectWriter]":
        """Make commits; when this ends, git has written them, and no ref names them.

        Their names are of the same kind as another, `like` that of their base.
        """
        from skillforge.gitrepo.object_writer import ObjectWriter

        made = ObjectWriter(self, len(like))
        yield made
        made.write()

    @cached_property
    def signs_commits(self) -> bool:
        """Whether git is set up to sign the commits that are made here."""
        return signatures.are_wanted(self)

    def refs(self, *prefixes: str) -> dict[str, tuple[str, str]]:
        """Refs by full name: what they point at, and that commit's subject.

        Damaged ones are left out; `refs.read` reports them.
        """
        return refs.read(self, *prefixes).found

    def move_refs(self, *updates: RefUpdate) -> bool:
        """Move refs, all or none; False if one has not its old value any more."""
        return ref_moves.move(self, updates)

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

    def log(self, *options: str) -> Iterator[commit_log.Commit]:
        """Commits in git's order, from one process."""
        return self.start_log(*options).wait()

    def start_log(self, *options: str) -> "PendingQuery[Iterator[commit_log.Commit]]":
        """Begin to list commits, while the caller goes on."""
        question = ("log", "-z", "--encoding=UTF-8", commit_log.FORMAT, *options)
        return PendingQuery(self._start(*question), commit_log.read)

    def run(
        self,
        *args: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        handed: Sequence[int] = (),
        is_online: bool = False,
    ) -> processes.ProcessResult:
        """Run git; a non-zero exit is a value. `env` is for secrets, and for now."""
        own = git_command.online(self._env) if is_online else self._env
        line, env = [*GIT, *args], own | dict(env or {})
        return processes.run(line, cwd=self.root, env=env, stdin=stdin, handed=handed)

    def _start(self, *args: str, stdin: bool = False) -> "processes.Process":
        return processes.start([*GIT, *args], cwd=self.root, env=self._env, stdin=stdin)

    def git(self, *args: str) -> bytes:
        """The output of git; a non-zero exit is an error."""
        return output(args, self.run(*args))


class PendingQuery(NamedTuple, Generic[T]):
    """A question to git under way; `wait` returns its answer."""

    process: "processes.Process"
    read: Callable[[bytes], T]

    def wait(self) -> T:
        args = list(self.process.args)[len(GIT) :]  # type: ignore[arg-type]
        return self.read(output(tuple(map(str, args)), processes.finish(self.process)))
