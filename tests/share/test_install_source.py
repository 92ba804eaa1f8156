"""What a user types after `install`, and what it means."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.errors import RequestError
from skillforge.gitrepo import GitRepo
from skillforge.share.install_source import InstallSource, SourceKind, parse
from tests.share.hubs import write_hub


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "https://skills.example.org",
            InstallSource(SourceKind.HUB, "https://skills.example.org"),
            id="hub",
        ),
        pytest.param(
            "https://example.org/hub/@csv-tables",
            InstallSource(SourceKind.HUB, "https://example.org/hub/", "", "csv-tables"),
            id="hub-skill",
        ),
        pytest.param(
            "https://skills.example.org@csv-tables",
            InstallSource(
                SourceKind.HUB, "https://skills.example.org", "", "csv-tables"
            ),
            id="host-skill",
        ),
        pytest.param(
            "http://127.0.0.1:8000@csv",
            InstallSource(SourceKind.HUB, "http://127.0.0.1:8000", "", "csv"),
            id="loopback",
        ),
        pytest.param(
            "https://example.org/a.skill",
            InstallSource(SourceKind.ARCHIVE, "https://example.org/a.skill"),
            id="archive",
        ),
        pytest.param(
            "https://example.org/skills.git#v1.0.0@csv",
            InstallSource(
                SourceKind.GIT, "https://example.org/skills.git", "v1.0.0", "csv"
            ),
            id="git",
        ),
        pytest.param(
            "https://github.com/owner/name",
            InstallSource(SourceKind.GIT, "https://github.com/owner/name"),
            id="github",
        ),
        pytest.param(
            "git+https://example.org/skills#main",
            InstallSource(SourceKind.GIT, "https://example.org/skills", "main"),
            id="git-plus",
        ),
        pytest.param(
            "git@example.org:team/skills.git#v1",
            InstallSource(SourceKind.GIT, "git@example.org:team/skills.git", "v1"),
            id="scp",
        ),
        pytest.param(
            "ssh://git@example.org/skills",
            InstallSource(SourceKind.GIT, "ssh://git@example.org/skills"),
            id="ssh",
        ),
    ],
)
def test_a_source_is_understood(text: str, expected: InstallSource) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("http://example.org", "only https", id="http"),
        pytest.param("ftp://example.org/x", "only https", id="ftp"),
        pytest.param("git://example.org/x.git", "only https", id="git-protocol"),
        pytest.param("https://user:secret@example.org/x", "password", id="password"),
        pytest.param("https://[broken", "not a URL", id="broken"),
        pytest.param("https://example.org#../x", "tag or branch", id="tag-parent"),
        pytest.param(
            "https://example.org/x.git#--upload-pack=x", "tag", id="tag-option"
        ),
        pytest.param("https://example.org#v1@../x", "skill name", id="skill-parent"),
        pytest.param("https://example.org/x.git#v1@-rf", "skill name", id="skill-rf"),
        pytest.param("ext::sh -c touch% x", "no such file or folder", id="ext"),
        pytest.param("owner/name/more", "no such file or folder", id="shorthand"),
        pytest.param("", "not a source", id="empty"),
        pytest.param("a\x1b[31m", "not a source", id="control"),
    ],
)
def test_an_invalid_source_is_refused(text: str, words: str) -> None:
    with pytest.raises(RequestError, match=words):
        parse(text)


def test_a_shorthand_is_a_repository_on_github() -> None:
    source = parse("owner/name#v1.0.0@csv-tables")

    assert source.kind is SourceKind.GIT
    assert source.where == "https://github.com/owner/name.git"
    assert (source.tag, source.skill) == ("v1.0.0", "csv-tables")


def test_a_folder_that_exists_is_no_shorthand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "owner/name").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    assert parse("owner/name").kind is SourceKind.FOLDER


def test_the_kind_of_a_path_depends_on_its_content(tmp_path: Path) -> None:
    hub = write_hub(tmp_path / "hub@2", "csv-tables")
    repo = tmp_path / "repo"
    repo.mkdir()
    GitRepo.init(repo)
    (tmp_path / "a.skill").write_bytes(b"PK")
    (tmp_path / "plain").mkdir()

    kinds = {
        name: parse(str(tmp_path / name)).kind
        for name in ("hub@2", "repo", "a.skill", "plain")
    }

    assert list(kinds.values()) == [
        SourceKind.HUB,
        SourceKind.GIT,
        SourceKind.ARCHIVE,
        SourceKind.FOLDER,
    ]
    assert parse(f"{hub}@csv-tables").skill == "csv-tables"


@given(st.text(max_size=40))
def test_any_text_is_a_source_or_refused(text: str) -> None:
    try:
        source = parse(text)
    except RequestError:
        return
    assert not source.where.startswith("-") or Path(source.where).exists()
