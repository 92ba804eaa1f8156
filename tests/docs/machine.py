"""The machine of whoever reads a page: a home, a shell, and programs of others."""

import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skillforge import cli
from tests.conftest import LibraryFolder
from tests.docs.comparison import Ids

_NEEDS_A_SHELL = re.compile(r"[$&|;<>()`\n]")
_OF_OTHERS = (  # whoever runs the tests
    "SKILLFORGE_CACHE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "HERMES_HOME",
)
ADA, RITA = "Ada <ada@example.org>", "Rita <rita@example.org>"


class Output(NamedTuple):
    """What a command printed, as a terminal shows it, and its exit code."""

    code: int
    said: str


@dataclass
class Machine:
    """A home directory with a library in it, where commands are typed."""

    tmp: Path
    patch: pytest.MonkeyPatch
    ids: Ids = field(default_factory=Ids)
    names: dict[str, str] = field(default_factory=dict)  # what is called otherwise here
    last: int = 0
    stack: ExitStack = field(default_factory=ExitStack)
    hub: Any = None  # a GitHub, if there is one

    @property
    def home(self) -> Path:
        return self.tmp / "home" / "you"

    @property
    def library(self) -> LibraryFolder:
        return LibraryFolder(self.home / "skills")

    def settle(self) -> None:
        """Make the home, and let all that is started see only that."""
        self.library.root.mkdir(parents=True)
        bin_ = self.home / "bin"
        bin_.mkdir()
        own = Path(sys.executable).parent
        self.patch.setenv("PATH", f"{bin_}:{own}:{os.environ['PATH']}")
        for name in ("HOME", "USERPROFILE"):
            self.patch.setenv(name, str(self.home))
        for name in _OF_OTHERS:
            self.patch.delenv(name, raising=False)
        self.patch.setenv("USER", "you")
        self.patch.setenv("SHELL", "/bin/bash")
        self.become(ADA)
        self.go(self.library.root)

    def become(self, who: str) -> None:
        name, _, mail = who.removesuffix(">").partition(" <")
        for role in ("AUTHOR", "COMMITTER"):
            self.patch.setenv(f"GIT_{role}_NAME", name)
            self.patch.setenv(f"GIT_{role}_EMAIL", mail)

    def go(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.patch.chdir(folder)

    def program(self, name: str, text: str) -> None:
        """A program of others, on the PATH."""
        file = self.home / "bin" / name
        file.write_text(text)
        file.chmod(0o755)

    def ok(self, *words: str) -> str:
        """What has happened before the page begins."""
        came = _in_process(list(words))
        assert came.code == 0, came.said
        return came.said

    def run(self, command: str) -> Output:
        """What somebody types, and what is seen then."""
        command = self.ids.put_into(command)
        for here, there in self.names.items():
            command = command.replace(there, here)
        if command == "echo $?":
            return Output(0, str(self.last))
        is_plain = command.startswith("skillforge ")
        line = re.sub(r"\s+#\s.*", "", command)
        if is_plain and not _NEEDS_A_SHELL.search(line):
            came = _in_process([_at_home(word) for word in shlex.split(line)[1:]])
        else:
            came = _in_a_shell(command)
        self.last = came.code
        return came._replace(said=self._called(came.said))

    def _called(self, said: str) -> str:
        for here, there in {**self.names, str(self.home): "/home/you"}.items():
            said = said.replace(here, there)
        return said


def _at_home(word: str) -> str:
    return os.path.expanduser(word) if word.startswith("~/") else word  # noqa: PTH111


def _in_process(words: list[str]) -> Output:
    seen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(seen), redirect_stderr(seen):
        code = cli.run(words)
    return Output(code, seen.buffer.getvalue().decode())


def _in_a_shell(command: str) -> Output:
    done = subprocess.run(
        ["bash", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    return Output(done.returncode, done.stdout)
