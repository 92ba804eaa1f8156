"""What git prints, as values."""

from collections.abc import Iterator
from typing import IO

from skillforge.errors import RequestError, ToolError
from skillforge.gitrepo.writing import Who


def paths(out: bytes) -> list[str]:
    return out.decode("utf-8", "surrogateescape").split("\0")[:-1]


def flagged(out: bytes) -> list[str]:
    """Paths whose letter in `ls-files -v` is not the usual `H`."""
    return [entry[2:] for entry in paths(out) if entry[0] != "H"]


def hashes(out: bytes) -> dict[str, str]:
    """Names to hashes, from `ls-tree` of one folder."""
    entries = (entry.partition("\t") for entry in paths(out))
    return {p.rpartition("/")[2]: about.split(" ")[2] for about, _, p in entries}


def who(out: bytes) -> Who:
    lines = out.decode("utf-8", "replace").split("\n")
    found = dict(line.partition("=")[::2] for line in lines)
    who, _, when = found.get("GIT_AUTHOR_IDENT", "").rpartition("> ")
    name, _, mail = who.partition(" <")
    if not name or not mail or mail.endswith(".(none)"):
        raise RequestError(
            "git does not know who you are",
            hint="git config user.name NAME and git config user.email MAIL; or say it "
            "with --as 'NAME <MAIL>'",
        )
    # The time is the committer's, as in any log.
    committed = found.get("GIT_COMMITTER_IDENT", "").rpartition("> ")[2]
    return Who(name, mail, committed or when)


def feed(pipe: IO[bytes], names: list[str]) -> None:
    try:
        pipe.write("".join(f"{name}\n" for name in names).encode())
        pipe.close()
    except (BrokenPipeError, ValueError):
        pass  # the reader stopped early and closed the pipe


def contents(pipe: IO[bytes]) -> Iterator[bytes]:
    while header := pipe.readline():
        *_, size = header.split()
        if not size.isdigit():
            raise ToolError(
                f"git has lost an object: {header.decode().strip()}",
                hint="git fsck tells what is damaged; git fetch may bring it back",
            )
        yield pipe.read(int(size))
        pipe.read(1)
