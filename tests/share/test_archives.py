"""Archives of strangers: what is safe is read, everything else is refused."""

import gzip
import io
import os
import stat
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.errors import RefusedError
from skillforge.share import archives
from skillforge.share.archives import unpacked
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
    data = pack({f"{wrapper}{path}": it for path, it in FILES.items()})  # type: ignore[operator]

    assert {path: it.data for path, it in unpacked(data).items()} == FILES


def test_an_executable_stays_one() -> None:
    found = unpacked(tar_gz({**FILES, "scripts/run.py": b"print(1)\n"}))

    assert found["scripts/run.py"].is_executable
    assert not found["SKILL.md"].is_executable


def test_a_folder_packed_with_dots_is_taken() -> None:
    found = unpacked(tar_gz({f"./{path}": it for path, it in FILES.items()}))

    assert found.keys() == FILES.keys()


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
        pytest.param(odd("a/SKILL.md"), id="second-skill"),
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
    monkeypatch.setattr(archives, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(archives, "_TAR_EXTRA", 1 << 16)
    data = pack({**FILES, "zeros": bytes(4 << 20)})  # type: ignore[operator]
    assert len(data) < 20_000

    with pytest.raises(RefusedError, match="more than 1 MiB"):
        unpacked(data)


@pytest.mark.parametrize("pack", [tar_gz, zipped])
def test_too_many_files_are_refused(pack: object) -> None:
    many = {**FILES, **{f"references/{n}": b"" for n in range(1001)}}

    with pytest.raises(RefusedError, match="more than 1,000 files"):
        unpacked(pack(many))  # type: ignore[operator]


def test_a_zip_that_lies_about_its_sizes_is_refused() -> None:
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
def test_what_is_no_archive_of_a_skill_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedError):
        unpacked(data)


def test_a_huge_table_of_contents_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MOST_NAMES", 100)

    with pytest.raises(RefusedError, match="more than"):
        unpacked(zipped(FILES))


PATHS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


@given(st.dictionaries(PATHS, st.binary(max_size=20), max_size=4))
def test_whatever_is_taken_can_be_written_inside_a_folder(
    more: dict[str, bytes],
) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, data in (*FILES.items(), *more.items()):
            archive.writestr(zipfile.ZipInfo(path), data)
    try:
        found = unpacked(out.getvalue())
    except RefusedError:
        return
    with tempfile.TemporaryDirectory() as folder:
        for path, file in found.items():
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
