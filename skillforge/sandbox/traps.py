"""Fake secrets, planted where a thief would look, and how to see that one was taken."""

import base64
import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath

from skillforge.sandbox import HOME_DIR, files

VARIABLES = ("GITHUB_TOKEN", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY")
KEY_FILES = {
    ".ssh/id_ed25519": "-----BEGIN OPENSSH PRIVATE KEY-----\n{token}\n"
    "-----END OPENSSH PRIVATE KEY-----\n",
    ".aws/credentials": "[default]\naws_secret_access_key = {token}\n",
    ".config/gh/hosts.yml": "github.com:\n    oauth_token: {token}\n",
}
# What the kernel counts when something is sent that nobody is there to take.
_IN_VAIN = {
    ("Ip", "OutNoRoutes"),
    ("Tcp", "AttemptFails"),
    ("Udp", "NoPorts"),
    ("", "Ip6OutNoRoutes"),
    ("", "Udp6NoPorts"),
}


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
        """Whether a text holds the token, plainly or in a usual disguise."""
        plain = self.token.encode()
        disguises = {plain, plain[::-1], plain.hex().encode()}
        # Base64 looks different by where in a group of three the token starts.
        disguises |= {base64.b64encode(b"_" * n + plain)[4:-4] for n in range(3)}
        return any(disguise in text for text in texts for disguise in disguises)


def plant(home: int, traps: Traps) -> dict[str, int]:
    """Put the key files into a home; returns when each was last changed."""
    changed = {}
    for path, data in traps.key_files.items():
        files.put(home, path, data, 0o444)
        # Never read, as far as its time tells; the first read sets that to now.
        os.utime(path, ns=(0, 0), dir_fd=home)
        changed[path] = os.stat(path, dir_fd=home).st_ctime_ns
    folders = {parent for path in changed for parent in PurePosixPath(path).parents}
    for folder in folders:  # not places to write, only to look at
        with suppress(PermissionError):  # a container's home is its engine's
            os.chmod(str(folder), 0o555, dir_fd=home)  # noqa: S103
    return changed


def touched(home: int, changed: Mapping[str, int]) -> list[str]:
    """The key files that were read, changed or taken away since."""
    return [f"~/{path}" for path, at in changed.items() if _is_touched(home, path, at)]


def _is_touched(home: int, path: str, changed: int) -> bool:
    try:
        now = os.stat(path, dir_fd=home, follow_symlinks=False)
    except OSError:
        return True
    return now.st_atime_ns != 0 or now.st_ctime_ns != changed


def describe(read: list[str], leaked: bool) -> tuple[str, ...]:
    """What of the traps a job went into, in words."""
    trap = "a key planted as a trap"
    words = [f"it read {path.replace('~', HOME_DIR, 1)}, {trap}" for path in read]
    return (
        (*words, "it wrote a secret of its environment out") if leaked else tuple(words)
    )


def tried_to_connect(counters: str) -> bool:
    """Whether something was sent to nobody, by the counters of a network namespace.

    What a job says to a server that it started itself arrives, and does not count.
    """
    lines = [line.split() for line in counters.splitlines()]
    counted: dict[tuple[str, str], int] = {}
    for names, values in pairwise(lines):
        if names and values and names[0] == values[0] and names[0].endswith(":"):
            pairs = zip(names[1:], values[1:], strict=False)
            counted |= {(names[0][:-1], n): int(v) for n, v in pairs}
    for words in lines:
        if len(words) == 2 and words[1].isdecimal():
            counted["", words[0]] = int(words[1])
    return any(counted.get(name, 0) > 0 for name in _IN_VAIN)
