"""What every sandbox keeps, tried on each that this machine has."""

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from skillforge import plugins, sandbox
from skillforge.sandbox import (
    MB,
    ROOT,
    Job,
    JobResult,
    Limits,
    Sandbox,
    WorkFile,
    container,
    system_paths,
)
from tests.plugin_example import install_example
from tests.sandbox.conftest import running

IMAGE = os.environ.get("SKILLFORGE_SANDBOX_IMAGE", "")  # before a test's clean-up
OPTIONS = os.environ.get("SKILLFORGE_SANDBOX_OPTIONS", "").split()
EXAMPLE = "the plugin of docs/extend.md"
Start = Callable[..., JobResult]


@contextmanager
def plugin_found(site: Path) -> Iterator[None]:
    """Find the plugins of a folder meanwhile, as if their packages were installed."""
    sys.path.insert(0, str(site))
    plugins.plugins.cache_clear()
    try:
        yield
    finally:
        sys.path.remove(str(site))
        sys.modules.pop("acme_sandbox", None)
        plugins.plugins.cache_clear()


@cache
def usable(name: str) -> tuple[Sandbox, list[str]]:
    box = sandbox.backend(name)
    if isinstance(box, container.Container):
        box.image = IMAGE or box.image
        box.options = OPTIONS
    return box, box.gaps()


@cache
def usable_plugin() -> tuple[Sandbox, list[str]]:
    """The sandbox that docs/extend.md shows."""
    with TemporaryDirectory() as folder, plugin_found(Path(folder)):
        install_example("Sandboxes", Path(folder))
        box = sandbox.backend("small")
        return box, box.gaps()


@pytest.fixture(params=(*sandbox.names(), EXAMPLE))
def box(request: pytest.FixtureRequest) -> Sandbox:
    is_example = request.param == EXAMPLE
    found, gaps = usable_plugin() if is_example else usable(request.param)
    if gaps:
        pytest.skip(f"{request.param} is not here: {gaps[0]}")
    return found


@pytest.fixture
def start(box: Sandbox, tmp_path: Path) -> Start:
    folder = tmp_path / "skill"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "hello.sh").write_text("echo hello $1\n")

    def call(*argv: str, limits: Limits | None = None, **more: object) -> JobResult:
        job = Job(argv, folder, limits=limits or Limits(seconds=20))
        return box.run(replace(job, **more))  # type: ignore[arg-type]

    return call


def test_a_job_runs_and_its_end_is_seen(start: Start) -> None:
    ended = start("sh", "-c", "cat; echo oops >&2; exit 3", stdin=b"in\0put\n")

    assert (ended.code, ended.out, ended.err) == (3, b"in\0put\n", b"oops\n")
    assert not ended.limit
    assert not ended.triggered
    assert not ended.tried_to_connect


def test_it_finds_its_skill_its_files_and_its_variables(start: Start) -> None:
    ended = start(
        *("sh", "-c", 'sh scripts/hello.sh "$WHO"; cat a/b.txt; ./run; pwd'),
        files={"a/b.txt": b"text\n", "run": b"#!/bin/sh\necho run\n"},
        links={"scripts": f"{ROOT}/skill/scripts"},
        env={"WHO": "you there"},
    )

    assert ended.out == b"hello you there\ntext\nrun\n/work\n", ended


def test_its_input_can_be_opened_by_name(start: Start) -> None:
    assert start("sh", "-c", "cat </dev/stdin", stdin=b"x").out in (b"x", b"")


def test_files_are_brought_back_as_they_are(start: Start) -> None:
    script = "mkdir d; printf 'a\\0b' > d/f; ln -s /etc/passwd l; mkfifo p; touch e"
    paths = ("d", "d/f", "l", "p", "e", "none", "l/x", "d/f/x")

    found = start("sh", "-c", script, collect=paths).files

    assert found["d/f"] == WorkFile("file", b"a\0b")
    assert found["e"] == WorkFile("file", b"")
    assert {path: file.kind for path, file in found.items() if file.kind != "file"} == {
        "d": "folder",
        "l": "link",
        "p": "other",
        "l/x": "unreadable",
        "d/f/x": "unreadable",
    }


def test_a_large_file_is_brought_back_in_part(start: Start) -> None:
    ended = start("sh", "-c", "yes | head -c 3000000 > f", collect=("f",))

    assert len(ended.files["f"].data) == MB


def test_only_the_work_directory_can_be_written(start: Start) -> None:
    script = """
for place in / $SKILL_DIR $SKILL_DIR/scripts ~ /usr /etc /var /tmp/.. /proc/sys; do
  touch $place/x 2>/dev/null && echo "wrote $place"
done
touch x && echo work
"""
    assert start("sh", "-c", script).out == b"work\n"


def test_what_is_private_below_the_system_is_not_there(
    start: Start, box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isinstance(box, container.Container):
        pytest.skip("an image has a system of its own")
    places = ("/usr/share", os.path.realpath("/lib/python3"))
    private = [path for path in places if Path(path).is_dir()]
    monkeypatch.setattr(system_paths, "private_folders", lambda: private)

    ended = start("sh", "-c", "ls /usr/share /lib/python3 | grep -v :; ls -d /usr/bin")

    assert ended.out.split() == [b"/usr/bin"]


def test_data_below_usr_local_is_private(tmp_path: Path) -> None:
    for path in ("bin", "lib", "share", "etc", "src", "var/data", "node/bin", "conf.d"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "man").symlink_to("share")

    found = system_paths.local_data(str(tmp_path))

    assert {Path(path).name for path in found} == {"etc", "src", "var", "conf.d"}
    assert not any(sys.base_prefix.startswith(path) for path in found)


def test_a_job_has_no_open_file_of_ours(start: Start) -> None:
    """Such as the namespace of users, which bubblewrap keeps open for root."""
    script = """
import os
for number in range(3, 1000):
    try:
        os.fstat(number)
        print(number, os.readlink(f'/proc/self/fd/{number}'))
    except OSError:
        pass
"""
    ended = start("python3", "-c", script)

    assert (ended.code, ended.out) == (0, b"")


RIGHTS = """
import ctypes, json, os
libc = ctypes.CDLL(None)
head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert libc.capget(head, data) == 0
print(json.dumps({
    "user": os.getuid(),
    "capabilities": list(data),
    "no_new_privileges": libc.prctl(39, 0, 0, 0, 0),
    "filter": libc.prctl(21, 0, 0, 0, 0),
}))
"""


def test_the_job_runs_without_rights_as_nobody(start: Start, box: Sandbox) -> None:
    """Without namespaces only root can be somebody else."""
    rights = json.loads(start("python3", "-c", RIGHTS).out)

    assert rights == {
        "user": os.getuid() or 65534 if box.name == "landlock" else 65534,
        "capabilities": [0] * 6,
        "no_new_privileges": 1,
        "filter": 2,
    }


def test_there_is_no_network(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 3)"

        ended = start("python3", "-c", code)

        assert ended.code == 1
        assert b"refused" in ended.err
        assert ended.tried_to_connect
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()


def test_reading_a_planted_secret_is_reported(start: Start) -> None:
    quiet = start("sh", "-c", "ls ~/.ssh", has_traps=True)
    loud = start(
        *("sh", "-c", "cat ~/.ssh/id_ed25519 >/dev/null; echo $GITHUB_TOKEN"),
        has_traps=True,
    )

    assert quiet.triggered == ()
    assert quiet.out == b"id_ed25519\n"
    assert len(loud.triggered) == 2
    assert any(
        "it read /home/agent/.ssh/id_ed25519" in message for message in loud.triggered
    )


@pytest.mark.parametrize(
    ("script", "limits", "says"),
    [
        pytest.param(
            "import time; time.sleep(60)", {"seconds": 1.5}, "longer than", id="time"
        ),
        pytest.param(
            "x = []\nwhile True: x.append(bytearray(1 << 20))",
            {"memory": 128 * MB},
            "128 MB of memory",
            id="memory",
        ),
        pytest.param(
            "import os, time\nfor _ in range(200):\n try:\n"
            "  if os.fork() == 0: time.sleep(15); os._exit(0)\n"
            " except OSError: pass\ntime.sleep(1)",
            {"processes": 20},
            "more than 20 processes",
            id="processes",
        ),
        pytest.param(
            "while True: print('x' * 10000)",
            {"output": 50_000},
            "wrote more than 50,000 bytes",
            id="output",
        ),
        pytest.param(
            "try:\n open('f', 'wb').write(bytes(9 << 20))\nexcept OSError: pass",
            {"work_size": 4 * MB},
            "full (4 MB)",
            id="disk",
        ),
    ],
)
def test_a_limit_ends_it_and_is_named(
    start: Start, script: str, limits: dict[str, int], says: str
) -> None:
    begin = time.monotonic()

    ended = start("python3", "-c", script, limits=Limits(**{"seconds": 15, **limits}))

    assert says in ended.limit
    assert ended.is_timeout is ("longer" in says)
    assert len(ended.out) <= limits.get("output", MB)
    assert time.monotonic() - begin < 14


@pytest.mark.parametrize(
    ("script", "limits"),
    [
        pytest.param("while True: pass", {"cpu_seconds": 1}, id="processor"),
        pytest.param(
            "x = [open('/dev/null') for _ in range(100)]", {"open_files": 50}, id="open"
        ),
        pytest.param(
            "open('f', 'wb').write(bytes(3 << 20))", {"file_size": MB}, id="file-size"
        ),
    ],
)
def test_a_limit_of_each_process_holds(
    start: Start, script: str, limits: dict[str, int]
) -> None:
    ended = start("python3", "-c", script, limits=Limits(**{"seconds": 15, **limits}))

    assert ended.code != 0
    assert not ended.is_timeout


def test_the_processor_time_of_all_processes_counts(start: Start, box: Sandbox) -> None:
    script = """
import os
for _ in range(4):
    os.fork()
while True: pass
"""
    limits = Limits(seconds=15, cpu_seconds=2)

    ended = start("python3", "-c", script, limits=limits)

    assert ended.limit
    # A container counts for each of them, and takes longer.
    if box.name in ("bubblewrap", "landlock"):
        assert "2 s of CPU time" in ended.limit


def test_a_leftover_changes_nothing_after_the_end(start: Start) -> None:
    script = "(while :; do date +%N > out; done) & echo first > out; sleep 0.2"

    ended = start("sh", "-c", script, collect=("out",))

    assert ended.files["out"].kind == "file"
    assert len(ended.files["out"].data) in (0, 10)


def test_nothing_of_it_is_left(start: Start) -> None:
    mark = f"76543.{os.getpid()}"
    script = f"(trap '' TERM HUP; setsid sleep {mark}) & sleep 0.3; echo started"

    ended = start("sh", "-c", script)

    assert ended.out == b"started\n"
    assert not running(mark)


def test_a_program_that_is_not_there_is_a_failure(start: Start) -> None:
    ended = start("no-such-program")

    assert ended.code in (126, 127)
    assert b"no-such-program" in ended.err
