"""What differs between versions of a file, for people and the same on any machine."""

import re
from collections.abc import Iterable

from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.running import AS_IT_IS, output

Pair = tuple[str, str]
_HEADER = re.compile(rb"^([0-9a-f]{40,64}) ([0-9a-f]{40,64})\n", re.MULTILINE)
_HUNK = re.compile(r"^(@@ [^@]+ @@).*$", re.MULTILINE)
# Whatever a configuration or an attribute of the checkout says.
_PLAIN = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--text",
    "--full-index",
    "--unified=3",
    "--diff-algorithm=myers",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_SETTINGS = ("-c", "diff.suppressBlankEmpty=false")


def diffs(repo: GitRepo, pairs: Iterable[Pair], path: str) -> dict[Pair, str]:
    """How a file differs between pairs of trees, from one process.

    A hunk does not name the part of the file that it is in: that depends on git's
    attributes.
    """
    asked = list(dict.fromkeys(pairs))
    if not asked:
        return {}
    line = (*_SETTINGS, "diff-tree", "--stdin", "-r", "-p", *_PLAIN, *AS_IT_IS)
    lines = "".join(f"{one} {other}\n" for one, other in asked)
    args = (*line, "--", path)
    parts = _HEADER.split(output(args, repo.run(*args, stdin=lines.encode())))[1:]
    return {
        (one.decode(), other.decode()): _HUNK.sub(
            r"\1", text.decode("utf-8", "replace")
        )
        for one, other, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }
