"""Parse the output of git."""

from collections.abc import Iterator
from typing import IO

from skillforge.errors import RequestError, ToolError
from skillforge.gitrepo.object_reader import Object
from skillforge.gitrepo.ref_update import Signature


def paths(out: bytes) -> list[str]:
    return out.decode("utf-8", "surrogateescape").split("\0")[:-1]


def flagged(out: bytes) -> list[str]:
    """Paths whose letter in `ls-files -v` is not the usual `H`."""
    return [entry[2:] for entry in paths(out) if entry[0] != "H"]


def hashes(out: bytes) -> dict[str, str]:
    """Hashes by name, from `ls-tree` of one folder."""
    entries = (entry.partition("\t") for entry in paths(out))
    return {p.rpartition("/")[2]: info.split(" ")[2] for info, _, p in entries}


def identity(out: bytes) -> Signature:
    """The author and the time, from `git var -l`."""
    lines = out.decode("utf-8", "replace").split("\n")
    variables = dict(line.partition("=")[::2] for line in lines)
    author, _, when = variables.get("GIT_AUTHOR_IDENT", "").rpartition("> ")
    name, _, mail = author.partition(" <")
    if not name or not mail or mail.endswith(".(none)"):
        raise RequestError(
            "git has no user name or email configured",
            hint="git config user.name NAME && git config user.email MAIL; or use --as "
            "'NAME <MAIL>' if the command has that option",
        )
    # The committer's time, as `git log` shows it.
    committed = variables.get("GIT_COMMITTER_IDENT", "").rpartition("> ")[2]
    return Signature(name, mail, committed or when)


def objects(pipe: IO[bytes], count: int) -> Iterator[Object | None]:
    """The objects that `cat-file --batch` prints; None for a missing one."""
    for _ in range(count):
        header = pipe.readline().split()
        if len(header) == 2:  # "… missing"
            yield None
            continue
        size = int(header[2]) if len(header) == 3 else 0
        data = pipe.read(size + 1)
        if len(data) <= size:
            raise ToolError("`git cat-file` ended early", hint="git fsck")
        yield Object(header[0].decode(), header[1].decode(), data[:-1])


def missing_object(name: str) -> ToolError:
    """The error for an object that the repository should have."""
    return ToolError(
        f"missing git object: {name}",
        hint="git fsck shows the damage; git fetch may restore it, in a partial clone: "
        "git fetch --refetch --no-filter",
    )
