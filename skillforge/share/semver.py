"""Semantic versions. `packaging` has other rules, those of PEP 440."""

import re
from typing import Literal, NamedTuple

from skillforge.errors import RequestError

_NUMBER = r"(0|[1-9][0-9]{0,8})"
_WORD = r"[0-9A-Za-z-]+"
_PRE = rf"(?!0[0-9]+(?![0-9A-Za-z-])){_WORD}"  # no number with a leading zero
_SEMVER = re.compile(
    rf"v?{_NUMBER}\.{_NUMBER}\.{_NUMBER}"
    rf"(?:-({_PRE}(?:\.{_PRE})*))?(?:\+({_WORD}(?:\.{_WORD})*))?"
)


class SemVer(NamedTuple):
    """A version; `pre` is a pre-release such as `rc.1`, `build` build metadata."""

    major: int
    minor: int
    patch: int
    pre: str = ""
    build: str = ""

    def __str__(self) -> str:
        pre = f"-{self.pre}" if self.pre else ""
        build = f"+{self.build}" if self.build else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}{build}"

    @property
    def tag(self) -> str:
        return f"v{self}"

    @property
    def rank(self) -> tuple[object, ...]:
        """The sort key: a pre-release comes before its final version."""
        parts = [
            (0, int(word), "") if word.isdecimal() else (1, 0, word)
            for word in self.pre.split(".")
        ]
        return (self.major, self.minor, self.patch, not self.pre, parts)

    def raised(self, part: Literal["major", "minor", "patch"]) -> "SemVer":
        """The next final version after a change of this kind."""
        if self.pre:
            return SemVer(*self[:3])
        if part == "major":
            return SemVer(self.major + 1, 0, 0)
        if part == "minor":
            return SemVer(self.major, self.minor + 1, 0)
        return SemVer(self.major, self.minor, self.patch + 1)


FIRST = SemVer(1, 0, 0)


def find(text: str) -> SemVer | None:
    """Parse `1.2.0` or `v1.2.0`; None if the text is no version."""
    match = _SEMVER.fullmatch(text)
    if match is None:
        return None
    major, minor, patch = int(match[1]), int(match[2]), int(match[3])
    return SemVer(major, minor, patch, match[4] or "", match[5] or "")


def read(text: str) -> SemVer:
    """Parse a version that the user names."""
    if version := find(text):
        return version
    raise RequestError(
        f"{text!r} is not a version",
        hint="use a semantic version, such as 1.4.0 or 2.0.0-rc.1",
    )
