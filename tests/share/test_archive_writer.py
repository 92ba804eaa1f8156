"""Archives that anybody can make again, byte for byte."""

import gzip
import io
import os
import tarfile
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.errors import RequestError
from skillforge.model import DraftFile
from skillforge.share.archive_writer import skill_zip, tar_gz

names = st.from_regex(r"[a-z]{1,8}(/[a-zé]{1,8}\.md)?", fullmatch=True)
folders = st.dictionaries(
    names, st.builds(DraftFile, st.binary(max_size=200_000), st.booleans()), max_size=4
)


@given(folders)
def test_a_tar_holds_the_files_at_its_root(files: dict[str, DraftFile]) -> None:
    with tarfile.open(fileobj=io.BytesIO(tar_gz(files))) as archive:
        members = {member.name: member for member in archive.getmembers()}
        data = {
            name: archive.extractfile(member).read()  # type: ignore[union-attr]
            for name, member in members.items()
        }

    assert data == {path: file.data for path, file in files.items()}
    assert {n: member.mode == 0o755 for n, member in members.items()} == {
        path: file.is_executable for path, file in files.items()
    }
    assert all(
        member.isreg() and not member.mtime and not member.uname
        for member in members.values()
    )


@given(folders)
def test_a_package_holds_them_in_a_folder(files: dict[str, DraftFile]) -> None:
    with zipfile.ZipFile(io.BytesIO(skill_zip("csv", files))) as archive:
        members = {
            member.filename: archive.read(member) for member in archive.infolist()
        }
        assert archive.testzip() is None

    assert members == {f"csv/{path}": file.data for path, file in files.items()}


def test_no_compressor_has_a_part_in_it() -> None:
    """What zlib makes of its input depends on its version, and on whose it is."""
    data = b"all the same " * 20_000
    archive_bytes = tar_gz({"SKILL.md": DraftFile(data)})

    assert gzip.decompress(archive_bytes)
    assert len(archive_bytes) > len(data)
    assert archive_bytes[10] == 0  # a stored block, and not the last
    assert zlib.decompress(archive_bytes, 31)


def test_they_are_the_same_for_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"b.md": DraftFile(b"b"), "a.sh": DraftFile(b"a", True)}
    before = tar_gz(files), skill_zip("x", files)
    monkeypatch.setenv("TZ", "Pacific/Apia")
    old = os.umask(0o077)
    try:
        again = dict(reversed(files.items()))
        assert (tar_gz(again), skill_zip("x", again)) == before
    finally:
        os.umask(old)


@pytest.mark.parametrize("length", [100, 101, 155, 190])
def test_a_long_path_is_read_back(length: int) -> None:
    path = f"{'a' * 90}/{'b' * (length - 91)}"
    archive_bytes = tar_gz({path: DraftFile(b"data")})

    with tarfile.open(fileobj=io.BytesIO(archive_bytes)) as archive:
        assert archive.getnames() == [path]


def test_a_path_that_no_client_could_unpack_is_refused() -> None:
    with pytest.raises(RequestError, match="too long"):
        tar_gz({"a" * 300: DraftFile(b"")})
