"""Seals on cached values, so that only those of this user's tool are believed.

The cache is in the git directory, which an author can write, and which may be a copy
of another. The key of the seals is in the user's own cache folder.
"""

import hashlib
import hmac
import os
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from skillforge.errors import ToolError
from skillforge.store.cache_paths import cache_folder

_SIZE = 32
_LENGTH = 64  # characters of a seal


class CacheSeal:
    """Signs values for one place in the cache, and verifies them."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def of_user(cls) -> "CacheSeal | None":
        """The seal of this user; None if no key can be saved."""
        try:
            path = cache_folder() / "cache.key"
            key = _read(path) if path.exists() else _make(path)
        except (OSError, ToolError):
            return None
        return cls(key) if len(key) == _SIZE else None

    def close(self, place: str, text: str) -> str:
        """The text after its seal, which is valid for this place only."""
        return self._seal(place, text) + text

    def open(self, place: str, sealed: object) -> str | None:
        """The text; None if it was changed, or sealed for another place."""
        if not isinstance(sealed, str):
            return None
        seal, text = sealed[:_LENGTH], sealed[_LENGTH:]
        expected = self._seal(place, text).encode()
        is_ours = hmac.compare_digest(seal.encode("utf-8", "replace"), expected)
        return text if is_ours else None

    def _seal(self, place: str, text: str) -> str:
        message = f"{place}\0{text}".encode("utf-8", "surrogatepass")
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()


def _read(path: Path) -> bytes:
    """The key; empty if others can read or write it."""
    with path.open("rb") as file:
        about = os.fstat(file.fileno())
        is_private = stat.S_ISREG(about.st_mode) and not about.st_mode & 0o077
        is_own = about.st_uid == os.geteuid()
        return file.read(_SIZE + 1) if is_private and is_own else b""


def _make(path: Path) -> bytes:
    """Create the key in one step; another process may have been faster."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".cache-key-")
    try:
        with open(handle, "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(secrets.token_bytes(_SIZE))
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink(missing_ok=True)
    return _read(path)
