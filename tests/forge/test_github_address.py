"""Which GitHub a remote means, and which token is shown to whom."""

import os
from pathlib import Path

import pytest

from skillforge.errors import RequestError, ToolError
from skillforge.forge.github_address import (
    GitHubRepository,
    find,
    find_token,
    is_github,
)
from skillforge.gitrepo.remote import token_access


@pytest.mark.parametrize(
    ("url", "api"),
    [
        ("https://github.com/acme/skills.git", "https://api.github.com"),
        ("https://github.com/acme/skills", "https://api.github.com"),
        ("https://user:secret@github.com/acme/skills/", "https://api.github.com"),
        ("git@github.com:acme/skills.git", "https://api.github.com"),
        ("ssh://git@github.com/acme/skills.git", "https://api.github.com"),
        ("ssh://git@ssh.github.com:443/acme/skills.git", "https://api.github.com"),
        ("git@acme.ghe.com:acme/skills.git", "https://api.acme.ghe.com"),
        ("git@github.acme.example:acme/skills", "https://github.acme.example/api/v3"),
        ("https://git.example:8443/acme/skills", "https://git.example:8443/api/v3"),
    ],
)
def test_a_url_names_a_place(url: str, api: str) -> None:
    place = find(url)

    assert place is not None
    assert (place.owner, place.name) == ("acme", "skills")
    assert place.api == api
    assert "secret" not in str(place)


@pytest.mark.parametrize(
    "url",
    [
        "/srv/git/skills.git",
        "../skills",
        "file:///srv/skills",
        "https://x.example/a",
        "https://x.example/a/b/c",
        "",
    ],
)
def test_other_remotes_are_not_github_repositories(url: str) -> None:
    assert find(url) is None


def test_a_host_that_is_named_counts_for_more() -> None:
    place = find("git@alias:acme/skills.git", "github.acme.example")

    assert place is not None
    assert place.api == "https://github.acme.example/api/v3"
    with pytest.raises(RequestError):
        find("git@alias:acme/skills.git", "ftp://x")


@pytest.mark.parametrize(
    ("url", "known"),
    [
        ("https://github.com/a/b", True),
        ("https://a.ghe.com/a/b", True),
        ("https://github.corp.example/a/b", True),
        ("https://gitlab.com/a/b", False),
        ("https://notgithub.com/a/b", False),
        ("https://github.com.evil.example/a/b", True),  # named so, but gets no token
    ],
)
def test_what_is_known_to_be_github(url: str, known: bool) -> None:
    place = find(url)

    assert place is not None
    assert is_github(place) is known


@pytest.fixture
def _no_gh(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith(("GH_", "GITHUB_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", "")


@pytest.mark.usefixtures("_no_gh")
def test_a_token_of_github_com_is_for_github_com(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_public")
    ours = GitHubRepository("https://github.com", "a", "b")
    theirs = GitHubRepository("https://github.com.evil.example", "a", "b")

    assert find_token(ours, is_named=False) == "ghp_public"
    with pytest.raises(ToolError, match="no token for github"):
        find_token(theirs, is_named=False)
    assert find_token(theirs, is_named=True) == "ghp_public"
    monkeypatch.setenv("GH_ENTERPRISE_TOKEN", "ghp_corp")
    with pytest.raises(ToolError):  # nobody but a clone's configuration names it
        find_token(theirs, is_named=False)
    assert find_token(theirs, is_named=True) == "ghp_corp"
    assert find_token(ours, is_named=True) == "ghp_public"


def test_git_shows_a_token_to_one_host_only() -> None:
    env = token_access("https://github.com", "ghp_public")

    assert env["GIT_CONFIG_COUNT"] == "2"
    assert env["GIT_CONFIG_KEY_0"] == env["GIT_CONFIG_KEY_1"]
    assert env["GIT_CONFIG_KEY_1"] == "http.https://github.com/.extraHeader"
    assert env["GIT_CONFIG_VALUE_0"] == ""  # resets the configuration


def test_what_the_environment_tells_git_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "3")

    assert token_access("https://github.com", "x")["GIT_CONFIG_COUNT"] == "5"
    assert "GIT_CONFIG_KEY_0" not in token_access("https://github.com", "x")


@pytest.mark.usefixtures("_no_gh")
def test_a_token_does_not_travel_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_public")

    with pytest.raises(RequestError, match="unencrypted"):
        find_token(GitHubRepository("http://github.com", "a", "b"), is_named=True)


@pytest.mark.usefixtures("_no_gh")
def test_gh_is_asked_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gh = tmp_path / "gh"
    gh.write_text(
        '#!/bin/sh\n[ "$*" = "auth token --hostname github.com" ] && echo gho_from_gh\n'
    )
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    place = GitHubRepository("https://github.com", "a", "b")

    assert find_token(place, is_named=False) == "gho_from_gh"
    monkeypatch.setenv("GH_TOKEN", "ghp_second")
    assert find_token(place, is_named=False) == "ghp_second"
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_first")
    assert find_token(place, is_named=False) == "ghp_first"
