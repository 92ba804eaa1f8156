"""Which files were opened or changed, by way of inotify.

The time of the last read tells as much only where the file system keeps it.
"""

import ctypes
import os
import struct

_OPEN, _MODIFY, _ATTRIBUTES, _MOVED, _DELETED = 0x20, 0x2, 0x4, 0x800, 0x400
_EVENTS = _OPEN | _MODIFY | _ATTRIBUTES | _MOVED | _DELETED
_OVERFLOW = -1  # too many to tell which
_HEAD = "=iIII"


class FileWatch:
    """Watches files from when each is added."""

    def __enter__(self) -> "FileWatch":
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = self._checked(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._names: dict[int, str] = {}
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def add(self, path: str, name: str) -> None:
        """Watch a file; `name` is what it is called in answers."""
        place = os.fsencode(path)
        number = self._libc.inotify_add_watch(self._fd, place, _EVENTS)
        self._names[self._checked(number)] = name

    def touched(self) -> set[str]:
        """The files that something happened to; all of them if it was too much."""
        numbers = set()
        while data := self._read():
            at = 0
            while at < len(data):
                number, _, _, size = struct.unpack_from(_HEAD, data, at)
                numbers.add(number)
                at += struct.calcsize(_HEAD) + size
        names = self._names.items()
        return {name for key, name in names if key in numbers or _OVERFLOW in numbers}

    def _read(self) -> bytes:
        try:
            return os.read(self._fd, 1 << 16)
        except BlockingIOError:
            return b""

    @staticmethod
    def _checked(answer: int) -> int:
        if answer < 0:
            number = ctypes.get_errno()
            raise OSError(number, f"inotify: {os.strerror(number)}")
        return answer
