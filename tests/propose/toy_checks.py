"""Checks that do not pass, each in its way; quick to import in their processes."""

import os
import time
from collections.abc import Iterator

from skillforge.checks.registry import Subject
from skillforge.model import Finding, Severity


def no_sandbox() -> str:
    return "no sandbox"


def finds(_subject: Subject) -> Iterator[Finding]:
    yield Finding("toy", Severity.ERROR, "it is wrong", "SKILL.md", 1, "mend it")


def crashes(_subject: Subject) -> list[Finding]:
    raise ZeroDivisionError


def dies(_subject: Subject) -> list[Finding]:
    os._exit(3)


def hangs(_subject: Subject) -> list[Finding]:
    time.sleep(60)
    return []
