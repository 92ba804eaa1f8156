"""A filter on system calls that gain privileges or use memory that we can't count.

It needs no library. Refused calls fail with an error, and the program continues.
"""

import errno
import os
import struct
from functools import cache

ALLOW = 0x7FFF0000
ERRNO = 0x00050000
_KILL = 0x80000000
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# Offsets in seccomp_data.
NUMBER, ARCH, FIRST, SECOND, THIRD = 0, 4, 16, 24, 32

# Name to number on x86_64 and on aarch64; None if it doesn't exist there.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "io_setup": (206, 0),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "mbind": (237, 235),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "semget": (64, 190),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "shmget": (29, 194),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vmsplice": (278, 75),
}
_CLONE, _SOCKET, _SOCKETPAIR, _IOCTL = (56, 220), (41, 198), (53, 199), (16, 29)
_OPEN, _OPENAT, _FCNTL, _SET_FLAGS = (2, None), (257, 56), (72, 25), 4
# Their arguments are in memory, invisible to a filter; C libraries have a fallback.
_UNSEEN = {"clone3": 435, "openat2": 437}
_SETSOCKOPT = (54, 208)
_BIND_TO_DEVICE = (
    25,
    62,
)  # bypasses the routes, whose counters reveal attempts to connect
_NO_TRACE = 0x40000  # O_NOATIME: reads without changing the access time
_NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* flag that clone takes
_FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6: others bypass namespaces
_TERMINAL = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX type into a terminal
_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_X32 = 0x40000000


@cache
def program() -> bytes:
    """The filter for this machine; empty for an unknown one."""
    lines = rules()
    return b"".join([*lines, line(RETURN, ALLOW)]) if lines else b""


def column() -> int:
    """The column of this machine in tables of system calls."""
    return _MACHINES[os.uname().machine][1]


def rules() -> list[bytes]:
    """The rules of every backend; empty for an unknown machine."""
    if os.uname().machine not in _MACHINES:
        return []
    arch, column = _MACHINES[os.uname().machine]
    no = ERRNO | errno.EPERM
    lines = [
        line(LOAD, ARCH),
        line(EQUAL, arch, 1, 0),
        line(RETURN, _KILL),
        line(LOAD, NUMBER),
        line(AT_LEAST, _X32, 0, 1),
        line(RETURN, ERRNO | errno.ENOSYS),
    ]
    for numbers in _REFUSED.values():
        if (number := numbers[column]) is not None:
            lines += [line(EQUAL, number, 0, 1), line(RETURN, no)]
    for number in _UNSEEN.values():
        lines += [line(EQUAL, number, 0, 1), line(RETURN, ERRNO | errno.ENOSYS)]
    lines += when(_CLONE[column], FIRST, [line(ANY_BIT, _NEW_NAMESPACES, 0, 1)], no)
    hides = line(ANY_BIT, _NO_TRACE, 0, 1)
    for call, argument in ((_OPEN, SECOND), (_OPENAT, THIRD)):
        if (opens := call[column]) is not None:
            lines += when(opens, argument, [hides], no)
    sets = [line(EQUAL, _SET_FLAGS, 0, 3), line(LOAD, THIRD), hides]
    lines += when(_FCNTL[column], SECOND, sets, no)
    for option in _BIND_TO_DEVICE:
        binds = [line(EQUAL, 1, 0, 3), line(LOAD, THIRD)]
        binds += [line(EQUAL, option, 0, 1)]
        lines += when(_SETSOCKOPT[column], SECOND, binds, no)
    for number in (_SOCKET[column], _SOCKETPAIR[column]):
        lines += unless(number, FIRST, _FAMILIES, ERRNO | errno.EAFNOSUPPORT)
    for request in _TERMINAL:
        lines += when(_IOCTL[column], SECOND, [line(EQUAL, request, 0, 1)], no)
    return lines


def profile() -> dict[str, object]:
    """The same filter in the format of docker and podman."""
    allow, refuse = "SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"

    def rule(
        names: list[str], code: int, *args: dict[str, object]
    ) -> dict[str, object]:
        return {"names": names, "action": refuse, "errnoRet": code, "args": list(args)}

    rules = [rule(list(_REFUSED), errno.EPERM), rule(list(_UNSEEN), errno.ENOSYS)]
    for bit in (1 << n for n in range(32) if _NEW_NAMESPACES >> n & 1):
        masked = {"index": 0, "value": bit, "valueTwo": bit, "op": "SCMP_CMP_MASKED_EQ"}
        rules.append(rule(["clone"], errno.EPERM, masked))
    hides = {"value": _NO_TRACE, "valueTwo": _NO_TRACE, "op": "SCMP_CMP_MASKED_EQ"}
    sets = {"index": 1, **_low_half(_SET_FLAGS)}
    for option in _BIND_TO_DEVICE:
        level = {"index": 1, **_low_half(1)}
        binds = {"index": 2, **_low_half(option)}
        rules.append(rule(["setsockopt"], errno.EPERM, level, binds))
    rules.append(rule(["open"], errno.EPERM, {"index": 1, **hides}))
    rules.append(rule(["openat"], errno.EPERM, {"index": 2, **hides}))
    rules.append(rule(["fcntl"], errno.EPERM, sets, {"index": 2, **hides}))
    for family in set(range(50)) - set(_FAMILIES):
        equal = {"index": 0, **_low_half(family)}
        rules.append(rule(["socket", "socketpair"], errno.EAFNOSUPPORT, equal))
    for request in _TERMINAL:
        equal = {"index": 1, **_low_half(request)}
        rules.append(rule(["ioctl"], errno.EPERM, equal))
    return {"defaultAction": allow, "syscalls": rules}


def _low_half(value: int) -> dict[str, object]:
    """Equal in the low 32 bits, as the kernel compares them."""
    op = "SCMP_CMP_MASKED_EQ"
    return {"value": 0xFFFFFFFF, "valueTwo": value, "op": op}


def line(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def when(number: int, argument: int, test: list[bytes], answer: int) -> list[bytes]:
    """Refuse a call whose argument passes a test; then load the number again."""
    inner = [line(LOAD, argument), *test, line(RETURN, answer)]
    inner += [line(LOAD, NUMBER)]
    return [line(EQUAL, number, 0, len(inner)), *inner]


def unless(
    number: int, argument: int, allowed: tuple[int, ...], answer: int
) -> list[bytes]:
    """Refuse a call unless its argument is one of a few."""
    count = len(allowed)
    inner = [line(LOAD, argument)]
    inner += [line(EQUAL, value, count - at, 0) for at, value in enumerate(allowed)]
    inner += [line(RETURN, answer), line(LOAD, NUMBER)]
    return [line(EQUAL, number, 0, len(inner)), *inner]
