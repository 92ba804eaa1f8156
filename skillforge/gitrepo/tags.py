"""Find, list and create tags."""

import re
from typing import NamedTuple

from skillforge.gitrepo import GitRepo, signatures
from skillforge.gitrepo.ref_update import RefUpdate, cannot_write

_TAGS = "refs/tags/"
_SIGNATURE = re.compile(r"^-----BEGIN (?:PGP|SSH|SIGNED) [A-Z ]+-----$", re.MULTILINE)
_SETTING = "tag.gpgSign"


class Tag(NamedTuple):
    """A tag, its commit, and its message, which is empty for a lightweight tag."""

    name: str
    object: str
    commit: str
    message: str = ""


def find(repo: GitRepo, name: str) -> Tag | None:
    """A tag by its name, if there is one and it leads to a commit."""
    ref = f"{_TAGS}{name}"
    tag, commit = repo.find(ref), repo.name_of(f"{ref}^{{commit}}")
    if tag is None or not commit:
        return None
    return Tag(name, tag.name, commit, _message(tag.kind, tag.data))


def _message(kind: str, data: bytes) -> str:
    """The message of an annotated tag, without its signature."""
    if kind != "tag":
        return ""
    text = data.decode("utf-8", "replace").partition("\n\n")[2]
    return _SIGNATURE.split(text, maxsplit=1)[0]


def names(repo: GitRepo) -> list[str]:
    return [ref.removeprefix(_TAGS) for ref in repo.refs(_TAGS)]


def create(repo: GitRepo, name: str, commit: str, message: str) -> bool:
    """Create an annotated tag, signed if git is configured to; False if it exists.

    The message is not cleaned up: git would drop headings as comments.
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
        raise signatures.failed("tag", _SETTING, done.complaint)
    raise cannot_write(done.complaint)


def _refuse_unsigned(repo: GitRepo, name: str, complaint: str) -> None:
    """Remove a tag that should be signed: some gits create it even if that fails."""
    setting = repo.run("config", "--type=bool", "--get", _SETTING)
    tag = repo.find(f"{_TAGS}{name}")
    if setting.out.strip() == b"true" and tag and not _is_signed(tag.data):
        repo.move_refs(RefUpdate(f"{_TAGS}{name}", "", tag.name))
        raise signatures.failed("tag", _SETTING, complaint)


def _is_signed(data: bytes) -> bool:
    return _SIGNATURE.search(data.decode("utf-8", "replace")) is not None
