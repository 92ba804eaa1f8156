"""Signed commits: git signs them, with the configured key and format.

Commits on branches (proposals, merges, published hubs) are signed, since a server may
require that. Records under refs/skillforge/ and notes are not: no decision depends on
who signed them, and a passphrase for each record would be a nuisance.
"""

from typing import TYPE_CHECKING

from skillforge.errors import ToolError
from skillforge.gitrepo.git_command import output
from skillforge.gitrepo.ref_update import NewCommit, Signature

if TYPE_CHECKING:
    from skillforge.gitrepo import GitRepo

_SETTING = "commit.gpgSign"
_UTF8 = ("-c", "i18n.commitEncoding=UTF-8")


def are_enabled(repo: "GitRepo") -> bool:
    """Whether git is configured to sign commits."""
    line = ("config", "--type=bool", "--get", _SETTING)
    done = repo.run(*line)
    answer = done.out if done.code == 1 else output(line, done)  # 1: not set
    return answer.strip() == b"true"


def commit(repo: "GitRepo", new: NewCommit) -> str:
    """Create a signed commit of a tree that git has already; its hash."""
    parents = (word for name in dict.fromkeys(new.parents) for word in ("-p", name))
    line = (*_UTF8, "commit-tree", "-S", *parents, new.tree)
    message = new.message.replace("\0", "").encode("utf-8", "replace")
    done = repo.run(*line, stdin=message, env=_identity(new.who))
    name = done.out.decode().strip()
    created = repo.find(name) if done.code == 0 and name else None
    # Some versions of git create the commit even if they can't sign it.
    if created is None or b"\ngpgsig" not in created.data.partition(b"\n\n")[0]:
        raise failed("commit", _SETTING, done.complaint)
    return name


def _identity(who: Signature) -> dict[str, str]:
    """Variables that make git write a person exactly as our own commits do."""
    name, _, rest = who.line.partition(" <")
    mail, _, when = rest.rpartition("> ")
    roles = ("AUTHOR", "COMMITTER")
    values = {"NAME": name, "EMAIL": mail, "DATE": f"@{when}"}
    return {f"GIT_{role}_{key}": v for role in roles for key, v in values.items()}


def failed(what: str, setting: str, complaint: str) -> ToolError:
    """The error for something that must be signed and can't be."""
    return ToolError(
        f"git cannot sign the {what}: {complaint or 'it gave no reason'}",
        hint="nothing was changed; the key is in user.signingKey, its kind (openpgp, "
        f"ssh, x509) in gpg.format; {setting} turns signatures on",
    )
