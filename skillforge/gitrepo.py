"""All git. The only module that knows GitPython exists.

Plumbing runs git itself; GitPython, which takes a while to import, does what has no
need for speed.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Generic, NamedTuple, TypeVar

from skillforge import proc
from skillforge.errors import RequestError, ToolError

T = TypeVar("T")

# Git sets these in hooks; inherited, they point at another repository or index.
_HOOK_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)


class TreeFile(NamedTuple):
    """One entry of a recursive listing; `size` is 0 for what is not a blob."""

    mode: str
    object: str
    size: int
    path: str


def environment() -> dict[str, str]:
    """Our environment without what a surrounding git hook has set."""
    env = {k: v for k, v in os.environ.items() if k not in _HOOK_VARIABLES}
    # Reading must not rewrite the user's index, nor ask for a password.
    return env | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def version() -> str:
    """The version of the git that we run."""
    result = proc.run(["git", "version"], env=environment())
    return result.out.decode().removeprefix("git version").strip()


def find_root(start: Path) -> Path | None:
    """The nearest folder at or above `start` that is a git repository."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists() or _is_bare(folder):
            return folder
    return None


def _is_bare(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir()


class GitRepo:
    """A repository, bare or with a checkout, at `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._env = environment()

    @classmethod
    def init(cls, root: Path) -> "GitRepo":
        """Make `root` a repository with the branch `main`; an existing one stays."""
        with _hook_variables_hidden():
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
        shown = self._git("rev-parse", "--git-common-dir").decode().strip()
        return (self.root / shown).resolve()

    def user(self) -> str:
        """Git's user as `Name <mail>`; empty where none is set."""
        import git

        try:
            with _hook_variables_hidden(), git.Repo(self.root) as repo:
                config = repo.config_reader()
                name = config.get_value("user", "name", default="")
                mail = config.get_value("user", "email", default="")
        except (OSError, ValueError, git.GitError):
            return ""
        return f"{name} <{mail}>" if name else ""

    def resolve(self, revision: str) -> str:
        """The commit that a revision names."""
        result = self._run(
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
        result = self._run("merge-base", self.resolve(one), self.resolve(other))
        if result.code:
            raise RequestError(
                f"{one} and {other} have no commit in common",
                hint="in a shallow clone, fetch more history: git fetch --unshallow",
            )
        return result.out.decode().strip()

    def start_subtrees(self, revision: str, folder: str) -> "Asked[dict[str, str]]":
        """Begin to list what lies directly under `folder`: names and object hashes."""
        options = ("-z", "--full-tree", revision, f"{folder}/")
        return Asked(self._start("ls-tree", *options), _hashes)

    def files(self, revision: str, *folders: str) -> Iterator[TreeFile]:
        """All files under some folders, by path, with their sizes."""
        out = self._git(
            "ls-tree", "-r", "-l", "-z", "--full-tree", revision, "--", *folders
        )
        for entry in _paths(out):
            about, _, path = entry.partition("\t")
            mode, _kind, name, size = about.split()
            yield TreeFile(mode, name, int(size) if size.isdigit() else 0, path)

    def changed_paths(self, base: str, head: str, folder: str) -> list[str]:
        """Paths under `folder` that differ between two commits."""
        options = ("--name-only", "--no-renames", "-r", "-z", base, head, "--", folder)
        return _paths(self._git("diff-tree", *options))

    def start_diff(self, revision: str, folder: str) -> "Asked[list[str]]":
        """Begin to compare the checkout with a commit, while the caller goes on.

        The plumbing command names every file whose times differ from the index, also
        where a filter such as `text=auto` would call the content equal.
        """
        trust = ("core.fileMode=true", "core.trustctime=true", "core.checkStat=default")
        strict = [word for setting in trust for word in ("-c", setting)]
        options = ("--name-only", "--no-renames", "-z")
        question = ("diff-index", *options, revision, "--", folder)
        return Asked(self._start(*strict, *question), _paths)

    def start_unwatched(self, folder: str) -> "Asked[list[str]]":
        """Begin to list files that git was told not to look at (assume-unchanged)."""
        return Asked(self._start("ls-files", "-v", "-z", "--", folder), _flagged)

    def start_listing(self, revision: str, folder: str) -> "Asked[list[str]]":
        """Begin to list all files of a commit under `folder`."""
        options = ("-r", "-z", "--full-tree", "--name-only")
        question = self._start("ls-tree", *options, revision, "--", folder)
        return Asked(question, _paths)

    def blob(self, name: str) -> bytes:
        return self._git("cat-file", "blob", name)

    def blobs(self, names: Iterable[str]) -> Iterator[bytes]:
        """The contents of many blobs, in order, from one process."""
        with proc.running(
            self._start("cat-file", "--batch", "--buffer", stdin=True)
        ) as p:
            assert p.stdin is not None
            assert p.stdout is not None
            import threading

            feeder = threading.Thread(target=_feed, args=(p.stdin, list(names)))
            feeder.start()
            yield from _contents(p.stdout)
            feeder.join()

    def _start(self, *args: str, stdin: bool = False) -> "proc.Process":
        return proc.start(["git", *args], cwd=self.root, env=self._env, stdin=stdin)

    def _run(self, *args: str) -> proc.Result:
        return proc.run(["git", *args], cwd=self.root, env=self._env)

    def _git(self, *args: str) -> bytes:
        return _output(args, self._run(*args))


class Asked(NamedTuple, Generic[T]):
    """A question to git under way; `wait` returns its answer."""

    process: "proc.Process"
    read: Callable[[bytes], T]

    def wait(self) -> T:
        _git, *args = self.process.args  # type: ignore[misc]
        return self.read(_output(tuple(map(str, args)), proc.finish(self.process)))


def _output(args: tuple[str, ...], result: proc.Result) -> bytes:
    if result.code == 0:
        return result.out
    hint = ""
    if "dubious ownership" in result.complaint:
        hint = "if you trust it: git config --global --add safe.directory PATH"
    command = " ".join(("git", *args[:2]))
    raise ToolError(f"`{command}` failed: {result.complaint}", hint=hint)


def _paths(out: bytes) -> list[str]:
    return out.decode("utf-8", "surrogateescape").split("\0")[:-1]


def _flagged(out: bytes) -> list[str]:
    """Paths whose letter in `ls-files -v` is not the usual `H`."""
    return [entry[2:] for entry in _paths(out) if entry[0] != "H"]


def _hashes(out: bytes) -> dict[str, str]:
    """Names to hashes, from `ls-tree` of one folder."""
    entries = (entry.partition("\t") for entry in _paths(out))
    return {p.rpartition("/")[2]: about.split(" ")[2] for about, _, p in entries}


def _feed(pipe: IO[bytes], names: list[str]) -> None:
    try:
        pipe.write("".join(f"{name}\n" for name in names).encode())
        pipe.close()
    except (BrokenPipeError, ValueError):
        pass  # the reader stopped early and closed the pipe


def _contents(pipe: IO[bytes]) -> Iterator[bytes]:
    while header := pipe.readline():
        *_, size = header.split()
        if not size.isdigit():
            raise ToolError(
                f"git has lost an object: {header.decode().strip()}",
                hint="git fsck tells what is damaged; git fetch may bring it back",
            )
        yield pipe.read(int(size))
        pipe.read(1)


@contextmanager
def _hook_variables_hidden() -> Iterator[None]:
    """Hide what a git hook has set from GitPython, which obeys it."""
    hidden = {k: os.environ.pop(k) for k in _HOOK_VARIABLES if k in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)
