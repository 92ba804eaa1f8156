"""A question to git that is answered while the caller does something else."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from skillforge import processes
from skillforge.gitrepo.git_command import GIT, output

T = TypeVar("T")


class PendingQuery(NamedTuple, Generic[T]):
    """A running git; `wait` returns its answer."""

    process: "processes.Process"
    parse: Callable[[bytes], T]

    def wait(self) -> T:
        args = list(self.process.args)[len(GIT) :]  # type: ignore[arg-type]
        return self.parse(output(tuple(map(str, args)), processes.finish(self.process)))
