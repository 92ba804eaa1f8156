"""The filter on system calls for Landlock, which leaves more of the kernel in reach.

Without namespaces a job shares processes, sockets and files with its user. What
Landlock does not cover is refused here, or, where the answer depends on more than
numbers, passed to the broker: `NOTIFIED` names those calls.
"""

import errno

from skillforge.sandbox.seccomp import (
    ALLOW,
    ANY_BIT,
    AT_LEAST,
    EQUAL,
    ERRNO,
    FIRST,
    LOAD,
    NUMBER,
    RETURN,
    SECOND,
    THIRD,
    column,
    line,
    rules,
    unless,
    when,
)

Numbers = tuple[int | None, int | None]  # on x86_64 and on aarch64

_NOTIFY = 0x7FC00000
_AND = 0x54
_FOURTH, _FIFTH, _HIGH_HALF = 40, 48, 4
_NEWEST = 463  # system calls from this number on are newer than this filter
# Always refused, by the error that the caller gets.
_REFUSED: dict[int, dict[str, Numbers]] = {
    errno.EPERM: {
        # Landlock knows no owners; and a job's files are its user's.
        "chown": (92, None),
        "fchown": (93, 55),
        "lchown": (94, None),
        "fchownat": (260, 54),
        # To watch a folder is to learn names in it.
        "inotify_init": (253, None),
        "inotify_init1": (294, 26),
        # Memory and queues of the user's other programs.
        "shmat": (30, 196),
        "shmctl": (31, 195),
        "semop": (65, 193),
        "semctl": (66, 191),
        "semtimedop": (220, 192),
        "msgsnd": (69, 189),
        "msgrcv": (70, 188),
        "msgctl": (71, 187),
        "mq_unlink": (241, 181),
        # The user's other processes.
        "migrate_pages": (256, 238),
        "process_madvise": (440, 440),
        "process_mrelease": (448, 448),
        # What is mounted where.
        "statmount": (457, 457),
        "listmount": (458, 458),
    },
    errno.EACCES: {"bind": (49, 200), "listen": (50, 201)},
    errno.EOPNOTSUPP: {
        "setxattr": (188, 5),
        "lsetxattr": (189, 6),
        "fsetxattr": (190, 7),
        "getxattr": (191, 8),
        "lgetxattr": (192, 9),
        "fgetxattr": (193, 10),
        "listxattr": (194, 11),
        "llistxattr": (195, 12),
        "flistxattr": (196, 13),
        "removexattr": (197, 14),
        "lremovexattr": (198, 15),
        "fremovexattr": (199, 16),
    },
    # C libraries and Python then use calls that the broker knows.
    errno.ENOSYS: {
        "fchmodat2": (452, 452),
        "utime": (132, None),
        "utimes": (235, None),
        "futimesat": (261, None),
    },
}
# Calls that act on another process, unless their first argument is 0: the caller.
_ON_PROCESSES: dict[str, Numbers] = {
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
}
NOTIFIED: dict[str, Numbers] = {
    "chmod": (90, None),
    "connect": (42, 203),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "sendmmsg": (307, 269),
    "utimensat": (280, 88),
}
# Notified where Landlock cannot keep signals within the job.
SIGNALS: dict[str, Numbers] = {
    "kill": (62, 129),
    "tgkill": (234, 131),
    "tkill": (200, 130),
}
_QUEUED_SIGNALS: dict[str, Numbers] = {
    "pidfd_send_signal": (424, 424),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
SOCKET: Numbers = (41, 198)
SENDTO: Numbers = (44, 206)
# An open file that is on its way to another process counts nowhere. The launcher's own
# message hands over the listener; its flags are refused from then on.
SENDMSG: Numbers = (46, 211)
HANDOVER = 0x4000 | 0x80 | 0x40  # MSG_NOSIGNAL, MSG_EOR, MSG_DONTWAIT
_SOCKETPAIR: Numbers = (53, 199)
_SETSOCKOPT: Numbers = (54, 208)
_LEVELS = (0, 6, 17, 41)  # IP, TCP, UDP, IPv6
_SOL_SOCKET, _SO_SNDBUF = 1, 7
_CLONE: Numbers = (56, 220)
_CLONE_FILES, _CLONE_THREAD = 0x400, 0x10000
_CLOSE_RANGE: Numbers = (436, 436)
_CLOSE_RANGE_UNSHARE = 2
_PRCTL: Numbers = (157, 167)
_SET_DUMPABLE = 4  # whose memory cannot be counted then
_SETPRIORITY: Numbers = (141, 140)
_IOPRIO_SET: Numbers = (251, 30)
_FCNTL: Numbers = (72, 25)
# F_SETOWN, F_SETSIG, F_SETOWN_EX send signals; F_SETLEASE and F_NOTIFY watch files.
_FCNTL_REFUSED = (8, 10, 15, 1024, 1026)
_IOCTL: Numbers = (16, 29)
# TCGETS, TCSETS*, TIOCGPGRP, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: what
# programs ask of terminals and pipes. Others may change files, flags, whole disks.
_IOCTL_ALLOWED = (
    *(0x5401, 0x5402, 0x5403, 0x5404, 0x540F, 0x5413),
    *(0x541B, 0x5421, 0x5450, 0x5451),
)
_FOLLOW_ORDER = (1, 5)  # SOCK_STREAM, SOCK_SEQPACKET: these reach nobody unasked
_TYPE = 0xF
_TRUNCATE: Numbers = (76, 45)
_OPEN: Numbers = (2, None)
_OPENAT: Numbers = (257, 56)
_CREAT: Numbers = (85, None)
_MKDIR: Numbers = (83, None)
_MKDIRAT: Numbers = (258, 34)
_MKNOD: Numbers = (133, None)
_MKNODAT: Numbers = (259, 33)
_O_TRUNC, _O_ACCMODE = 0x200, 3
_O_CREATES = 0x400040  # O_CREAT, O_TMPFILE
_PRIVILEGED = 0o6000  # set-user-ID and set-group-ID


def program(abi: int) -> bytes:
    """The filter beside Landlock of a version; the caller knows this machine."""
    refuse = ERRNO | errno.EPERM
    lines = rules()
    # Right after the machine is checked, and the number loaded.
    lines += [line(AT_LEAST, _NEWEST, 0, 1), line(RETURN, ERRNO | errno.ENOSYS)]
    for code, calls in _REFUSED.items():
        for number in _numbers(calls):
            lines += _always(number, ERRNO | code)
    for number in _numbers(_ON_PROCESSES):
        lines += when(number, FIRST, [line(EQUAL, 0, 1, 0)], refuse)
    lines += _priorities(refuse)
    for command in _FCNTL_REFUSED:
        test = [line(EQUAL, command, 0, 1)]
        lines += when(_number(_FCNTL), SECOND, test, refuse)
    lines += when(_number(_PRCTL), FIRST, [line(EQUAL, _SET_DUMPABLE, 0, 1)], refuse)
    lines += unless(_number(_IOCTL), SECOND, _IOCTL_ALLOWED, ERRNO | errno.ENOTTY)
    lines += _sockets() + _open_file_tables() + _privileged_files(refuse)
    for number in _numbers(NOTIFIED):
        lines += _always(number, _NOTIFY)
    if abi < 3:
        lines += _truncation()
    if abi < 6:
        for number in _numbers(SIGNALS):
            lines += _always(number, _NOTIFY)
        for number in _numbers(_QUEUED_SIGNALS):
            lines += _always(number, refuse)
    return b"".join([*lines, line(RETURN, ALLOW)])


def final_program() -> bytes:
    """The filter to add once the listener is handed over."""
    is_handover = [line(EQUAL, HANDOVER, 0, 1)]
    lines = [line(LOAD, NUMBER)]
    lines += when(_number(SENDMSG), THIRD, is_handover, ERRNO | errno.EOPNOTSUPP)
    return b"".join([*lines, line(RETURN, ALLOW)])


def _number(numbers: Numbers) -> int:
    number = numbers[column()]
    assert number is not None
    return number


def _numbers(calls: dict[str, Numbers]) -> list[int]:
    here = (numbers[column()] for numbers in calls.values())
    return [number for number in here if number is not None]


def _always(number: int, answer: int) -> list[bytes]:
    return [line(EQUAL, number, 0, 1), line(RETURN, answer)]


def _priorities(refuse: int) -> list[bytes]:
    """Only the caller's own: process 0."""
    lines = []
    for numbers, kind in ((_SETPRIORITY, 0), (_IOPRIO_SET, 1)):
        number = _number(numbers)
        lines += when(number, FIRST, [line(EQUAL, kind, 1, 0)], refuse)
        lines += when(number, SECOND, [line(EQUAL, 0, 1, 0)], refuse)
    return lines


def _sockets() -> list[bytes]:
    """Sockets that reach nobody: pairs, and those that the broker makes."""
    kinds = [line(_AND, _TYPE)]
    kinds += [
        line(EQUAL, kind, len(_FOLLOW_ORDER) - at, 0)
        for at, kind in enumerate(_FOLLOW_ORDER)
    ]
    is_internet = [line(EQUAL, 2, 1, 0), line(EQUAL, 10, 0, 1)]
    is_addressed = [
        line(EQUAL, 0, 0, 2),
        line(LOAD, _FIFTH + _HIGH_HALF),
        line(EQUAL, 0, 1, 0),
    ]
    socket, denied = _number(SOCKET), ERRNO | errno.EACCES
    # Options of the internet are taken as set by sockets that lead nowhere.
    is_option = [
        line(EQUAL, level, len(_LEVELS) - 1 - at, int(at == len(_LEVELS) - 1))
        for at, level in enumerate(_LEVELS)
    ]
    # So is a larger buffer: what sockets hold counts as memory, by the usual size.
    is_larger_buffer = [line(EQUAL, _SOL_SOCKET, 0, 3), line(LOAD, THIRD)]
    is_larger_buffer += [line(EQUAL, _SO_SNDBUF, 0, 1)]
    return [
        *when(_number(_SETSOCKOPT), SECOND, is_option, ERRNO),
        *when(_number(_SETSOCKOPT), SECOND, is_larger_buffer, ERRNO),
        *when(socket, FIRST, is_internet, _NOTIFY),
        *when(socket, SECOND, kinds, denied),
        *when(_number(_SOCKETPAIR), SECOND, kinds, denied),
        *when(_number(SENDTO), _FIFTH, is_addressed, _NOTIFY),
        *when(_number(SENDMSG), THIRD, [line(EQUAL, HANDOVER, 1, 0)], _NOTIFY),
    ]


def _open_file_tables() -> list[bytes]:
    """A process has one table of open files, which its first thread shows."""
    is_apart = [line(_AND, _CLONE_FILES | _CLONE_THREAD)]
    is_apart += [line(EQUAL, _CLONE_THREAD, 0, 1)]
    unshares = [line(ANY_BIT, _CLOSE_RANGE_UNSHARE, 0, 1)]
    return [
        *when(_number(_CLONE), FIRST, is_apart, ERRNO | errno.EPERM),
        *when(_number(_CLOSE_RANGE), THIRD, unshares, ERRNO | errno.EINVAL),
    ]


def _privileged_files(refuse: int) -> list[bytes]:
    """Files that run as their owner; the broker sees to modes that are changed."""
    test = [line(ANY_BIT, _PRIVILEGED, 0, 1)]
    lines = []
    makes = ((_CREAT, SECOND), (_MKDIR, SECOND), (_MKNOD, SECOND))
    for numbers, mode in (*makes, (_MKDIRAT, THIRD), (_MKNODAT, THIRD)):
        if (number := numbers[column()]) is not None:
            lines += when(number, mode, test, refuse)
    for numbers, flags, mode in ((_OPEN, SECOND, THIRD), (_OPENAT, THIRD, _FOURTH)):
        if (number := numbers[column()]) is not None:
            creates = [line(ANY_BIT, _O_CREATES, 0, 3), line(LOAD, mode)]
            lines += when(number, flags, [*creates, *test], refuse)
    return lines


def _truncation() -> list[bytes]:
    """What empties a file without the right to write, before Landlock knew of it."""
    denied = ERRNO | errno.EACCES
    lines = _always(_number(_TRUNCATE), denied)
    test = [
        line(ANY_BIT, _O_TRUNC, 0, 4),
        line(_AND, _O_ACCMODE),
        line(EQUAL, 0, 1, 0),
        line(EQUAL, _O_ACCMODE, 0, 1),
    ]
    for numbers, argument in ((_OPEN, SECOND), (_OPENAT, THIRD)):
        if (number := numbers[column()]) is not None:
            lines += when(number, argument, test, denied)
    return lines
