"""The repository that others see: fetch from it, and push to it by compare-and-swap."""

import base64
import os
import re
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from skillforge.errors import ConflictError, ToolError
from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.git_files import has_remote
from skillforge.gitrepo.ref_update import RefUpdate
from skillforge.text import lines_of

_LOCKED_OUT = re.compile(
    r"Authentication failed|could not read Username|[Pp]ermission .*denied"
    r"|error: 40[13]"
)
_MOVED = re.compile(
    r"but expected [0-9a-f]|reference already exists|\.lock': File exists"
)
_TURNS = 6  # in which a ref that others move at the same time is tried
_PASSWORD = re.compile(r"//[^@/\s']*@")  # in a URL


class Remote(NamedTuple):
    """Where another repository is: a URL or a remote's name, and how to be let in."""

    where: str
    access: Mapping[str, str] = {}  # environment of git; holds a secret


def origin(repo: GitRepo) -> tuple[str, str]:
    """The remote that a clone came from, by name and URL; empty if there is none."""
    if not has_remote(str(repo.common_dir)):
        return "", ""  # the usual case of a library on one machine: no process
    names = repo.git("remote").decode().split()
    name = "origin" if "origin" in names or len(names) != 1 else names[0]
    done = repo.run("remote", "get-url", "--", name)
    return (name, done.out.decode().strip()) if done.code == 0 else ("", "")


def shown(text: str) -> str:
    """Text without the passwords of URLs."""
    return _PASSWORD.sub("//", text)


def let_in(web: str, token: str) -> dict[str, str]:
    """The environment in which git shows a token to one host, and to no other.

    A variable, since others can read the command line of a process. The empty value
    takes back a header that a configuration sets: two of them are refused.
    """
    start = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
    secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    values = ("", f"Authorization: Basic {secret}")
    env = {"GIT_CONFIG_COUNT": str(start + len(values))}
    for number, value in enumerate(values, start):
        env[f"GIT_CONFIG_KEY_{number}"] = f"http.{web}/.extraHeader"
        env[f"GIT_CONFIG_VALUE_{number}"] = value
    return env


def fetch(
    repo: GitRepo, remote: Remote, refspecs: Iterable[str], depth: int = 0
) -> None:
    """Bring refs and all that they need; nothing of the checkout is touched.

    With a `depth` only so many commits of their history.
    """
    options = ["--no-tags", "--no-write-fetch-head", "--no-auto-gc"]
    if depth:
        options.append(f"--depth={depth}")
    more = ("--no-recurse-submodules", "--stdin", "--end-of-options", remote.where)
    lines = "".join(f"{refspec}\n" for refspec in refspecs).encode()
    for turn in range(_TURNS):
        done = repo.transfer("fetch", *options, *more, stdin=lines, env=remote.access)
        if not done.code:
            return
        if not _MOVED.search(done.complaint):
            raise _failed("fetch", done.complaint)
        time.sleep(0.05 * 2**turn)  # another fetch or push moved the same ref
    raise ConflictError(
        f"others are at work on the same refs: {shown(_plain(done.complaint))}",
        hint="nothing is half done: run the command again",
    )


def heads(repo: GitRepo, remote: Remote, *refs: str) -> dict[str, str]:
    """What refs of another repository point at; those that it has not are left out."""
    line = ("ls-remote", "--quiet", "--end-of-options", remote.where, *refs)
    done = repo.run(*line, env=remote.access, is_online=True)
    if done.code:
        raise _failed("ls-remote", done.complaint)
    rows = (row.split("\t") for row in lines_of(done.out.decode()))
    return {ref: name for name, ref in rows}


def push(repo: GitRepo, remote: Remote, update: RefUpdate) -> None:
    """Move a ref of another repository, if it still has its old value.

    A push whose answer got lost is found to be done.
    """
    lease = f"--force-with-lease={update.ref}:{update.old}"
    # Whatever a configuration says: this ref, and nothing that comes along with it.
    alone = ("--no-follow-tags", "--recurse-submodules=no", "--no-signed")
    options = ("--no-verify", "--porcelain", *alone, lease, "--end-of-options")
    spec = f"{update.new}:{update.ref}"
    done = repo.transfer("push", *options, remote.where, spec, env=remote.access)
    if done.code == 0:
        return
    now = heads(repo, remote, update.ref).get(update.ref, "")
    if now == update.new:
        return
    if now != update.old:
        raise ConflictError(
            f"somebody else pushed to {update.ref.removeprefix('refs/heads/')}",
            hint="git fetch shows what; then run the command again",
        )
    raise _failed("push", f"{done.complaint}\n{_rejection(done.out)}")


def _rejection(out: bytes) -> str:
    """Why the other side took a push back, from git's table."""
    rows = [row.split("\t") for row in lines_of(out.decode("utf-8", "replace"))]
    return "\n".join(row[2] for row in rows if len(row) == 3 and row[0] == "!")


def _plain(complaint: str) -> str:
    """What git complains of, without its advice on other things."""
    said = (line for line in complaint.splitlines() if not line.startswith("hint:"))
    return "\n".join(said).strip()


def _failed(verb: str, complaint: str) -> ToolError:
    """Git's complaint on another repository, with what to do about it."""
    text = shown(_plain(complaint)) or "git gave no reason"
    hint = "nothing is half done: run the command again when it can be reached"
    if _LOCKED_OUT.search(text):
        hint = "`gh auth status` tells who you are there; the token needs the right to "
        hint += "write contents, or `gh auth setup-git` lets git in"
    return ToolError(f"git {verb} failed: {text}", hint=hint)
