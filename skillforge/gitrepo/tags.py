"""Tags: which there are, what they say, and how one is made."""

import re
from typing import NamedTuple

from skillforge.gitrepo import GitRepo, signatures
from skillforge.gitrepo.ref_update import RefUpdate, cannot_write

_TAGS = "refs/tags/"
_SIGNATURE = re.compile(r"^-----BEGIN (?:PGP|SSH|SIGNED) [A-Z ]+-----$", re.MULTILINE)
_SIGN = "tag.gpgSign"  # asks for it


class Tag(NamedTuple):
    """A tag, the commit that it leads to, and its message; empty for a plain one."""

    name: str
    object: str
    commit: str
    message: str = ""


def find(repo: GitRepo, name: str) -> Tag | None:
    """A tag of a commit by its name, if there is one."""
    ref = f"{_TAGS}{name}"
    found, commit = repo.find(ref), repo.name_of(f"{ref}^{{commit}}")
    if found is None or not commit:
        return None
    return Tag(name, found.name, commit, _message(found.kind, found.data))


def _message(kind: str, data: bytes) -> str:
    """What whoever tagged wrote, without the signature below it."""
    if kind != "tag":
        return ""
    text = data.decode("utf-8", "replace").partition("\n\n")[2]
    return _SIGNATURE.split(text, maxsplit=1)[0]


def names(repo: GitRepo) -> list[str]:
    return [ref.removeprefix(_TAGS) for ref in repo.refs(_TAGS)]


def make(repo: GitRepo, name: str, commit: str, message: str) -> bool:
    """Make an annotated tag, signed if git is set up to; False if the name is taken.

    The message is kept as it is: git would take a heading for a comment.
    """
    repo.start_identity().wait().refuse_odd_date()
    options = ("--annotate", "--cleanup=verbatim", "--file=-", "--end-of-options")
    done = repo.run("tag", *options, name, commit, stdin=message.encode())
    if done.code == 0:
        _refuse_unsigned(repo, name, done.complaint)
        return True
    if repo.ref(f"{_TAGS}{name}"):
        return False
    if "sign" in done.complaint:
        raise signatures.failed("tag", _SIGN, done.complaint)
    raise cannot_write(done.complaint)


def _refuse_unsigned(repo: GitRepo, name: str, complaint: str) -> None:
    """Take back a tag that should be signed: some gits make it all the same."""
    asked = repo.run("config", "--type=bool", "--get", _SIGN)
    made = repo.find(f"{_TAGS}{name}")
    if asked.out.strip() == b"true" and made and not _is_signed(made.data):
        repo.move_refs(RefUpdate(f"{_TAGS}{name}", "", made.name))
        raise signatures.failed("tag", _SIGN, complaint)


def _is_signed(data: bytes) -> bool:
    return _SIGNATURE.search(data.decode("utf-8", "replace")) is not None
