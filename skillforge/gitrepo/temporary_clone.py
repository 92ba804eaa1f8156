"""Fetch another repository into a temporary clone."""

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
from skillforge.gitrepo.remote import Remote, without_passwords

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = "refs/fetched/commit"
# Git refuses any other protocol, also if a server redirects to one.
_PROTOCOLS = "https:ssh:file"


class TemporaryClone(NamedTuple):
    """A repository that exists for a while, and the commit that was fetched."""

    repo: GitRepo
    commit: str


@contextmanager
def temporary_clone(
    where: str, revision: str, *, plain_http: bool
) -> Iterator[TemporaryClone]:
    """A clone of a tag, branch or commit of another repository; by default, of HEAD.

    If possible, without history. Neither hooks nor submodules take part.
    """
    with tempfile.TemporaryDirectory(prefix="skillforge-") as folder:
        root = Path(folder)
        line = [*GIT, "init", "--quiet", "--bare", "--template=", "."]
        output(("init",), processes.run(line, cwd=root, env=environment()))
        repo, source = GitRepo(root), Remote(where, _access(plain_http=plain_http))
        _fetch(repo, source, revision)
        yield TemporaryClone(repo, repo.resolve(_REF))


def _access(*, plain_http: bool) -> dict[str, str]:
    """The environment for an untrusted remote: no prompts, few protocols."""
    settings = {"http.lowSpeedLimit": "100", "http.lowSpeedTime": "30"}
    env = drivers.config_variables(settings.items(), os.environ)
    ssh = os.environ.get("GIT_SSH_COMMAND") or "ssh -oBatchMode=yes -oConnectTimeout=20"
    protocols = f"http:{_PROTOCOLS}" if plain_http else _PROTOCOLS
    return env | {"GIT_SSH_COMMAND": ssh, "GIT_ALLOW_PROTOCOL": protocols}


def _fetch(repo: GitRepo, source: Remote, revision: str) -> None:
    if not revision:
        return _fetch_ref(repo, source, "HEAD")
    if _COMMIT.fullmatch(revision):
        return _fetch_commit(repo, source, revision)
    names = [f"refs/tags/{revision}", f"refs/heads/{revision}"]
    known = remote.heads(repo, source, *names)
    for name in names:
        if name in known:
            return _fetch_ref(repo, source, name)
    raise RequestError(
        f"{without_passwords(source.where)} has no tag or branch {revision!r}",
        hint="git ls-remote lists them",
    )


def _fetch_commit(repo: GitRepo, source: Remote, commit: str) -> None:
    """Fetch a commit by its hash; some servers allow that only for refs."""
    try:
        _fetch_ref(repo, source, commit)
    except ToolError:
        remote.fetch(repo, source, ["+refs/*:refs/fetched/all/*"])
        if not repo.name_of(f"{commit}^{{commit}}"):
            raise RequestError(
                f"commit {commit[:12]} is not in {without_passwords(source.where)}",
                hint="its history was probably rewritten: choose a current commit",
            ) from None
        repo.git("update-ref", _REF, commit)


def _fetch_ref(repo: GitRepo, source: Remote, what: str) -> None:
    spec = [f"+{what}:{_REF}"]
    try:
        remote.fetch(repo, source, spec, depth=1)
    except ToolError as err:
        if "shallow" not in err.message:
            raise
        remote.fetch(repo, source, spec)  # a plain web server can't do it
