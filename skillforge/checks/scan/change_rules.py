"""Rules on what a change adds to a skill, for a reviewer to check.

Malicious instructions in a good skill look like ordinary work, but they are new: a
host, a script, a standing instruction. A reviewer who reads just these lines notices
them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from skillforge.checks.scan.capabilities import Capabilities
from skillforge.checks.scan.hosts import Host
from skillforge.checks.scan.match_context import (
    is_warning,
    leads_out,
    related,
    report_match,
)
from skillforge.checks.scan.matches import ScanMatches, SignMatch
from skillforge.checks.scan.segments import Segment, SegmentView
from skillforge.model import SKILL_FILE, RuleProblem, Severity, rule, rules_in

_WARNING = Severity.WARNING
_REVIEW = "check that the change is meant to do this"


class SkillChange:
    """The matches and capabilities of a skill before and after a change."""

    def __init__(
        self,
        before: ScanMatches,
        after: ScanMatches,
        capabilities_before: Capabilities,
        capabilities: Capabilities,
    ) -> None:
        self.after = after
        self.capabilities_before = capabilities_before
        self.capabilities = capabilities
        self._old = {
            line.strip() for p in before.segments for line in p.text.split("\n")
        }
        lines = {line.strip() for p in after.segments for line in p.text.split("\n")}
        self.added = lines - self._old
        self._is_new: dict[int, list[tuple[int, bool]]] = {}

    def new(self, *signs: str) -> Iterator[SignMatch]:
        """Matches of signs in new lines."""
        for match in self.after.of(*signs):
            if self.is_new(match):
                yield match

    def is_at_home(self, match: SignMatch) -> bool:
        """Whether all links on a line lead to hosts that the skill used before."""
        links = [k.link for k in self.after.links_near(match, 0, tuple(Host)) if k.link]
        if not links:
            return not leads_out(self.after, match, 0) and "@" in match.context
        return all(
            k.kind in (Host.LOCAL, Host.KNOWN)
            or k.host in self.capabilities_before.hosts
            or related(self.after, k.host)
            for k in links
        )

    def is_new(self, match: SignMatch) -> bool:
        """Whether a match is on a new line."""
        lines = self._lines_of(match.segment)
        return lines[bisect_right(lines, match.at, key=lambda line: line[0]) - 1][1]

    def _lines_of(self, segment: Segment) -> list[tuple[int, bool]]:
        """The offsets of the lines of a segment, and whether they are new."""
        if id(segment) not in self._is_new:
            lines = segment.text.split("\n")
            starts = accumulate((len(line) + 1 for line in lines), initial=0)
            is_new = (line.strip() not in self._old for line in lines)
            self._is_new[id(segment)] = list(zip(starts, is_new, strict=False))
        return self._is_new[id(segment)]


@rule(_WARNING, category="change")
def adds_host(change: SkillChange) -> Iterator[RuleProblem]:
    """The change makes the skill use a new host."""
    for link in change.after.links:
        host = link.host
        if (
            link.kind in (Host.LOCAL, Host.KNOWN)
            or host in change.capabilities_before.hosts
        ):
            continue
        if related(change.after, host) or not change.is_new(link):
            continue
        if _USED.search(link.context):
            yield report_match(link, f"the change adds the host {host}", _REVIEW)


_USED = re.compile(
    r"\b(?:send|post|upload|forward|submit|share|sync|push|backup|back up|copy|"
    r"report|log)(?:s|ing|ed)?\b[^\n]{0,120}https?://"
    r"|\bcurl\b|\bwget\b|requests\.|urlopen|webhook|(?:fetch|download|install|get)"
    r"\b[^\n]{0,60}\b(?:from|at)\b[^\n]{0,30}https?://"
)


@rule(_WARNING, category="change")
def adds_script(change: SkillChange) -> Iterator[RuleProblem]:
    """The change adds a script, and tells the agent when to run it."""
    for path in sorted(
        change.capabilities.scripts - change.capabilities_before.scripts
    ):
        if path.startswith(("tests/", "evals/")):
            continue
        name = path.rsplit("/", 1)[-1].lower()
        for match in change.new("run-script"):
            if (
                name in match.context
                and match.view is not SegmentView.CODE
                and _OCCASION.search(match.context)
            ):
                yield report_match(
                    match, f"the change adds {path} and runs it", _REVIEW
                )
                break


_OCCASION = re.compile(
    r"\b(?:after|before|always|every|each|whenever|must|make sure|important|critical|"
    r"first|at the end|once|to diagnose|to ensure|run)\b"
)


@rule(_WARNING, category="change")
def adds_tool(change: SkillChange) -> Iterator[RuleProblem]:
    """The change grants the skill a tool that it did not have before."""
    if not change.capabilities_before.tools:
        return
    for tool in sorted(change.capabilities.tools - change.capabilities_before.tools):
        hint = "grant it only if the skill can't work without it"
        yield RuleProblem(f"the change grants the tool {tool}", hint)


@rule(_WARNING, category="change")
def adds_order(change: SkillChange) -> Iterator[RuleProblem]:
    """The change adds a risky or standing instruction.

    Instructions to send, delete or open something, to read secrets, or to do something
    from now on.
    """
    for match in change.new(
        "order-away", "order-delete", "order-open", "order-leak", "override",
        "leak-in-reply", "unguarded", "authority", "fetch-obey", "weaken", "persist",
        "copy-out",
    ):  # fmt: skip
        if _is_instruction(match) and not (
            match.sign == "order-away" and change.is_at_home(match)
        ):
            yield report_match(match, "the change adds a risky instruction", _REVIEW)
    for match in change.new("key-file", "env-all"):
        if _is_instruction(match) and _READS.search(match.context):
            yield report_match(
                match, "the change adds an instruction to read secrets", _REVIEW
            )
    if len(change.added) <= _SMALL:
        for match in change.new("standing-order"):
            is_always_read = match.path == SKILL_FILE  # unlike other files
            if (
                is_always_read
                and _is_instruction(match)
                and _AT_START.search(match.context)
            ):
                yield report_match(
                    match, "the change adds a standing instruction", _REVIEW
                )


def _is_instruction(match: SignMatch) -> bool:
    """Whether a match is an instruction rather than part of code or data."""
    is_table = match.path.endswith((".csv", ".tsv", ".xml", ".lock"))
    return match.view is not SegmentView.CODE and not is_table and not is_warning(match)


_READS = re.compile(
    r"\b(?:read|collect|include|output of|print|upload|send|copy|cat|open|scan)"
    r"\b[^\n]{0,80}"
    r"(?:`env\b|\.ssh|\.aws|id_\w+|\.env\b|_history|wallet|keychain|cookies|\.netrc)"
)
_SMALL = 25  # added lines that a reviewer would take for a small change
_AT_START = re.compile(
    r"(?:^[\W\d]*|[.:!*]\s*)(?:important|critical|note|always|after|before|when|"
    r"whenever|once|make sure|every|remember|as soon)\b"
)


CHANGES = rules_in(globals())
