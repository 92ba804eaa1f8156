"""What git prints, as values."""

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
    """Names to hashes, from `ls-tree` of one folder."""
    entries = (entry.partition("\t") for entry in paths(out))
    return {p.rpartition("/")[2]: about.split(" ")[2] for about, _, p in entries}


def who(out: bytes) -> Signature:
    lines = out.decode("utf-8", "replace").split("\n")
    found = dict(line.partition("=")[::2] for line in lines)
    who, _, when = found.get("GIT_AUTHOR_IDENT", "").rpartition("> ")
    name, _, mail = who.partition(" <")
    if not name or not mail or mail.endswith(".(none)"):
        raise RequestError(
            "git does not know who you are",
            hint="git config user.name NAME && git config user.email MAIL; or, where a "
            "command takes it, --as 'NAME <MAIL>'",
        )
    # The time is the committer's, as in any log.
    committed = found.get("GIT_COMMITTER_IDENT", "").rpartition("> ")[2]
    return Signature(name, mail, committed or when)


def feed(pipe: IO[bytes], names: list[str]) -> None:
    try:
        pipe.write("".join(f"{name}\n" for name in names).encode())
        pipe.close()
    except (BrokenPipeError, ValueError):
        pass  # the reader stopped early and closed the pipe


def objects(pipe: IO[bytes], count: int) -> Iterator[Object | None]:
    """So many answers of `cat-file --batch`; None for what is missing."""
    for _ in range(count):
        about = pipe.readline().split()
        if len(about) == 2:  # "… missing"
            yield None
            continue
        size = int(about[2]) if len(about) == 3 else 0
        data = pipe.read(size + 1)
        if len(data) <= size:
            raise ToolError("`git cat-file` ended too early", hint="git fsck")
        yield Object(about[0].decode(), about[1].decode(), data[:-1])


def lost(name: str) -> ToolError:
    """The error for an object that has to be there."""
    return ToolError(
        f"git has lost an object: {name}",
        hint="git fsck shows what is damaged; git fetch may bring it back, and in a "
        "partial clone git fetch --refetch --no-filter does",
    )
