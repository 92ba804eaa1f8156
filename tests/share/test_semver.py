"""Versions of releases."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.errors import RequestError
from skillforge.share.semver import SemVer, find, read

numbers = st.integers(0, 999_999_999)
words = st.from_regex(
    r"[a-z][0-9a-z-]{0,5}(\.(0|[1-9][0-9]{0,3})){0,2}", fullmatch=True
)
versions = st.builds(
    SemVer, numbers, numbers, numbers, st.just("") | words, st.just("") | words
)


@given(versions)
def test_a_written_version_is_read_back(version: SemVer) -> None:
    assert find(str(version)) == version
    assert find(version.tag) == version


def test_they_have_the_order_that_semver_gives_them() -> None:
    """The example of the specification, and what numbers do to it."""
    ordered = [
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.1",
        "1.2.0",
        "1.10.0",
        "2.0.0",
    ]

    assert all(
        read(lower).rank < read(higher).rank for lower, higher in pairwise(ordered)
    )


@pytest.mark.parametrize(
    "text", ["", "1", "1.2", "v1.2", "01.2.3", "1.2.3-01", "1.2.3\n", "1.2.3-", "main"]
)
def test_an_invalid_version_is_refused(text: str) -> None:
    with pytest.raises(RequestError):
        read(text)


@pytest.mark.parametrize(
    ("part", "next_one"), [("major", "2.0.0"), ("minor", "1.3.0"), ("patch", "1.2.4")]
)
def test_the_next_one(part: str, next_one: str) -> None:
    assert str(read("1.2.3").raised(part)) == next_one  # type: ignore[arg-type]
    assert str(read("1.2.3-rc.1").raised(part)) == "1.2.3"  # type: ignore[arg-type]
