"""Answers the system calls that the Landlock filter passes on.

Landlock covers neither modes and times of files, nor system sockets, nor, on older
kernels, signals. A job that makes such a call waits for the answer from here. The
broker never checks a name and then lets the caller act on it: it opens the file, checks
that it is in the work directory, and changes it through that descriptor.
"""

import ctypes
import errno
import fcntl
import os
import re
import socket
import stat
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from skillforge.sandbox import process_tree
from skillforge.sandbox.landlock_filter import (
    NOTIFIED,
    SENDMSG,
    SENDTO,
    SIGNALS,
    SOCKET,
)
from skillforge.sandbox.seccomp import column

if TYPE_CHECKING:
    from collections.abc import Callable

_RECEIVE, _SEND, _IS_VALID, _ADD_FILE = 0xC0502100, 0xC0182101, 0x40082102, 0x40182103
_REQUEST, _ANSWER, _FILE = "=QII2IQ6Q", "=QqiI", "=QIIII"
_GO_ON = 1  # the kernel continues the call: only safe for calls without pointers
_AT_CWD, _NO_FOLLOW, _LONGEST = -100, 0x100, 4096
_TIMES = 32  # bytes of two times
_MODES = 0o1777  # nothing that would run as its owner
_MOST_KNOWN = 10_000  # sockets that are remembered
_DNS = 53
_OWN_FILE = re.compile(rb"/proc/self/fd/(\d{1,9})")
_libc = ctypes.CDLL(None, use_errno=True)


class SystemCall(NamedTuple):
    """A call that waits for an answer; `pid` may be a thread."""

    number: int
    pid: int
    call: int
    args: tuple[int, ...]


class Refusal(Exception):  # noqa: N818 - an answer
    """The error code that answers a call."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Broker:
    """Answers a job's calls, and records in `tried_to_connect` whether it connected."""

    def __init__(self, listener: int, work: str) -> None:
        self.listener = listener
        self.work = work
        self.tried_to_connect = False
        self._datagrams: set[int] = set()
        here = column()
        known = {**NOTIFIED, **SIGNALS, "socket": SOCKET}
        known |= {"sendto": SENDTO, "sendmsg": SENDMSG}
        self._answers: dict[int | None, Callable[[SystemCall], int]] = {
            numbers[here]: getattr(self, f"_{name}") for name, numbers in known.items()
        }
        self._signals = {numbers[here] for numbers in SIGNALS.values()}

    def answer(self) -> None:
        """Answer one call, unless its caller is gone."""
        data = bytearray(struct.calcsize(_REQUEST))
        try:
            fcntl.ioctl(self.listener, _RECEIVE, data)
        except OSError:
            return
        fields = struct.unpack(_REQUEST, data)
        request = SystemCall(fields[0], fields[1], fields[3], fields[6:])
        value = code = flags = 0
        try:
            value = self._answers[request.call](request)
            flags = _GO_ON if request.call in self._signals else 0
        except Refusal as err:
            code = err.code
        except OSError as err:
            code = err.errno or errno.EPERM
        reply = struct.pack(_ANSWER, request.number, value, -code, flags)
        with suppress(OSError):
            fcntl.ioctl(self.listener, _SEND, reply)

    # Files: modes and times, in the work directory only.

    def _chmod(self, request: SystemCall) -> int:
        path, mode = request.args[:2]
        return self._set_mode(self._named(request, _AT_CWD, path), mode)

    def _fchmodat(self, request: SystemCall) -> int:
        folder, path, mode = request.args[:3]
        return self._set_mode(self._named(request, _signed(folder), path), mode)

    def _fchmod(self, request: SystemCall) -> int:
        fd, mode = request.args[:2]
        return self._set_mode(self._opened(request, _signed(fd)), mode)

    def _set_mode(self, fd: int, mode: int) -> int:
        try:
            mode &= _MODES
            if stat.S_ISDIR(os.fstat(fd).st_mode):
                mode |= 0o500  # so that its files can be counted
            os.chmod(f"/proc/self/fd/{fd}", mode)
        finally:
            os.close(fd)
        return 0

    def _utimensat(self, request: SystemCall) -> int:
        folder, path, times, flags = request.args[:4]
        data = self._read(request, times, _TIMES) if times else None
        if data is not None and len(data) != _TIMES:
            raise Refusal(errno.EFAULT)
        if path:
            fd = self._named(request, _signed(folder), path, flags & _NO_FOLLOW)
        else:
            fd = self._opened(request, _signed(folder))
        try:
            name = f"/proc/self/fd/{fd}".encode()
            if _libc.utimensat(_AT_CWD, name, data, 0) < 0:
                raise Refusal(ctypes.get_errno())
        finally:
            os.close(fd)
        return 0

    def _named(
        self, request: SystemCall, folder: int, at: int, no_follow: int = 0
    ) -> int:
        """Open a file by the name that the caller uses."""
        path = self._read(request, at, _LONGEST).partition(b"\0")[0]
        if not path:
            raise Refusal(errno.ENOENT)
        if own := _OWN_FILE.fullmatch(path):  # C libraries name open files so
            return self._opened(request, int(own[1]))
        how = os.O_PATH | os.O_CLOEXEC | (os.O_NOFOLLOW if no_follow else 0)
        base = -1
        if not path.startswith(b"/"):
            link = "cwd" if folder == _AT_CWD else f"fd/{folder}"
            base = os.open(f"/proc/{request.pid}/{link}", os.O_PATH | os.O_CLOEXEC)
        try:
            fd = os.open(path, how, dir_fd=base if base >= 0 else None)
        finally:
            if base >= 0:
                os.close(base)
        return self._own(request, fd)

    def _opened(self, request: SystemCall, fd: int) -> int:
        """Open a file that the caller has open."""
        link = f"/proc/{request.pid}/fd/{fd}"
        return self._own(request, os.open(link, os.O_PATH | os.O_CLOEXEC))

    def _own(self, request: SystemCall, fd: int) -> int:
        """The descriptor, if its file is in the work directory."""
        try:
            self._check(request)
            path = os.readlink(f"/proc/self/fd/{fd}")
            if path != self.work and not path.startswith(f"{self.work}/"):
                raise Refusal(errno.EPERM)
        except BaseException:
            os.close(fd)
            raise
        return fd

    # A job that wants the network gets a socket that connects to nothing.

    def _socket(self, request: SystemCall) -> int:
        kind = request.args[1]
        if kind & 0xF not in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            raise Refusal(errno.EPERM)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as decoy:
            decoy.setblocking(not kind & socket.SOCK_NONBLOCK)
            if kind & 0xF != socket.SOCK_STREAM:
                if len(self._datagrams) > _MOST_KNOWN:
                    self._datagrams.clear()
                self._datagrams.add(os.fstat(decoy.fileno()).st_ino)
            closes = os.O_CLOEXEC if kind & socket.SOCK_CLOEXEC else 0
            gift = struct.pack(_FILE, request.number, 0, decoy.fileno(), 0, closes)
            return int(fcntl.ioctl(self.listener, _ADD_FILE, bytearray(gift)))

    def _connect(self, request: SystemCall) -> int:
        fd, at, size = request.args[:3]
        raise self._refused(request, at, size, self._is_datagram(request, fd))

    def _sendto(self, request: SystemCall) -> int:
        raise self._refused(request, request.args[4], request.args[5], False)

    def _sendmsg(self, request: SystemCall) -> int:
        """The address is the first field of a message, and of the first of many."""
        head = self._read(request, request.args[1], 12)
        at, size = struct.unpack("=QI", head.ljust(12, b"\0"))
        raise (
            self._refused(request, at, size, False) if at else Refusal(errno.EOPNOTSUPP)
        )

    _sendmmsg = _sendmsg

    def _refused(
        self, request: SystemCall, at: int, size: int, is_probe: bool
    ) -> Refusal:
        """The answer to a call that would reach an address; records the attempt.

        C libraries connect datagram sockets to find routes, which sends nothing. So
        for these only DNS and other machines count as an attempt.
        """
        try:
            address = self._read(request, at, min(size, 28))
        except (OSError, Refusal):
            address = b""
        family = int.from_bytes(address[:2], "little")
        if family == socket.AF_UNIX:
            return Refusal(errno.ECONNREFUSED)
        is_near = _is_loopback(family, address)
        port = int.from_bytes(address[2:4], "big")
        if not (is_probe and is_near and port != _DNS):
            self.tried_to_connect = True
        return Refusal(errno.ECONNREFUSED if is_near else errno.ENETUNREACH)

    def _is_datagram(self, request: SystemCall, fd: int) -> bool:
        try:
            number = os.stat(f"/proc/{request.pid}/fd/{fd}").st_ino
        except OSError:
            return False
        return number in self._datagrams

    # Signals within the job only, where Landlock does not cover them.

    def _kill(self, request: SystemCall) -> int:
        target = _signed(request.args[0])
        is_own = target == 0 or (target > 0 and self._is_of_job(target))
        if target < -1:
            group = process_tree.group(-target)
            is_own = bool(group) and all(map(self._is_of_job, group))
        if not is_own:
            raise Refusal(errno.EPERM)
        return 0

    def _tkill(self, request: SystemCall) -> int:
        if not self._is_of_job(_signed(request.args[0])):
            raise Refusal(errno.EPERM)
        return 0

    _tgkill = _tkill

    def _is_of_job(self, pid: int) -> bool:
        return process_tree.descends(pid, os.getpid())

    # The caller.

    def _check(self, request: SystemCall) -> None:
        """Check that the caller still waits: its pid may have been reused."""
        fcntl.ioctl(self.listener, _IS_VALID, struct.pack("=Q", request.number))

    def _read(self, request: SystemCall, at: int, size: int) -> bytes:
        """Read memory of the caller, up to its end."""
        fd = os.open(f"/proc/{request.pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            data = os.pread(fd, size, at)
        except OverflowError as err:
            raise Refusal(errno.EFAULT) from err
        finally:
            os.close(fd)
        self._check(request)
        return data


def _signed(value: int) -> int:
    """An argument as the kernel's signed int."""
    return (value & 0xFFFFFFFF ^ 0x80000000) - 0x80000000


def _is_loopback(family: int, address: bytes) -> bool:
    if family == socket.AF_INET:
        return address[4:5] == b"\x7f"
    return address[8:24] == b"\0" * 15 + b"\x01"
