"""A remote repository: fetch from it, and push to it by compare-and-swap."""

import base64
import os
import re
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from skillforge.errors import ConflictError, ToolError
from skillforge.gitrepo import GitRepo, drivers
from skillforge.gitrepo.git_files import has_remote
from skillforge.gitrepo.ref_update import RefUpdate
from skillforge.text import lines_of, shortened

_ACCESS_DENIED = re.compile(
    r"Authentication failed|could not read Username|[Pp]ermission .*denied"
    r"|error: 40[13]"
)
_MOVED = re.compile(
    r"but expected [0-9a-f]|reference already exists|\.lock': File exists"
)
_TRIES = 6  # if others move the same ref at the same time
# What an error quotes of the remote's messages, which can have any length.
_MOST_LINES, _MOST_LETTERS = 20, 500
_PASSWORD = re.compile(r"//[^@/\s']*@")  # in a URL


class Remote(NamedTuple):
    """Another repository: a URL or a remote's name, and the credentials for it."""

    where: str
    access: Mapping[str, str] = {}  # environment of git; contains a secret


def origin(repo: GitRepo) -> tuple[str, str]:
    """Name and URL of the remote that this was cloned from; empty if there is none."""
    if not has_remote(str(repo.common_dir)):
        return "", ""  # the usual case on one machine, without a process
    names = repo.git("remote").decode().split()
    name = "origin" if "origin" in names or len(names) != 1 else names[0]
    done = repo.run("remote", "get-url", "--", name)
    return (name, done.out.decode().strip()) if done.code == 0 else ("", "")


def without_passwords(text: str) -> str:
    """Text without the passwords in URLs."""
    return _PASSWORD.sub("//", text)


def token_access(web: str, token: str) -> dict[str, str]:
    """The environment in which git sends a token to one host, and to no other.

    In variables, since other users can read the command line of a process. The empty
    value resets a header from the configuration: servers refuse two of them.
    """
    secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    key = f"http.{web}/.extraHeader"
    settings = ((key, ""), (key, f"Authorization: Basic {secret}"))
    return drivers.config_variables(settings, os.environ)


def fetch(
    repo: GitRepo, remote: Remote, refspecs: Iterable[str], depth: int = 0
) -> None:
    """Fetch refs and their history, at most `depth` commits of it.

    The checkout is not touched.
    """
    options = ["--no-tags", "--no-write-fetch-head", "--no-auto-gc"]
    if depth:
        options.append(f"--depth={depth}")
    more = ("--no-recurse-submodules", "--stdin", "--end-of-options", remote.where)
    lines = "".join(f"{refspec}\n" for refspec in refspecs).encode()
    for number in range(_TRIES):
        done = repo.transfer("fetch", *options, *more, stdin=lines, env=remote.access)
        if not done.code:
            return
        if not _MOVED.search(done.complaint):
            raise _failed("fetch", done.complaint)
        time.sleep(0.05 * 2**number)  # another fetch or push moved the same ref
    raise ConflictError(
        f"others move the same refs: {without_passwords(_plain(done.complaint))}",
        hint="run the command again; it is safe to repeat",
    )


def heads(repo: GitRepo, remote: Remote, *refs: str) -> dict[str, str]:
    """Refs of another repository, and what they point at; missing ones are omitted."""
    line = ("ls-remote", "--quiet", "--end-of-options", remote.where, *refs)
    done = repo.run(*line, env=remote.access, is_online=True)
    if done.code:
        raise _failed("ls-remote", done.complaint)
    rows = (row.split("\t") for row in lines_of(done.out.decode()))
    return {ref: name for name, ref in rows}


def push(repo: GitRepo, remote: Remote, update: RefUpdate) -> None:
    """Move a ref of another repository, if it still has its old value.

    A push that succeeded although its response was lost counts as done.
    """
    lease = f"--force-with-lease={update.ref}:{update.old}"
    # Regardless of the configuration: this ref and nothing else.
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
            f"someone else pushed to {update.ref.removeprefix('refs/heads/')}",
            hint="git fetch, check the changes, and run the command again",
        )
    refused = _rejection(done.out)
    hint = "the remote refused it: a hook or a rule there decides" if refused else ""
    raise _failed("push", f"{done.complaint}\n{refused}", hint)


def _rejection(out: bytes) -> str:
    """Why the remote rejected a push, from git's porcelain table."""
    rows = [row.split("\t") for row in lines_of(out.decode("utf-8", "replace"))]
    return "\n".join(row[2] for row in rows if len(row) == 3 and row[0] == "!")


def _plain(complaint: str) -> str:
    """An error of git without its hints: the last lines, which have the reason."""
    lines = [line for line in complaint.splitlines() if not line.startswith("hint:")]
    last = "\n".join(lines).strip().splitlines()[-_MOST_LINES:]
    return "\n".join(shortened(line, _MOST_LETTERS) for line in last)


def _failed(verb: str, complaint: str, hint: str = "") -> ToolError:
    """The error for a failed transfer, with a hint."""
    text = without_passwords(_plain(complaint)) or "git reported no reason"
    hint = hint or "run the command again when the remote can be reached"
    if _ACCESS_DENIED.search(text):
        hint = "`gh auth status` shows your account; the token needs write access to "
        hint += "contents, or run `gh auth setup-git`"
    return ToolError(f"git {verb} failed: {text}", hint=hint)
