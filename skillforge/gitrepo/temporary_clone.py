"""A repository of others, brought into a temporary one for as long as it is read."""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from skillforge import processes
from skillforge.errors import RequestError, ToolError
from skillforge.gitrepo import GitRepo, drivers, remote
from skillforge.gitrepo.git_command import GIT, environment, output
from skillforge.gitrepo.remote import Remote

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HERE = "refs/borrowed/it"
# Git itself refuses what is not in this list, also when a server redirects there.
_PROTOCOLS = "https:ssh:file"


class Borrowed(NamedTuple):
    """A commit of somebody else's repository, and all that it holds."""

    repo: GitRepo
    commit: str


@contextmanager
def borrowed(where: str, revision: str, *, plain_http: bool) -> Iterator[Borrowed]:
    """A tag, branch or commit of another repository; without one, its HEAD.

    Only that is fetched, if possible without its history; no hooks, no submodules.
    """
    with tempfile.TemporaryDirectory(prefix="skillforge-") as folder:
        root = Path(folder)
        line = [*GIT, "init", "--quiet", "--bare", "--template=", "."]
        output(("init",), processes.run(line, cwd=root, env=environment()))
        repo, there = GitRepo(root), Remote(where, _access(plain_http=plain_http))
        _fetch(repo, there, revision)
        yield Borrowed(repo, repo.resolve(_HERE))


def _access(*, plain_http: bool) -> dict[str, str]:
    """The environment of a fetch from a stranger: no questions, no odd protocols."""
    settings = {"http.lowSpeedLimit": "100", "http.lowSpeedTime": "30"}
    env = drivers.config_variables(settings, os.environ)
    ssh = os.environ.get("GIT_SSH_COMMAND") or "ssh -oBatchMode=yes -oConnectTimeout=20"
    protocols = f"http:{_PROTOCOLS}" if plain_http else _PROTOCOLS
    return env | {"GIT_SSH_COMMAND": ssh, "GIT_ALLOW_PROTOCOL": protocols}


def _fetch(repo: GitRepo, there: Remote, revision: str) -> None:
    if not revision:
        return _bring(repo, there, "HEAD")
    if _COMMIT.fullmatch(revision):
        return _fetch_commit(repo, there, revision)
    names = [f"refs/tags/{revision}", f"refs/heads/{revision}"]
    known = remote.heads(repo, there, *names)
    for name in names:
        if name in known:
            return _bring(repo, there, name)
    raise RequestError(
        f"{remote.shown(there.where)} has no tag or branch {revision!r}",
        hint="git ls-remote shows what it has",
    )


def _fetch_commit(repo: GitRepo, there: Remote, commit: str) -> None:
    """A commit by its name; not every server gives it away alone."""
    try:
        _bring(repo, there, commit)
    except ToolError:
        remote.fetch(repo, there, ["+refs/*:refs/borrowed/all/*"])
        if not repo.name_of(f"{commit}^{{commit}}"):
            raise RequestError(
                f"{remote.shown(there.where)} has no commit {commit[:12]} any more",
                hint="was its history rewritten? Look at what is there now",
            ) from None
        repo.git("update-ref", _HERE, commit)


def _bring(repo: GitRepo, there: Remote, what: str) -> None:
    spec = [f"+{what}:{_HERE}"]
    try:
        remote.fetch(repo, there, spec, depth=1)
    except ToolError as err:
        if "shallow" not in err.message:
            raise
        remote.fetch(repo, there, spec)  # a plain web server has no other way
