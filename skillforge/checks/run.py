"""Check skills wherever they lie: the whole library, some of it, or a revision.

Skills that equal their committed tree are not read again: their result is remembered in
the git directory, by tree hash.
"""

import gc
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import partial
from typing import NamedTuple

from skillforge import proc
from skillforge.checks import Ruleset
from skillforge.gitrepo import GitRepo
from skillforge.library import SKILLS, Library, read_folder
from skillforge.model import Finding, Report, Severity, Skill
from skillforge.store import Cache, CachedResult

WORTH_REMEMBERING = 200  # below, reading all is faster than asking git what changed
WORTH_SPREADING = 1000  # skills for each process
_SETTLED = 2_000_000_000  # ns; file systems tell times apart only so finely


class Checked(NamedTuple):
    """The result for one skill; `folders` and `files` describe what was read."""

    name: str
    findings: list[Finding]
    folders: str = ""
    files: int = 0


def check_skills(ruleset: Ruleset, skills: Iterable[Skill]) -> Report:
    """Check skills that were read already."""
    findings: list[Finding] = []
    paths: list[str] = []
    for skill in skills:
        paths.append(skill.path)
        findings.extend(f.under(skill.path) for f in _ordered(ruleset.check(skill)))
    return Report(tuple(findings), tuple(paths))


def check_checkout(
    library: Library, ruleset: Ruleset, worth: int = WORTH_REMEMBERING
) -> Report:
    """Check all skills in the checkout, reading only what is not known already."""
    entries = library.folders()
    folders = {entry.name: entry.path for entry in entries}
    memory = None
    if len(folders) >= worth and (repo := library.repo) and repo.has_commits():
        memory = _Memory(repo, ruleset.fingerprint, folders)
    known = memory.recall() if memory else {}
    fresh = [(name, path) for name, path in folders.items() if name not in known]
    parts = proc.spread(partial(_check_folders, ruleset), fresh, WORTH_SPREADING)
    checked = [result for part in parts for result in part]
    if memory:
        memory.remember(checked)
    return _report([*known.values(), *checked])


def _report(results: list[Checked]) -> Report:
    done = sorted(results, key=lambda result: result.name)
    findings = tuple(f.under(f"{SKILLS}/{r.name}") for r in done for f in r.findings)
    return Report(findings, tuple(f"{SKILLS}/{r.name}" for r in done))


def _check_folders(
    ruleset: Ruleset, folders: Sequence[tuple[str, str]]
) -> list[Checked]:
    # Nothing here makes cycles, so looking for them is lost time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return [_check_folder(ruleset, name, path) for name, path in folders]
    finally:
        if was_enabled:
            gc.enable()


def _check_folder(ruleset: Ruleset, name: str, path: str) -> Checked:
    skill = read_folder(path, name, name)
    times = "\n".join(f"{folder}\t{when}" for folder, when in skill.folders.items())
    return Checked(name, _ordered(ruleset.check(skill)), times, len(skill.files))


def _ordered(findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda f: (f.path, f.line)) if findings else findings


class _Memory:
    """What was said of skills that are as committed, for one checkout and ruleset."""

    def __init__(self, repo: GitRepo, ruleset: str, folders: dict[str, str]) -> None:
        self.ruleset = ruleset
        self.folders = folders
        self.repo = repo
        self.cache = Cache.of(repo.common_dir)
        self.began = time.time_ns()
        self.differs = repo.start_diff("HEAD", SKILLS)
        self.trees = repo.subtrees("HEAD", SKILLS)
        self.dirty: set[str] = set()

    def recall(self) -> dict[str, Checked]:
        """Results for skills that have not changed since they were checked."""
        rows = self.cache.load(self.ruleset)
        known = {
            name: row
            for name, row in rows.items()
            if self.trees.get(name) == row.tree and self._untouched(row)
        }
        self.dirty = {path.split("/", 2)[1] for path in self.differs.wait()}
        return {
            name: Checked(name, _load(row.findings))
            for name, row in known.items()
            if name not in self.dirty
        }

    def _untouched(self, row: CachedResult) -> bool:
        """Whether no file came or went: then each folder's own time is as it was."""
        if (top := self.folders.get(row.name)) is None:
            return False
        try:
            for line in row.folders.split("\n"):
                folder, _, when = line.partition("\t")
                if os.lstat(f"{top}/{folder}").st_mtime_ns != int(when):
                    return False
        except (OSError, ValueError):
            return False
        return True

    def remember(self, checked: list[Checked]) -> None:
        """Keep the results of skills that are exactly as committed."""
        if not checked:
            return
        listed = self.repo.start_listing("HEAD", SKILLS).wait()
        count = Counter(path.split("/", 2)[1] for path in listed)
        self.cache.save(
            self.ruleset,
            (
                CachedResult(r.name, self.trees[r.name], r.folders, _dump(r.findings))
                for r in checked
                if r.name in self.trees and r.name not in self.dirty
                if r.files == count[r.name] and self._settled(r.folders)
            ),
        )

    def _settled(self, folders: str) -> bool:
        """Whether a change from now on would show in the folders' times."""
        times = (int(line.rpartition("\t")[2]) for line in folders.split("\n") if line)
        return bool(folders) and all(self.began - when > _SETTLED for when in times)


def _dump(findings: list[Finding]) -> str:
    return json.dumps([asdict(f) for f in findings]) if findings else ""


def _load(findings: str) -> list[Finding]:
    if not findings:
        return []
    return [
        Finding(**{**item, "severity": Severity(item["severity"])})
        for item in json.loads(findings)
    ]
