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
    """The version in a SKILL.md; empty for none."""
    return parse(skill_md, with_links=False).metadata("version")


def parts(version: str) -> tuple[int, int, int] | None:
    """The numbers of a version; `1.2` is 1.2.0. None if it is not a version."""
    match = _VERSION.fullmatch(version.strip())
    if match is None:
        return None
    major, minor, patch = (int(number or 0) for number in match.groups())
    return major, minor, patch


def raised(before: str, own: str, bump: str | None) -> str:
    """The version after a change: the author's own if it is higher, else the next."""
    old = parts(before)
    if bump is None and is_higher(own, before):
        return own
    if old is None:
        return FIRST
    part = PARTS.index(bump or "patch")
    numbers = [*old[:part], old[part] + 1, 0, 0][:3]
    return ".".join(map(str, numbers))


def is_higher(version: str, other: str) -> bool:
    """Whether a version comes after another, as `1.0.0` after `1.0.0-rc1`."""
    numbers, others = parts(version), parts(other)
    if numbers is None or others is None:
        return bool(version) and others is None and version != other
    is_final = "-" in other and "-" not in version
    return numbers > others or (numbers == others and is_final)


def stamped(skill_md: bytes, version: str) -> bytes:
    """The document with another version; a broken document is left unchanged."""
    document = parse(skill_md)
    if not document.readable or document.metadata("version") == version:
        return skill_md
    # Bytes that are not UTF-8 were refused by the parser, so this is lossless.
    return set_field(document.text, _PATH, version).encode()


def with_version(
    files: Mapping[str, DraftFile], version: str
) -> Mapping[str, DraftFile]:
    """The files with another version in their SKILL.md."""
    skill_md = files.get(SKILL_FILE)
    if skill_md is None:
        return files
    return {
        **files,
        SKILL_FILE: skill_md._replace(data=stamped(skill_md.data, version)),
    }
