"""Versions of releases: semver, in its order, and which one comes next."""

import re
from typing import Literal, NamedTuple

from skillforge.errors import RequestError

_NUMBER = r"(0|[1-9]\d{0,8})"
_WORDS = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_SEMVER = re.compile(
    rf"v?{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_WORDS}))?(?:\+({_WORDS}))?"
)


class SemVer(NamedTuple):
    """A release's version; `pre` and `build` are what may follow the numbers."""

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
        """What semver orders versions by; one that is not final comes before it."""
        parts = [
            (0, int(word), "") if word.isdecimal() else (1, 0, word)
            for word in self.pre.split(".")
        ]
        return (self.major, self.minor, self.patch, not self.pre, parts)

    def raised(self, part: Literal["major", "minor", "patch"]) -> "SemVer":
        """The next final version, with one part of this one raised."""
        if self.pre:
            return SemVer(self.major, self.minor, self.patch)
        if part == "major":
            return SemVer(self.major + 1, 0, 0)
        if part == "minor":
            return SemVer(self.major, self.minor + 1, 0)
        return SemVer(self.major, self.minor, self.patch + 1)


FIRST = SemVer(1, 0, 0)


def find(text: str) -> SemVer | None:
    """The version that a text is, as `1.2.0` or `v1.2.0`; None if it is none."""
    match = _SEMVER.fullmatch(text)
    if match is None or any(map(_leads_with_zero, (match[4] or "").split("."))):
        return None
    numbers = (int(match[1]), int(match[2]), int(match[3]))
    return SemVer(*numbers, match[4] or "", match[5] or "")


def _leads_with_zero(word: str) -> bool:
    return word.isdecimal() and word != "0" and word.startswith("0")


def read(text: str) -> SemVer:
    """The version that somebody asks for."""
    if found := find(text):
        return found
    raise RequestError(
        f"{text!r} is no version", hint="semver: 1.4.0, or 2.0.0-rc.1 before it"
    )
