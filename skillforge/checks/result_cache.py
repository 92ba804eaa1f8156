"""Cached results for skills that are exactly as committed.

A result is stored under the skill's tree hash. It is valid while git reports no change
to a tracked file, and while no file was added or removed, which the modification times
of the folders show.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import astuple
from typing import Any, TypeVar

from skillforge import processes
from skillforge.checks.runner import CheckedSkill
from skillforge.errors import ToolError
from skillforge.gitrepo import GitRepo
from skillforge.model import SKILLS, Finding, Severity
from skillforge.store import Cache, CachedResult

T = TypeVar("T")
_SEVERITIES = {severity.value: severity for severity in Severity}
_SETTLED = 2_000_000_000  # ns; more than the resolution of any file system's times


class ResultCache:
    """The cached results of one checkout and one ruleset."""

    def __init__(
        self, repo: GitRepo, ruleset: str, folders: Mapping[str, "os.DirEntry[str]"]
    ) -> None:
        self.began = time.time_ns()
        self.repo = repo
        self.ruleset = ruleset
        self.folders = folders
        self.cache = Cache.of(repo.common_dir)
        self.trees: dict[str, str] = {}
        self.dirty: set[str] = set()

    def recall(self) -> dict[str, list[Finding]]:
        """Findings of the skills that have not changed since they were checked."""
        # Git runs while we read the cache; it fails in a repository without commits.
        listed = self.repo.start_subtrees("HEAD", SKILLS)
        differs = self.repo.start_diff("HEAD", SKILLS)
        unwatched = self.repo.start_unwatched(SKILLS)
        with ExitStack() as stack:
            for asked in (listed, differs, unwatched):
                stack.enter_context(processes.running(asked.process))
            rows = self.cache.load(self.ruleset)
            try:
                self.trees = listed.wait()
                known = self._known(rows)
                changed = (*differs.wait(), *unwatched.wait())
            except ToolError:
                self.trees = {}
                return {}
        self.dirty = {path.split("/", 2)[1] for path in changed}
        return {
            name: findings for name, findings in known.items() if name not in self.dirty
        }

    def _known(self, rows: list[CachedResult]) -> dict[str, list[Finding]]:
        try:
            return {
                row.name: _load(row.findings)
                for row in rows
                if self.trees.get(row.name) == row.tree and self._untouched(row)
            }
        except (ValueError, TypeError, AttributeError, LookupError):
            self.cache.forget()  # damaged
            return {}

    def _untouched(self, row: CachedResult) -> bool:
        entry = self.folders.get(row.name)
        if entry is None:
            return False
        try:
            if entry.stat(follow_symlinks=False).st_mtime_ns != row.changed:
                return False
            return not row.inner or self._inner_untouched(entry.path, row.inner)
        except OSError:
            return False

    def _inner_untouched(self, top: str, inner: str) -> bool:
        return all(
            os.lstat(f"{top}/{folder}").st_mtime_ns == changed
            for folder, changed in json.loads(inner).items()
        )

    def remember(self, checked: list[CheckedSkill]) -> None:
        """Store the results of skills that are exactly as committed."""
        reusable = [
            result
            for result in checked
            if result.name in self.trees and result.name not in self.dirty
            if result.name.isprintable()  # SQLite takes no bytes that are not UTF-8
            if self._settled(result.folders)
        ]
        if reusable:
            listed = self.repo.start_listing("HEAD", SKILLS).wait()
            tracked = Counter(path.split("/", 2)[1] for path in listed)
            rows = [self._row(r) for r in reusable if r.files == tracked[r.name]]
            self.cache.save(self.ruleset, rows)

    def _settled(self, folders: Mapping[str, int]) -> bool:
        """Whether any later change would show in the folders' times."""
        latest = max(folders.values(), default=self.began)
        return self.began - latest > _SETTLED

    def _row(self, result: CheckedSkill) -> CachedResult:
        inner = {name: when for name, when in result.folders.items() if name}
        return CachedResult(
            result.name,
            self.trees[result.name],
            result.folders[""],
            json.dumps(inner) if inner else "",
            _dump(result.findings),
        )


def decoded(
    rows_by_key: Mapping[str, str], read: Callable[[Any], T]
) -> dict[str, list[T]]:
    """Cached lists of results, from JSON; damaged ones are computed again."""
    results = {}
    for key, rows in rows_by_key.items():
        with suppress(ValueError, TypeError, KeyError):
            results[key] = [read(row) for row in json.loads(rows)]
    return results


def _dump(findings: list[Finding]) -> str:
    # The other fields belong to the scan, whose results are not cached here.
    return json.dumps([astuple(f)[:6] for f in findings]) if findings else ""


def _load(findings: str) -> list[Finding]:
    if not findings:
        return []
    items = json.loads(findings)
    if not isinstance(items, list) or not items:
        raise TypeError
    return [_finding(item) for item in items]


def _finding(item: list[Any]) -> Finding:
    """A cached finding; raises if it is damaged."""
    rule, severity, message, path, line, hint = item
    if not isinstance(line, int) or not isinstance(rule + message + path + hint, str):
        raise TypeError
    return Finding(rule, _SEVERITIES[severity], message, path, line, hint)
