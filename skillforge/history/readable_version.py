"""The readable version in `metadata.version`: raised by every change."""

import re
from collections.abc import Mapping

from skillforge.document import parse
from skillforge.document.edit import set_field
from skillforge.model import SKILL_FILE, DraftFile

FIRST = "1.0.0"
PARTS = ("major", "minor", "patch")
_VERSION = re.compile(r"v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[-+].*)?")
_PATH = ("metadata", "version")


def of(skill_md: bytes) -> str:
    """The version that a SKILL.md names; empty if it names none."""
    return parse(skill_md, with_links=False).metadata("version")


def parts(version: str) -> tuple[int, int, int] | None:
    """The numbers of a version; `1.2` is 1.2.0, and other words are none."""
    match = _VERSION.fullmatch(version.strip())
    if match is None:
        return None
    major, minor, patch = (int(number or 0) for number in match.groups())
    return major, minor, patch


def raised(before: str, given: str, bump: str | None) -> str:
    """The version for a change: the author's own if it is higher, else the next."""
    old = parts(before)
    if bump is None and is_higher(given, before):
        return given
    if old is None:
        return FIRST
    at = PARTS.index(bump or "patch")
    numbers = [*old[:at], old[at] + 1, 0, 0][:3]
    return ".".join(map(str, numbers))


def is_higher(one: str, other: str) -> bool:
    """Whether a version comes after another; `1.0.0` does after `1.0.0-rc1`."""
    numbers, others = parts(one), parts(other)
    if numbers is None or others is None:
        return bool(one) and others is None and one != other
    is_final = "-" in other and "-" not in one
    return numbers > others or (numbers == others and is_final)


def stamped(skill_md: bytes, version: str) -> bytes:
    """The same document with another version; one that is broken stays as it is."""
    document = parse(skill_md)
    if not document.readable or document.metadata("version") == version:
        return skill_md
    # Bytes that are not UTF-8 were refused by the parser, so this is lossless.
    return set_field(document.text, _PATH, version).encode()


def with_version(
    files: Mapping[str, DraftFile], version: str
) -> Mapping[str, DraftFile]:
    """The same files, their document stamped."""
    skill_md = files.get(SKILL_FILE)
    if skill_md is None:
        return files
    return {
        **files,
        SKILL_FILE: skill_md._replace(data=stamped(skill_md.data, version)),
    }
