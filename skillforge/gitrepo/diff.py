"""Differences between commits, and between versions of a file.

Git compares the commits, so their trees are verified first: for malformed trees, its
output depends on the command.
"""

import re
from collections.abc import Iterable, Iterator

from skillforge.errors import ConflictError
from skillforge.gitrepo import GitRepo, git_output
from skillforge.gitrepo.git_command import AS_IT_IS, output
from skillforge.gitrepo.ref_update import cannot_write

Pair = tuple[str, str]
_HEADER = re.compile(rb"^([0-9a-f]{40,64}) ([0-9a-f]{40,64})\n", re.MULTILINE)
_HUNK = re.compile(r"^(@@ [^@]+ @@).*$", re.MULTILINE)
# Override configuration and attributes. `--text`: a skill's .gitattributes could
# declare its files binary, and so hide their content.
_AS_TEXT = ("--no-ext-diff", "--no-textconv", "--no-color", "--text")
_PREFIXES = ("--src-prefix=a/", "--dst-prefix=b/")
_PLAIN = (
    *_AS_TEXT,
    *_PREFIXES,
    "--full-index",
    "--unified=3",
    "--diff-algorithm=myers",
)
_SETTINGS = ("-c", "diff.suppressBlankEmpty=false")


def changed_paths(repo: GitRepo, base: str, head: str, *folders: str) -> list[str]:
    """Paths under some folders that differ between two commits."""
    repo.verify(head, base)
    options = ("--name-only", "-r", "-z", base, head, "--", *folders)
    return git_output.paths(repo.git("diff-tree", *AS_IT_IS, *options))


def changed_files(
    repo: GitRepo, base: str, head: str
) -> Iterator[tuple[str, str, bool]]:
    """Files that differ: path, new mode (empty if removed), and whether it is new.

    A promotion asks for the same trees several times; git compares them once.
    """
    repo.verify(head, base)
    trees = tuple(repo.names_of([f"{base}^{{tree}}", f"{head}^{{tree}}"]))
    if trees not in repo.compared:
        out = repo.git("diff-tree", *AS_IT_IS, "-r", "-z", "--raw", base, head)
        repo.compared.clear()  # one entry is enough, and servers run for long
        repo.compared[trees] = out
    words = iter(git_output.paths(repo.compared[trees]))
    for modes, path in zip(words, words, strict=True):
        before, after, *_ = modes.lstrip(":").split()
        yield path, after.strip("0") and after, not before.strip("0")


def diff(repo: GitRepo, base: str, head: str, last: str) -> str:
    """A readable diff, made without configured programs; folder `last` comes last."""
    repo.verify(head, base)
    question = ("diff", *_AS_TEXT, *_PREFIXES, *AS_IT_IS, base, head)
    first = repo.git(*question, "--", ".", f":(exclude){last}")
    return (first + repo.git(*question, "--", last)).decode("utf-8", "replace")


def diff_lines(repo: GitRepo, base: str, head: str) -> Iterator[tuple[str, str, str]]:
    """Files that differ: path, and the number of lines added and removed."""
    repo.verify(head, base)
    options = ("--numstat", "-z", *_AS_TEXT, *AS_IT_IS)
    for row in git_output.paths(repo.git("diff", *options, base, head)):
        added, removed, path = row.split("\t", 2)
        yield path, added, removed


def merged_tree(repo: GitRepo, ours: str, theirs: str) -> str:
    """The tree of a three-way merge; a conflict is an error that names the files."""
    repo.verify(theirs, ours)
    options = ("--write-tree", "-z", "--name-only", "--no-messages")
    done = repo.run("merge-tree", *options, ours, theirs)
    if done.code not in (0, 1):
        raise cannot_write(done.complaint)
    tree, *paths = git_output.paths(done.out)
    if done.code == 0:
        return tree
    conflicts = ", ".join(path for path in paths if path)
    raise ConflictError(f"both sides changed {conflicts}")


def diffs(repo: GitRepo, pairs: Iterable[Pair], path: str) -> dict[Pair, str]:
    """The diff of a file between pairs of trees, from one process.

    Hunks have no section heading, since that depends on git's attributes.
    """
    unique = list(dict.fromkeys(pairs))
    if not unique:
        return {}
    line = (*_SETTINGS, "diff-tree", "--stdin", "-r", "-p", *_PLAIN, *AS_IT_IS)
    lines = "".join(f"{old} {new}\n" for old, new in unique)
    args = (*line, "--", path)
    parts = _HEADER.split(output(args, repo.run(*args, stdin=lines.encode())))[1:]
    return {
        (old.decode(), new.decode()): _HUNK.sub(r"\1", text.decode("utf-8", "replace"))
        for old, new, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }
