"""Signed commits: git itself signs, with the key and in the format that it is told.

The commits of branches are signed, since a server may refuse others: those of
proposals, merges and published hubs. Records under refs/skillforge/ and notes are not:
nothing is decided by who signed them, and nobody should have to type a passphrase for
each line of a log.
"""

from typing import TYPE_CHECKING

from skillforge.errors import ToolError
from skillforge.gitrepo.git_command import output
from skillforge.gitrepo.ref_update import NewCommit, Signature

if TYPE_CHECKING:
    from skillforge.gitrepo import GitRepo

_ASKS = "commit.gpgSign"
_UTF8 = ("-c", "i18n.commitEncoding=UTF-8")


def are_wanted(repo: "GitRepo") -> bool:
    """Whether git is set up to sign commits."""
    line = ("config", "--type=bool", "--get", _ASKS)
    done = repo.run(*line)
    answer = done.out if done.code == 1 else output(line, done)  # 1: it says nothing
    return answer.strip() == b"true"


def commit(repo: "GitRepo", new: NewCommit) -> str:
    """Make a signed commit of a tree that is written already, and return its name."""
    parents = (word for name in dict.fromkeys(new.parents) for word in ("-p", name))
    line = (*_UTF8, "commit-tree", "-S", *parents, new.tree)
    message = new.message.replace("\0", "").encode("utf-8", "replace")
    done = repo.run(*line, stdin=message, env=_identity(new.who))
    name = done.out.decode().strip()
    made = repo.find(name) if done.code == 0 and name else None
    # Some gits make a commit all the same when they cannot sign it.
    if made is None or b"\ngpgsig" not in made.data.partition(b"\n\n")[0]:
        raise failed("commit", _ASKS, done.complaint)
    return name


def _identity(who: Signature) -> dict[str, str]:
    """Variables that make git write a person as our own commits have them."""
    name, _, rest = who.line.partition(" <")
    mail, _, when = rest.rpartition("> ")
    roles = ("AUTHOR", "COMMITTER")
    values = {"NAME": name, "EMAIL": mail, "DATE": f"@{when}"}
    return {f"GIT_{role}_{key}": v for role in roles for key, v in values.items()}


def failed(what: str, setting: str, complaint: str) -> ToolError:
    """The error for something that should be signed, and cannot be."""
    return ToolError(
        f"git cannot sign the {what}: {complaint or 'it gave no reason'}",
        hint="nothing was changed; git config user.signingKey names the key, gpg.format"
        f" its kind (openpgp, ssh, x509), and {setting} asks for the signature",
    )
