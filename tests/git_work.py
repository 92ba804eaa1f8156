"""What git is asked to do meanwhile: for tests of how work grows, without a clock."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.object_reader import Objects


@dataclass
class GitWork:
    """The git processes that were started, and the objects that were asked for."""

    commands: list[tuple[str, ...]] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)

    def count(self, command: str) -> int:
        return sum(command in line for line in self.commands)


@contextmanager
def git_work() -> Iterator[GitWork]:
    """Count what git does in this process until the block ends."""
    work = GitWork()
    ask, objects = Objects._ask, GitRepo.objects

    def noting(real: Callable[..., Any]) -> Callable[..., Any]:
        def run(repo: GitRepo, *args: str, **options: Any) -> Any:
            work.commands.append(args)
            return real(repo, *args, **options)

        return run

    def asking(reader: Objects, what: str, expressions: Sequence[str]) -> Any:
        work.objects += expressions
        return ask(reader, what, expressions)

    def reading(repo: GitRepo, names: Sequence[str]) -> Any:
        requested = list(names)
        work.objects += requested
        return objects(repo, requested)

    with (
        mock.patch.object(GitRepo, "run", noting(GitRepo.run)),
        mock.patch.object(GitRepo, "_start", noting(GitRepo._start)),
        mock.patch.object(Objects, "_ask", asking),
        mock.patch.object(GitRepo, "objects", reading),
    ):
        yield work
