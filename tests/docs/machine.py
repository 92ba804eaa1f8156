"""The machine of a page's reader: a home directory, a shell, and other programs."""

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
from tests.docs.comparison import Hashes

_NEEDS_A_SHELL = re.compile(r"[$&|;<>()`\n]")
_USER_VARIABLES = (
    "SKILLFORGE_CACHE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "HERMES_HOME",
)
ADA, RITA = "Ada <ada@example.org>", "Rita <rita@example.org>"


class Output(NamedTuple):
    """A command's exit code, and what it printed on a terminal."""

    code: int
    text: str


@dataclass
class Machine:
    """A home directory with a library in it, where commands run."""

    tmp: Path
    patch: pytest.MonkeyPatch
    hashes: Hashes = field(default_factory=Hashes)
    aliases: dict[str, str] = field(default_factory=dict)  # real name -> page's name
    last_code: int = 0
    stack: ExitStack = field(default_factory=ExitStack)
    hub: Any = None  # the GitHub of the loopback interface, where a page needs one

    @property
    def home(self) -> Path:
        return self.tmp / "home" / "you"

    @property
    def library(self) -> LibraryFolder:
        return LibraryFolder(self.home / "skills")

    def set_up(self) -> None:
        """Make the home directory, and hide the settings of the tests' user."""
        self.library.root.mkdir(parents=True)
        bin_ = self.home / "bin"
        bin_.mkdir()
        python = Path(sys.executable).parent
        self.patch.setenv("PATH", f"{bin_}:{python}:{os.environ['PATH']}")
        for name in ("HOME", "USERPROFILE"):
            self.patch.setenv(name, str(self.home))
        for name in _USER_VARIABLES:
            self.patch.delenv(name, raising=False)
        self.patch.setenv("USER", "you")
        self.patch.setenv("SHELL", "/bin/bash")
        self.switch_user(ADA)
        self.cd(self.library.root)

    def switch_user(self, identity: str) -> None:
        name, _, mail = identity.removesuffix(">").partition(" <")
        for role in ("AUTHOR", "COMMITTER"):
            self.patch.setenv(f"GIT_{role}_NAME", name)
            self.patch.setenv(f"GIT_{role}_EMAIL", mail)

    def cd(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.patch.chdir(folder)

    def install_program(self, name: str, text: str) -> None:
        file = self.home / "bin" / name
        file.write_text(text)
        file.chmod(0o755)

    def ok(self, *words: str) -> str:
        """Run a command of ours that must succeed; return its output."""
        output = _run_in_process(list(words))
        assert output.code == 0, output.text
        return output.text

    def run(self, command: str) -> Output:
        """Run a command as a page shows it; its output has the page's names."""
        command = self.hashes.to_real(command)
        for real, shown in self.aliases.items():
            command = command.replace(shown, real)
        if command == "echo $?":
            return Output(0, str(self.last_code))
        line = re.sub(r"\s+#\s.*", "", command)
        if command.startswith("skillforge ") and not _NEEDS_A_SHELL.search(line):
            words = shlex.split(line)[1:]
            output = _run_in_process([_expand_home(word) for word in words])
        else:
            output = _run_in_shell(command)
        self.last_code = output.code
        return output._replace(text=self._with_aliases(output.text))

    def _with_aliases(self, text: str) -> str:
        for real, shown in {**self.aliases, str(self.home): "/home/you"}.items():
            text = text.replace(real, shown)
        return text


def _expand_home(word: str) -> str:
    return os.path.expanduser(word) if word.startswith("~/") else word  # noqa: PTH111


def _run_in_process(words: list[str]) -> Output:
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(terminal), redirect_stderr(terminal):
        code = cli.run(words)
    return Output(code, terminal.buffer.getvalue().decode())


def _run_in_shell(command: str) -> Output:
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
