"""Runs one job under Landlock, in separate processes.

The supervisor reads a specification from a file, confines a child and executes the
program in it. It answers the child's system calls, measures what all its processes use,
and kills them all at the end. It reports one line of JSON. Its standard input is a
lifeline: input, or the end of it, ends the job.

The supervisor's parent only waits for it. If the supervisor dies, the parent kills what
is left of the job; if Skillforge dies, it also removes the scratch folder.
"""

import array
import json
import os
import select
import socket
import time
from collections.abc import Mapping
from typing import Any, NoReturn

from skillforge.sandbox import Limits, confine, process_tree, work_files
from skillforge.sandbox.broker import Broker
from skillforge.sandbox.landlock_filter import HANDOVER, final_program, program

# Starts without the environment and installed packages.
CALL = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from skillforge.sandbox import launcher; launcher.main(*sys.argv[2:])"
)
_FIRST_LOOK, _LAST_LOOK = 0.01, 0.1  # seconds between two checks of its usage
_LIFELINE = 0


def main(path: str, report: str) -> NoReturn:
    """Run the job of a file, and report to a descriptor."""
    os.setsid()  # only the lifeline ends it, not a signal to Skillforge's group
    os.set_inheritable(int(report), False)
    confine.adopt_orphans()
    pid = os.fork()
    if pid == 0:
        _supervise(path, int(report))
    _, status = os.waitpid(pid, 0)
    process_tree.end_all()
    if _is_forsaken():
        work_files.remove_folder(os.path.dirname(path))
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _is_forsaken() -> bool:
    """Whether the process that started the launcher is gone."""
    lifeline = select.poll()
    lifeline.register(_LIFELINE, select.POLLIN)
    return lifeline.poll(0) == [(_LIFELINE, select.POLLHUP)]


def _supervise(path: str, report: int) -> NoReturn:
    with open(path, encoding="utf-8") as file:
        spec = json.load(file)
    answer: dict[str, Any] = {"limit": "", "connects": False, "error": ""}
    code = 125
    try:
        code = _run(spec, answer, report)
    except (OSError, ValueError) as err:
        answer["error"] = str(err)
    os.write(report, json.dumps(answer).encode())
    os._exit(code)


def _run(spec: Mapping[str, Any], answer: dict[str, Any], report: int) -> int:
    limits = Limits(**spec["limits"])
    confine.adopt_orphans()
    if spec["is_root"]:
        confine.become_nobody()
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        _become(spec, limits, theirs)
    theirs.close()
    try:
        broker = Broker(_listener(ours), spec["work"])
        os.write(report, b"\n")  # the job's time begins
        return _attend(pid, broker, limits, answer)
    finally:
        process_tree.end_all()


def _become(
    spec: Mapping[str, Any], limits: Limits, channel: socket.socket
) -> NoReturn:
    """In the child: confine it, pass the listener on, and execute the program."""
    try:
        confine.end_with_parent()
        confine.be_readable()
        os.setsid()
        os.chdir(spec["work"])
        stdin = os.open(spec["stdin"], os.O_RDONLY)
        os.dup2(stdin, 0)
        visible = process_tree.tasks_of(os.getuid())
        confine.limit(limits, confine.count_tasks(visible))
        os.umask(0o022)
        confine.forbid_privileges()
        rules = confine.LandlockRuleset(spec["abi"])
        rules.allow(spec["reads"], confine.READ)
        rules.allow(spec["devices"], confine.DEVICE)
        rules.allow([spec["work"]], confine.writing(spec["abi"]))
        calls, last_calls = program(spec["abi"]), final_program()
        rules.enforce()
        listener = array.array("i", [confine.filter_calls(calls)])
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, listener)
        channel.sendmsg([b"\n"], [rights], HANDOVER)
        confine.filter_calls(last_calls, has_listener=False)
    except BaseException as err:  # noqa: BLE001 - nothing may run half confined
        channel.sendall(str(err).encode("utf-8", "replace"))
        os._exit(125)
    _execute(spec["argv"], spec["env"])


def _execute(argv: list[str], env: dict[str, str]) -> NoReturn:
    try:
        confine.execute(argv, env)
    except (OSError, ValueError):
        name = argv[0].encode("utf-8", "replace")
        os.write(2, name + b" is not a program that can be run in the sandbox\n")
    os._exit(127)


def _listener(channel: socket.socket) -> int:
    """The descriptor of the child's calls; OSError if it could not be confined."""
    size = array.array("i").itemsize
    waiting = select.poll()
    waiting.register(_LIFELINE, select.POLLIN | select.POLLHUP)
    waiting.register(channel, select.POLLIN)
    if _LIFELINE in dict(waiting.poll()):
        raise OSError("it was killed before it started")
    error, extra, *_ = channel.recvmsg(1000, socket.CMSG_SPACE(size))
    if not extra:
        raise OSError(error.decode("utf-8", "replace") or "it exited immediately")
    listener = array.array("i")
    listener.frombytes(extra[0][2][:size])
    channel.close()
    return listener[0]


def _attend(pid: int, broker: Broker, limits: Limits, answer: dict[str, Any]) -> int:
    """Serve the job until it ends; its exit code, as in a shell."""
    usage = process_tree.TreeUsage(os.open("/proc", os.O_RDONLY), broker.work, limits)
    waiting = select.poll()
    waiting.register(_LIFELINE, select.POLLIN | select.POLLHUP)
    waiting.register(broker.listener, select.POLLIN)
    waiting.register(ended := os.pidfd_open(pid), select.POLLIN)
    pause = _FIRST_LOOK
    looks_at = time.monotonic() + pause
    while not answer["limit"]:
        left = max(0.0, looks_at - time.monotonic())
        ready = dict(waiting.poll(left * 1000))
        if ready.get(broker.listener, 0) & select.POLLIN:
            broker.answer()
        if _LIFELINE in ready or ended in ready:
            break
        if time.monotonic() >= looks_at:
            answer["limit"] = usage.excess()
            process_tree.reap(but=pid)
            pause = min(pause * 1.5, _LAST_LOOK)
            looks_at = time.monotonic() + pause
    answer["limit"] = answer["limit"] or usage.excess()
    status = os.waitid(os.P_PIDFD, ended, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    answer["connects"] = broker.tried_to_connect
    process_tree.end_all()
    answer["limit"] = answer["limit"] or usage.space()
    if status is None:
        return 137
    return status.si_status + (0 if status.si_code == os.CLD_EXITED else 128)
