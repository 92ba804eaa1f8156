"""Archives of strangers: what is safe is read, everything else is refused."""

import gzip
import io
import os
import stat
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.errors import RefusedError
from skillforge.share import archive_reader
from skillforge.share.archive_reader import unpacked
from tests import raw_trees
from tests.share.hubs import files_of, tar_gz, zipped

FILES = files_of("csv-tables")


def odd(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info


def odd_zip(name: str, mode: int = 0o100644) -> tuple[zipfile.ZipInfo, bytes]:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info, b"x"


@pytest.mark.parametrize("pack", [tar_gz, zipped])
@pytest.mark.parametrize("wrapper", ["", "csv-tables/"], ids=["root", "wrapper"])
def test_files_come_out_as_they_went_in(pack: object, wrapper: str) -> None:
    data = pack({f"{wrapper}{path}": content for path, content in FILES.items()})  # type: ignore[operator]

    assert {path: file.data for path, file in unpacked(data).items()} == FILES


def test_an_executable_stays_one() -> None:
    files = unpacked(tar_gz({**FILES, "scripts/run.py": b"print(1)\n"}))

    assert files["scripts/run.py"].is_executable
    assert not files["SKILL.md"].is_executable


def test_a_folder_packed_with_dots_is_taken() -> None:
    files = unpacked(tar_gz({f"./{path}": content for path, content in FILES.items()}))

    assert files.keys() == FILES.keys()


@pytest.mark.parametrize(
    "member",
    [
        pytest.param(odd("link", tarfile.SYMTYPE, "SKILL.md"), id="symlink"),
        pytest.param(odd("link", tarfile.SYMTYPE, "/etc/passwd"), id="symlink-out"),
        pytest.param(odd("hard", tarfile.LNKTYPE, "SKILL.md"), id="hardlink"),
        pytest.param(odd("pipe", tarfile.FIFOTYPE), id="fifo"),
        pytest.param(odd("tty", tarfile.CHRTYPE), id="device"),
        pytest.param(odd("disk", tarfile.BLKTYPE), id="block-device"),
        pytest.param(odd("../escape"), id="parent"),
        pytest.param(odd("a/../../escape"), id="parent-inside"),
        pytest.param(odd("/etc/cron.d/x"), id="absolute"),
        pytest.param(odd("C:/x"), id="drive"),
        pytest.param(odd("a\\..\\x"), id="backslash"),
        pytest.param(odd("skill.md"), id="case-collision"),
        pytest.param(odd("SKILL.md"), id="twice"),
        pytest.param(odd("references"), id="file-for-folder"),
        pytest.param(odd(".git/hooks/post-checkout"), id="git"),
        pytest.param(odd("a\nb"), id="control"),
        pytest.param(odd("cafe\u0301"), id="respelled"),
        pytest.param(odd("a\u202eb"), id="bidi"),
        pytest.param(odd("x" * 300), id="long"),
        pytest.param(odd("nul.txt"), id="windows"),
    ],
)
def test_a_hostile_member_of_a_tar_stops_it(member: tarfile.TarInfo) -> None:
    with pytest.raises(RefusedError, match="refused"):
        unpacked(tar_gz(FILES, member))


@pytest.mark.parametrize(
    "member",
    [
        pytest.param(odd_zip("link", stat.S_IFLNK | 0o777), id="symlink"),
        pytest.param(odd_zip("pipe", stat.S_IFIFO | 0o644), id="fifo"),
        pytest.param(odd_zip("tty", stat.S_IFCHR | 0o644), id="device"),
        pytest.param(odd_zip("../escape"), id="parent"),
        pytest.param(odd_zip("/absolute"), id="absolute"),
        pytest.param(odd_zip("D:\\x"), id="drive"),
        pytest.param(odd_zip("Skill.MD"), id="case-collision"),
        pytest.param(odd_zip("references/GUIDE.md"), id="case-collision-inside"),
    ],
)
def test_a_hostile_member_of_a_zip_stops_it(
    member: tuple[zipfile.ZipInfo, bytes],
) -> None:
    with pytest.raises(RefusedError, match="refused"):
        unpacked(zipped(FILES, member))


@pytest.mark.parametrize("pack", [tar_gz, zipped])
def test_a_bomb_is_not_unpacked(pack: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_reader, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(archive_reader, "_TAR_EXTRA", 1 << 16)
    data = pack({**FILES, "zeros": bytes(4 << 20)})  # type: ignore[operator]
    assert len(data) < 20_000

    with pytest.raises(RefusedError, match="more than 1 MiB"):
        unpacked(data)


@pytest.mark.parametrize("pack", [tar_gz, zipped])
def test_too_many_files_are_refused(pack: object) -> None:
    many = {**FILES, **{f"references/{n}": b"" for n in range(1001)}}

    with pytest.raises(RefusedError, match="more than 1,000 files"):
        unpacked(pack(many))  # type: ignore[operator]


def test_a_zip_with_wrong_sizes_is_refused() -> None:
    data = bytearray(zipped({**FILES, "big": b"a" * 5000}))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")

    with pytest.raises(RefusedError, match="refused"):
        unpacked(bytes(data))


def test_an_encrypted_zip_is_refused() -> None:
    data = bytearray(zipped(FILES))
    at = data.find(b"PK\x01\x02")
    data[at + 8] |= 1

    with pytest.raises(RefusedError, match="encrypted"):
        unpacked(bytes(data))


def test_a_sparse_tar_is_refused() -> None:
    info = odd("sparse", tarfile.GNUTYPE_SPARSE)

    with pytest.raises(RefusedError):
        unpacked(tar_gz(FILES, info))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"hello", id="text"),
        pytest.param(tar_gz(FILES)[:-20], id="cut"),
        pytest.param(zipped(FILES)[:-40], id="cut-zip"),
        pytest.param(gzip.compress(b"hello"), id="no-tar"),
        pytest.param(tar_gz({"README.md": b"hi"}), id="no-skill"),
        pytest.param(tar_gz({}), id="nothing"),
        pytest.param(
            tar_gz({"a/SKILL.md": b"x", "b/SKILL.md": b"y"}), id="two-wrappers"
        ),
    ],
)
def test_an_archive_without_a_skill_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedError):
        unpacked(data)


def test_a_huge_table_of_contents_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_reader, "_MOST_DIRECTORY", 100)

    with pytest.raises(RefusedError, match="more than"):
        unpacked(zipped(FILES))


def block(
    name: str, kind: bytes, content: bytes = b"", size: int | None = None
) -> bytes:
    """A header with its content, as no tar program need ever have written it."""
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, len(content) if size is None else size
    header = info.tobuf(tarfile.GNU_FORMAT)
    return header + content + bytes(-len(content) % 512)


def record(key: str, value: str) -> bytes:
    rest = f" {key}={value}\n".encode()
    length = len(rest) + len(str(len(rest) + 2))
    return str(length).encode() + rest


def before_the_files(*blocks: bytes) -> bytes:
    return gzip.compress(b"".join(blocks) + gzip.decompress(tar_gz(FILES)), mtime=0)


MANY_KEYS = b"".join(record(f"k{n:06}", "v") for n in range(100_000))
AGAIN = block("x", b"x", record("a", "b")) + block("empty", b"0")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(
            before_the_files(block("x", b"L", b"name\0") * 3000), id="long-name-chain"
        ),
        pytest.param(before_the_files(block("x", b"x") * 3000), id="pax-chain"),
        pytest.param(
            before_the_files(block("x", b"x", b"9" * 200_000)), id="pax-digits"
        ),
        pytest.param(
            before_the_files(block("x", b"x", b"12 hdrcharset=" + b"0" * 400_000)),
            id="pax-charset",
        ),
        pytest.param(
            before_the_files(block("x", b"g", MANY_KEYS), AGAIN * 400),
            id="pax-global-copied",
        ),
        pytest.param(
            before_the_files(block("x", b"x", record("size", "512"))), id="pax-size"
        ),
        pytest.param(
            before_the_files(block("x", b"x", record("GNU.sparse.map", "0,1"))),
            id="pax-sparse",
        ),
        pytest.param(
            before_the_files(block("x", b"g", record("path", "x"))),
            id="pax-global-path",
        ),
        pytest.param(before_the_files(block("x", b"x", b"99 a=b\n")), id="pax-length"),
        pytest.param(before_the_files(block("x", b"0", size=-512)), id="negative-size"),
        pytest.param(before_the_files(block("x", b"0", size=1 << 60)), id="huge-size"),
        pytest.param(
            tar_gz(FILES) + gzip.compress(b"") * 100_000, id="many-gzip-streams"
        ),
    ],
)
def test_an_archive_made_to_be_slow_is_refused_at_once(data: bytes) -> None:
    start = time.process_time()

    with pytest.raises(RefusedError, match="refused"):
        unpacked(data)

    assert time.process_time() - start < 2


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_paths_of_either_format_are_read(form: int) -> None:
    path = f"references/{'long-' * 20}/{'é' * 100}.md"
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for name, data in {**FILES, path: b"x"}.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1.5
            tar.addfile(info, io.BytesIO(data))

    assert unpacked(gzip.compress(out.getvalue())).keys() == {*FILES, path}


def test_an_archive_of_git_is_read(tmp_path: Path) -> None:
    """Git names the commit in a global header."""
    for path, data in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    raw_trees.git(tmp_path, "init", "--quiet")
    raw_trees.git(tmp_path, "add", ".")
    raw_trees.git(tmp_path, "commit", "--quiet", "--message", "x")
    raw_trees.git(tmp_path, "archive", "--output", "x.tar.gz", "HEAD")

    assert unpacked((tmp_path / "x.tar.gz").read_bytes()).keys() == FILES.keys()


def test_a_table_of_contents_hidden_behind_another_is_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Within the last record, where no reader but a careless one finds another."""
    data = bytearray(zipped(FILES))
    end = data.rfind(b"PK\x05\x06")
    data[end + 4 : end + 8] = b"PK\x05\x06"
    monkeypatch.setattr(archive_reader, "_MOST_DIRECTORY", 100)

    with pytest.raises(RefusedError, match="follows it"):
        unpacked(bytes(data))


PATHS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


@given(st.dictionaries(PATHS, st.binary(max_size=20), max_size=4))
def test_accepted_files_can_be_written_inside_a_folder(
    more: dict[str, bytes],
) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, data in (*FILES.items(), *more.items()):
            archive.writestr(zipfile.ZipInfo(path), data)
    try:
        files = unpacked(out.getvalue())
    except RefusedError:
        return
    with tempfile.TemporaryDirectory() as folder:
        for path, file in files.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.data)
            assert Path(os.path.realpath(target)).is_relative_to(
                os.path.realpath(folder)
            )


@given(st.binary(max_size=300), st.sampled_from([b"", b"\x1f\x8b", b"PK\x03\x04"]))
def test_any_bytes_are_files_or_refused(data: bytes, start: bytes) -> None:
    with pytest.raises(RefusedError):
        unpacked(start + data)
