"""Findings of earlier scans, by everything that they depend on.

That is the version of the tool and its rules, the rule packs, the policy, and every
byte of the skill, of its previous version and of its evidence. Entries that the tool
didn't write for this user, or that are damaged, are ignored.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from skillforge.checks import edition
from skillforge.checks.result_cache import decoded
from skillforge.errors import ToolError
from skillforge.library import Library
from skillforge.model import FileKind, Finding, Severity, Skill
from skillforge.store import Cache, cache_folder

if TYPE_CHECKING:
    from skillforge.checks.scan.rule_packs import RulePack
    from skillforge.checks.scan.waivers import Waiver
    from skillforge.policy import Policy

_READABLE = (FileKind.FILE, FileKind.EXECUTABLE, FileKind.SYMLINK)


@cache
def scan_edition() -> str:
    """Identifies the rules, and the packages that read code and find secrets."""
    from importlib.metadata import PackageNotFoundError, version

    versions = []
    for name in ("detect-secrets", "tree-sitter", "tree-sitter-bash"):
        with suppress(PackageNotFoundError):
            versions.append(version(name))
    return " ".join([edition(), *versions])


class ScanTarget(NamedTuple):
    """A skill to scan, its previous version, evidence, policy, waivers and packs."""

    skill: Skill
    before: Skill | None
    evidence: dict[str, bytes]
    policy: "Policy"
    waivers: "tuple[Waiver, ...]"
    packs: "tuple[RulePack, ...]" = ()


class ScanCache:
    """The cache of a library, or that of the user for other folders."""

    def __init__(self, library: Library | None) -> None:
        self._cache: Cache | None = None
        if library and library.repo:
            self._cache = Cache.of(library.repo.common_dir)
        else:
            try:
                self._cache = Cache(cache_folder() / "scans.db")
            except ToolError:  # the user has no home folder
                return

    def key(self, target: ScanTarget) -> str:
        """Equal for targets with equal findings; empty if a file can't be read."""
        if self._cache is None:
            return ""
        packs = [pack.digest for pack in target.packs]
        about = json.dumps([scan_edition(), packs, target.policy.scan.declare])
        made_of = hashlib.sha256(about.encode())
        try:
            for skill in filter(None, (target.skill, target.before)):
                for part in _content(skill):
                    made_of.update(hashlib.sha256(part).digest())
                made_of.update(b"skill")
        except OSError:
            return ""
        for name, data in sorted(target.evidence.items()):
            made_of.update(hashlib.sha256(os.fsencode(name)).digest())
            made_of.update(hashlib.sha256(data).digest())
        return made_of.hexdigest()

    def load(self, keys: Iterable[str]) -> dict[str, list[Finding]]:
        if self._cache is None:
            return {}
        return decoded(self._cache.entries("scans", filter(None, keys)), finding_of)

    def save(self, scans: Mapping[str, Sequence[Finding]]) -> None:
        if self._cache is not None and scans:
            self._cache.save_entries("scans", dumped(scans))


def _content(skill: Skill) -> Iterator[bytes]:
    """All that a scan reads of a skill, part by part."""
    yield os.fsencode(skill.name)
    yield b"" if skill.document is None else skill.document.data
    for path, file in sorted(skill.files.items()):
        yield os.fsencode(f"{file.kind} {path}")
        yield skill.read(path) if file.kind in _READABLE else b""


def dumped(scans: Mapping[str, Sequence[Finding]]) -> dict[str, str]:
    return {key: json.dumps([*map(asdict, found)]) for key, found in scans.items()}


def finding_of(row: dict[str, Any]) -> Finding:
    """A finding from the cache; an error if it is damaged."""
    return Finding(**{**row, "severity": Severity(row["severity"])})
