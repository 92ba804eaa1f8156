"""A git repository. The only module that imports GitPython.

Plumbing runs git directly. GitPython is slow to import, so it is used where speed
does not matter: to create a repository, and to report the progress of transfers.
"""

import os
import re
import time
import weakref
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from skillforge import processes
from skillforge.errors import RequestError, ToolError
from skillforge.gitrepo import (
    commit_log,
    drivers,
    git_command,
    git_output,
    progress,
    ref_moves,
    refs,
    signatures,
)
from skillforge.gitrepo.git_command import AS_IT_IS, GIT, environment, output
from skillforge.gitrepo.object_reader import Object, Objects
from skillforge.gitrepo.pending_query import PendingQuery
from skillforge.gitrepo.ref_update import RefUpdate, Signature
from skillforge.gitrepo.trees import TreeEntry, TreeFile, Trees, folders_to

if TYPE_CHECKING:
    from skillforge.gitrepo.object_writer import ObjectWriter

_FEW = 15  # objects that the running `cat-file` returns faster than a new process
_IMMUTABLE = re.compile(r"[0-9a-f]{40,64}:")


class GitRepo:
    """A repository, bare or with a checkout, at `root`."""

    def __init__(self, root: Path, of: "GitRepo | None" = None) -> None:
        """`of` is the same repository: what was verified there need not be again."""
        self.root = root
        self._objects: Objects | None = None
        self.held: set[tuple[str, str, str]] = set()  # tips, and versions on them
        self.logs: commit_log.Logs = {}  # as last read
        self.trees: Trees = Trees(self, of.trees.canonical if of else None)
        # Pairs of trees: the verified one, and the one it was compared with.
        self._verified: set[tuple[str, str]] = of._verified if of else set()
        # The trees that were compared last, and the output of `diff-tree`.
        self.compared: dict[tuple[str, ...], bytes] = of.compared if of else {}
        self._checked: set[str] = set()  # folders of commits whose trees are canonical

    @cached_property
    def _env(self) -> dict[str, str]:
        env = environment()
        return env | drivers.overrides(self.root, env)

    def __getstate__(self) -> dict[str, object]:
        """Another process starts its own `git cat-file`."""
        return self.__dict__ | {"_objects": None, "logs": {}}

    @classmethod
    def init(cls, root: Path) -> "GitRepo":
        """Create a repository on the user's default branch, or `main`."""
        with git_command.hook_variables_hidden():
            import git

            try:
                name = git.Git().config("--default=main", "--get", "init.defaultBranch")
                git.Repo.init(root, initial_branch=name).close()
            except (OSError, git.GitError) as err:
                why = str(getattr(err, "stderr", "")).strip(" \n'")
                why = why.removeprefix("stderr: ").strip("'") or str(err)
                raise ToolError(
                    f"cannot create a repository in {root}: {why}",
                    hint="choose a folder that you can write to",
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
        options = ("--verify", "--quiet", "--end-of-options")
        result = self.run("rev-parse", *options, f"{revision}^{{commit}}")
        if result.code:
            raise RequestError(
                f"no commit {revision!r} in this repository",
                hint="git log --oneline --all lists commits; in a shallow clone, "
                "fetch more history first: git fetch --unshallow",
            )
        return result.out.decode().strip()

    def merge_base(self, ours: str, theirs: str) -> str:
        """The last commit that two histories have in common."""
        result = self.run("merge-base", self.resolve(ours), self.resolve(theirs))
        if result.code:
            raise RequestError(
                f"{ours} and {theirs} have no commit in common",
                hint="in a shallow clone, fetch more history: git fetch --unshallow",
            )
        return result.out.decode().strip()

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """The paths that git ignores in the checkout."""
        lines = "".join(f"{path}\0" for path in paths)
        done = self.run("check-ignore", "-z", "--stdin", stdin=os.fsencode(lines))
        return set(git_output.paths(done.out))

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether a commit is an ancestor of another, or the same."""
        line = ("merge-base", "--is-ancestor", "--end-of-options", old, new)
        return self.run(*line).code == 0

    def line(self, tip: str, since: str = "") -> list[str]:
        """The first-parent commits of a branch not in `since`, newest first."""
        excluded = [f"^{since}"] if since else []
        out = self.git("rev-list", "--first-parent", tip, *excluded, "--")
        return out.decode().split()

    def start_subtrees(
        self, revision: str, folder: str
    ) -> PendingQuery[dict[str, str]]:
        """Start listing what is directly under `folder`: names and object hashes."""
        options = ("-z", "--full-tree", revision, f"{folder}/")
        return PendingQuery(self._start("ls-tree", *options), git_output.hashes)

    def files(self, revision: str, *folders: str) -> Iterator[TreeFile]:
        """All files under some folders, by path, with their sizes."""
        listed = list(self._listed(revision, folders))
        names = [entry.object for _path, entry in listed if not entry.is_submodule]
        sizes = iter(self._sizes(names))
        for path, entry in listed:
            size = 0 if entry.is_submodule else next(sizes)
            yield TreeFile(entry.mode, entry.object, size, path)

    def _listed(
        self, revision: str, folders: Sequence[str]
    ) -> Iterator[tuple[str, TreeEntry]]:
        if not folders:
            yield from self.files_in(f"{revision}^{{tree}}").items()
        expressions = [f"{revision}:{folder}" for folder in folders]
        self._check_folders(expressions)
        trees: dict[str, str] = {}
        parents: dict[str, dict[str, TreeEntry]] = {}
        objects = self._reader().headers(expressions)
        for folder, header in zip(folders, objects, strict=True):
            if header is not None and header.kind == "tree":
                trees[folder] = header.name
            else:  # nothing, a file, a link, or a submodule
                parent, _, name = folder.rpartition("/")
                if parent not in parents:
                    parents[parent] = self.tree(f"{revision}:{parent}")
                if entry := parents[parent].get(name):
                    yield folder, entry
        yield from self.trees.files(trees)

    def _sizes(self, names: list[str]) -> list[int]:
        if len(names) <= _FEW:
            headers = self._reader().headers(names)
            return [header.size if header else 0 for header in headers]
        lines = "".join(f"{name}\n" for name in names).encode()
        done = self.run("cat-file", "--batch-check=%(objectsize)", stdin=lines)
        rows = output(("cat-file",), done).split(b"\n")[:-1]
        return [int(row) if row.isdigit() else 0 for row in rows]

    def start_diff(self, revision: str, folder: str) -> PendingQuery[list[str]]:
        """Start comparing the checkout with a commit.

        The plumbing command names every file whose times differ from the index, even
        if a filter such as `text=auto` makes the content equal.
        """
        trust = ("core.fileMode=true", "core.trustctime=true", "core.checkStat=default")
        strict = [word for setting in trust for word in ("-c", setting)]
        options = (*AS_IT_IS, "--name-only", "-z")
        question = ("diff-index", *options, revision, "--", folder)
        return PendingQuery(self._start(*strict, *question), git_output.paths)

    def start_unwatched(self, folder: str) -> PendingQuery[list[str]]:
        """Start listing the files that git does not check (assume-unchanged)."""
        question = self._start("ls-files", "-v", "-z", "--", folder)
        return PendingQuery(question, git_output.flagged)

    def start_listing(self, revision: str, folder: str) -> PendingQuery[list[str]]:
        """Start listing all files of a commit under `folder`."""
        options = ("-r", "-z", "--full-tree", "--name-only")
        question = self._start("ls-tree", *options, revision, "--", folder)
        return PendingQuery(question, git_output.paths)

    def blobs(self, names: Iterable[str]) -> Generator[bytes, None, None]:
        """The contents of blobs, in order; a missing one is an error."""
        hashes = list(names)
        for name, blob in zip(hashes, self.read_all(hashes), strict=True):
            if blob is None:
                raise git_output.missing_object(name)
            yield blob.data

    def objects(self, names: Iterable[str]) -> Iterator[Object | None]:
        """Many objects, in order, from one process; None for a missing one."""
        hashes = list(names)
        process = self._start("cat-file", "--batch", "--buffer", stdin=True)
        question = "".join(f"{name}\n" for name in hashes).encode()
        with processes.running(process), processes.fed(process, question):
            assert process.stdout is not None
            yield from git_output.objects(process.stdout, len(hashes))

    def find(self, expression: str) -> Object | None:
        """The object that `main`, `main:skills/csv` or a hash names, if there is one.

        One process answers all such questions; it ends with this repository object.
        """
        return self.find_all([expression])[0]

    def find_all(self, expressions: Sequence[str]) -> list[Object | None]:
        """Objects by expression; one call for many is faster."""
        self._check_folders(expressions)
        return self._reader().find_all(expressions)

    def read_all(self, names: list[str]) -> Iterable[Object | None]:
        """Objects by their hashes; many of them are read by a separate process."""
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
        reader = self._objects
        if reader is None or reader.has_died or reader.owner != os.getpid():
            reader = Objects(self._start("cat-file", "--batch-command", stdin=True))
            self._objects = reader
            weakref.finalize(self, reader.close)
        return reader

    def tree(self, expression: str) -> dict[str, TreeEntry]:
        """The entries of a tree; none if there is no such tree."""
        tree = self.find(expression)
        return self.trees.entries(tree) if tree and tree.kind == "tree" else {}

    def verify(self, head: str, base: str = "") -> None:
        """Refuse malformed trees in a commit, or only in its changes to `base`.

        Call this before git itself compares, merges or checks out trees.
        """
        commits = [commit for commit in (head, base) if commit]
        names = self.names_of([f"{commit}^{{tree}}" for commit in commits])
        new, old = [*names, ""][:2]
        if new and (new, old) not in self._verified:
            self.trees.verify(new, old)
            self._verified.add((new, old))

    def files_in(self, expression: str) -> dict[str, TreeEntry]:
        """Every file below a tree, by its path there."""
        tree = self.find(expression)
        if tree is None or tree.kind != "tree":
            return {}
        return dict(self.trees.files({"": tree.name}))

    def name_of(self, expression: str) -> str:
        """The hash of what an expression names; empty if it names nothing."""
        return self.names_of([expression])[0]

    def names_of(self, expressions: Sequence[str]) -> list[str]:
        """Hashes by expression, without reading the objects."""
        self._check_folders(expressions)
        return self._reader().names_of(expressions)

    def start_identity(self) -> PendingQuery[Signature]:
        """Start asking git for the committer and the time, in git's format."""
        return PendingQuery(self._start("var", "-l"), git_output.identity)

    @contextmanager
    def object_writer(self, like: str) -> "Iterator[ObjectWriter]":
        """Write commits: git has them when this ends, but no ref points at them.

        Their hashes are of the same kind as `like`, usually that of their base.
        """
        from skillforge.gitrepo.object_writer import ObjectWriter

        writer = ObjectWriter(self, len(like))
        yield writer
        writer.write()

    @cached_property
    def signs_commits(self) -> bool:
        """Whether git is configured to sign commits."""
        return signatures.are_enabled(self)

    def refs(self, *prefixes: str) -> dict[str, tuple[str, str]]:
        """Refs by full name: what they point at, and that commit's subject.

        Damaged refs are not included; `refs.read` reports them.
        """
        return refs.read(self, *prefixes).intact

    def move_refs(self, *updates: RefUpdate) -> bool:
        """Move refs, all or none; False if one no longer has its old value."""
        return ref_moves.move(self, updates)

    def ref(self, name: str) -> str:
        """The hash that a ref points at, by its full name; empty if it is missing."""
        return self.name_of(name)

    def shallow_commits(self) -> set[str]:
        """The commits where the history of a shallow clone ends."""
        try:
            return set((self.common_dir / "shallow").read_text().split())
        except OSError:
            return set()

    def date(self, words: str) -> int:
        """A date as seconds since 1970. Git reads a date it cannot parse as now."""
        out = self.git("rev-parse", f"--since={words}").decode().strip()
        seconds = int(out.partition("=")[2] or 0)
        if words.strip() != "now" and abs(time.time() - seconds) < 2:
            raise RequestError(f"git can't parse the date {words!r}", hint="2026-01-31")
        return seconds

    def log(self, *options: str) -> Iterator[commit_log.Commit]:
        """Commits in git's order, from one process."""
        return self.start_log(*options).wait()

    def start_log(self, *options: str) -> PendingQuery[Iterator[commit_log.Commit]]:
        """Start listing commits."""
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
        """Run git; a non-zero exit is a value. `env` is for this call only."""
        own = git_command.online(self._env) if is_online else self._env
        line, env = [*GIT, *args], own | dict(env or {})
        return processes.run(line, cwd=self.root, env=env, stdin=stdin, handed=handed)

    def transfer(
        self, verb: str, *args: str, env: Mapping[str, str], stdin: bytes = b""
    ) -> processes.ProcessResult:
        """Run `git fetch` or `git push`, with a progress bar on a terminal."""
        if not progress.is_shown():
            line = (verb, "--quiet", *args)
            return self.run(*line, stdin=stdin, env=env, is_online=True)
        with git_command.hook_variables_hidden():
            from git.cmd import handle_process_output
            from git.remote import to_progress_instance
        env = git_command.online(self._env) | dict(env)
        line = (*GIT, verb, "--progress", *args)
        with progress.bar() as bar:
            parser = to_progress_instance(bar)
            process = processes.start(line, cwd=self.root, env=env, stdin=True)
            return progress.follow(process, stdin, parser, handle_process_output)

    def _start(self, *args: str, stdin: bool = False) -> "processes.Process":
        return processes.start([*GIT, *args], cwd=self.root, env=self._env, stdin=stdin)

    def git(self, *args: str) -> bytes:
        """The output of git; a non-zero exit is an error."""
        return output(args, self.run(*args))
