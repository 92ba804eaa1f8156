"""Fake secrets, planted where a thief would look, and how to detect a theft."""

import base64
import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import PurePosixPath

from skillforge.sandbox import HOME_DIR, work_files

VARIABLES = ("GITHUB_TOKEN", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY")
KEY_FILES = {
    ".ssh/id_ed25519": "-----BEGIN OPENSSH PRIVATE KEY-----\n{token}\n"
    "-----END OPENSSH PRIVATE KEY-----\n",
    ".aws/credentials": "[default]\naws_secret_access_key = {token}\n",
    ".config/gh/hosts.yml": "github.com:\n    oauth_token: {token}\n",
}
_FOLDERS = sorted({str(up) for path in KEY_FILES for up in PurePosixPath(path).parents})
# Kernel counters of packets without a receiver.
_UNRECEIVED = {"Ip:": "OutNoRoutes", "Tcp:": "AttemptFails", "Udp:": "NoPorts"}
_UNRECEIVED_6 = ("Ip6OutNoRoutes", "Udp6NoPorts")


@dataclass(frozen=True, slots=True)
class Traps:
    """The fake secrets of one job."""

    token: str = field(default_factory=lambda: f"sf{secrets.token_hex(20)}")

    @property
    def variables(self) -> dict[str, str]:
        return dict.fromkeys(VARIABLES, self.token)

    @property
    def key_files(self) -> dict[str, bytes]:
        return {
            p: text.format(token=self.token).encode() for p, text in KEY_FILES.items()
        }

    def is_in(self, texts: Iterable[bytes]) -> bool:
        """Whether a text contains the token, plainly or encoded."""
        plain = self.token.encode()
        disguises = {plain, plain[::-1], plain.hex().encode()}
        # Base64 depends on the position of the token in a group of three bytes.
        disguises |= {base64.b64encode(b"_" * n + plain)[4:-4] for n in range(3)}
        return any(disguise in text for text in texts for disguise in disguises)


def plant(home: int, traps: Traps) -> dict[str, int]:
    """Write the key files into a home; the change time of each."""
    changed = {}
    for path, data in traps.key_files.items():
        work_files.put(home, path, data, 0o444)
        # The first read sets the access time to now.
        os.utime(path, ns=(0, 0), dir_fd=home)
        changed[path] = os.stat(path, dir_fd=home).st_ctime_ns
    for folder in _FOLDERS:  # readable, not writable
        with suppress(PermissionError):  # in a container, the engine owns the home
            os.chmod(folder, 0o555, dir_fd=home)  # noqa: S103
    return changed


def touched(home: int, changed: Mapping[str, int]) -> list[str]:
    """The key files that were read, changed or removed since."""
    return [f"~/{path}" for path, at in changed.items() if _is_touched(home, path, at)]


def _is_touched(home: int, path: str, changed: int) -> bool:
    try:
        now = os.stat(path, dir_fd=home, follow_symlinks=False)
    except OSError:
        return True
    return now.st_atime_ns != 0 or now.st_ctime_ns != changed


def describe(read: list[str], leaked: bool) -> tuple[str, ...]:
    """A message for each trap that a job triggered."""
    trap = "a key planted as a trap"
    words = [f"it read {path.replace('~', HOME_DIR, 1)}, {trap}" for path in read]
    return (*words, "it printed a planted secret") if leaked else tuple(words)


def tried_to_connect(counters: str) -> bool:
    """Whether a packet had no receiver, by the counters of a network namespace.

    Packets to a server that the job started itself arrive, and don't count.
    """
    lines = counters.splitlines()
    for names, values in pairwise(lines):
        if columns := _columns(names):
            numbers = values.split()
            if any(numbers[column] != "0" for column in columns):
                return True
    alone = (line.split() for line in lines if line.startswith(_UNRECEIVED_6))
    return any(words[1:] != ["0"] for words in alone)


@cache
def _columns(names: str) -> list[int]:
    """The columns of a line of names that count packets without a receiver."""
    kind, *rest = names.split() or [""]
    counter = _UNRECEIVED.get(kind, "")
    return [rest.index(counter) + 1] if counter in rest else []
