"""Branches of a repository, and what git records about the default one."""

from skillforge.errors import ToolError
from skillforge.gitrepo.git_files import MAY_BE_RECORDED, recorded_branch
from skillforge.gitrepo.repository import GitRepo

KEY = "skillforge.branch"  # in the clone's own configuration
PROPOSALS = "skill/"  # prefix of the branches of proposals
_HEADS, _ORIGIN = "refs/heads/", "refs/remotes/origin/"
_SYMBOLIC = "ref: "


def recorded(repo: GitRepo) -> str:
    """The library's branch in this clone's configuration; empty if it is not set."""
    name = recorded_branch(str(repo.common_dir))
    if name != MAY_BE_RECORDED:
        return name
    done = repo.run("config", "--local", "--get", KEY)
    return done.out.decode("utf-8", "replace").strip() if done.code == 0 else ""


def record(repo: GitRepo, name: str) -> bool:
    """Write the library's branch to this clone's configuration; False if that fails.

    It fails if the repository is read-only, or another process does the same.
    GitPython is no alternative: it would drop comments and rewrite quoted values.
    """
    return repo.run("config", "--local", KEY, name).code == 0


def tips(repo: GitRepo) -> dict[str, str]:
    """Branches and their commits: the local ones, and those that only origin has."""
    refs = repo.refs(_ORIGIN, _HEADS)
    refs.pop(f"{_ORIGIN}HEAD", None)
    commits = {}
    for prefix in (_ORIGIN, _HEADS):
        for ref, (commit, _) in refs.items():
            name = ref.removeprefix(prefix)
            if ref.startswith(prefix) and not name.startswith(PROPOSALS):
                commits[name] = commit
    return commits


def remote_head(repo: GitRepo) -> str:
    """The default branch of the repository that was cloned; empty if unknown."""
    return _target(repo, f"{_ORIGIN}HEAD", _ORIGIN)


def head(repo: GitRepo) -> str:
    """The branch that HEAD names; in a linked worktree, HEAD of the main one."""
    return _target(repo, "HEAD", _HEADS)


def _target(repo: GitRepo, ref: str, prefix: str) -> str:
    """The branch that a symbolic ref names; a ref in a plain file needs no process."""
    folder = repo.common_dir
    try:
        text = (folder / ref).read_text("utf-8", "surrogateescape").strip()
    except (FileNotFoundError, NotADirectoryError):
        text = ""
    except OSError as err:
        raise ToolError(f"cannot read {folder / ref}: {err.strerror}") from err
    if (folder / "reftable").exists():
        line = ("--git-dir", str(folder), "symbolic-ref", "--quiet", ref)
        text = _SYMBOLIC + repo.run(*line).out.decode("utf-8", "replace").strip()
    name = text.removeprefix(_SYMBOLIC)
    is_symbolic = text.startswith(_SYMBOLIC) and name.startswith(prefix)
    return name.removeprefix(prefix) if is_symbolic else ""


def has_checkout(repo: GitRepo) -> bool:
    """Whether HEAD is what a user checked out, not just the default of a bare repo."""
    return not repo.is_bare and repo.common_dir.name == ".git"


def is_born_here(repo: GitRepo, name: str) -> bool:
    """Whether a branch began with the repository's first commit, made in this clone.

    This is in its reflog, which no push and no fetch can write.
    """
    try:
        with (repo.common_dir / "logs" / _HEADS / name).open("rb") as log:
            first = log.readline(10_000)
    except OSError:
        return False
    old, _, rest = first.partition(b" ")
    return not old.strip(b"0") and b"\tcommit (initial)" in rest
