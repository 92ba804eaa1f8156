"""Cached results count only where this user's tool wrote them."""

from pathlib import Path

import pytest

from skillforge.store import Cache, cache_folder


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    cache = Cache.of(tmp_path / "git")
    cache.save_entries("scans", {"a": "[]"})
    return cache


def key() -> Path:
    return cache_folder() / "cache.key"


def test_what_was_kept_is_found_again(cache: Cache) -> None:
    assert cache.entries("scans", ["a", "b"]) == {"a": "[]"}
    assert key().stat().st_mode & 0o777 == 0o600
    assert list(cache_folder().iterdir()) == [key()]


def test_a_cache_that_came_with_a_repository_is_not_read(
    cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLFORGE_CACHE", str(tmp_path / "another-user"))

    assert cache.entries("scans", ["a"]) == {}


@pytest.mark.parametrize("mode", [0o644, 0o620], ids=["readable", "writable"])
def test_a_key_that_others_can_reach_is_not_used(cache: Cache, mode: int) -> None:
    key().chmod(mode)

    assert cache.entries("scans", ["a"]) == {}


def test_a_damaged_key_only_costs_time(cache: Cache) -> None:
    key().write_bytes(b"short")
    cache.save_entries("scans", {"b": "[]"})

    assert cache.entries("scans", ["a", "b"]) == {}


def test_without_a_place_for_the_key_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SKILLFORGE_CACHE", str(tmp_path / "file" / "cache"))
    cache = Cache.of(tmp_path / "git")
    cache.save_entries("scans", {"a": "[]"})

    assert cache.entries("scans", ["a"]) == {}
