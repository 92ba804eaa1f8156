"""What a change adds to what a skill did before. `caution`.

Instructions that were planted in a good skill are worded as ordinary work. What gives
them away is that they are new: a host, a script, a standing order. A reviewer who looks
at just these lines sees them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from skillforge.checks.scan.capabilities import Capabilities
from skillforge.checks.scan.hosts import Host
from skillforge.checks.scan.match_context import is_warning, leads_out, related, tell
from skillforge.checks.scan.matches import ScanMatches, SignMatch
from skillforge.checks.scan.segments import Segment, SegmentView
from skillforge.model import SKILL_FILE, RuleProblem, Severity, rule, rules_in

_WARNING = Severity.WARNING
_LOOK = "look at what was added: is it what the change is said to be for?"


class SkillChange:
    """A skill after a change, and what it was before."""

    def __init__(
        self,
        before: ScanMatches,
        after: ScanMatches,
        could: Capabilities,
        can: Capabilities,
    ) -> None:
        self.after = after
        self.could, self.can = could, can
        self._old = {line.strip() for p in before.pieces for line in p.text.split("\n")}
        lines = {line.strip() for p in after.pieces for line in p.text.split("\n")}
        self.added = lines - self._old
        self._is_new: dict[int, list[tuple[int, bool]]] = {}

    def new(self, *signs: str) -> Iterator[SignMatch]:
        """Where signs stand in lines that were not there before."""
        for seen in self.after.of(*signs):
            if self.is_new(seen):
                yield seen

    def is_at_home(self, seen: SignMatch) -> bool:
        """Whether all links of a line lead where the skill led before."""
        links = [k.link for k in self.after.links_near(seen, 0, tuple(Host)) if k.link]
        if not links:
            return not leads_out(self.after, seen, 0) and "@" in seen.context
        return all(
            k.kind in (Host.LOCAL, Host.KNOWN)
            or k.host in self.could.hosts
            or related(self.after, k.host)
            for k in links
        )

    def is_new(self, seen: SignMatch) -> bool:
        """Whether a sighting stands on a line that was not there before."""
        lines = self._lines_of(seen.piece)
        return lines[bisect_right(lines, seen.at, key=lambda it: it[0]) - 1][1]

    def _lines_of(self, piece: Segment) -> list[tuple[int, bool]]:
        """Where the lines of a piece begin, and whether each of them is new."""
        if id(piece) not in self._is_new:
            lines = piece.text.split("\n")
            starts = accumulate((len(line) + 1 for line in lines), initial=0)
            is_new = (line.strip() not in self._old for line in lines)
            self._is_new[id(piece)] = list(zip(starts, is_new, strict=False))
        return self._is_new[id(piece)]


@rule(_WARNING, category="change")
def adds_host(change: SkillChange) -> Iterator[RuleProblem]:
    """The change makes the skill use a host that it did not name before."""
    for link in change.after.links:
        host = link.host
        if link.kind in (Host.LOCAL, Host.KNOWN) or host in change.could.hosts:
            continue
        if related(change.after, host) or not change.is_new(link):
            continue
        if _USED.search(link.context):
            yield tell(link, f"the change brings in {host}", _LOOK)


_USED = re.compile(
    r"\b(?:send|post|upload|forward|submit|share|sync|push|backup|back up|copy|"
    r"report|log)(?:s|ing|ed)?\b[^\n]{0,120}https?://"
    r"|\bcurl\b|\bwget\b|requests\.|urlopen|webhook|(?:fetch|download|install|get)"
    r"\b[^\n]{0,60}\b(?:from|at)\b[^\n]{0,30}https?://"
)


@rule(_WARNING, category="change")
def adds_script(change: SkillChange) -> Iterator[RuleProblem]:
    """The change brings a script, and tells an agent to run it at some occasion."""
    for path in sorted(change.can.scripts - change.could.scripts):
        if path.startswith(("tests/", "evals/")):
            continue
        name = path.rsplit("/", 1)[-1].lower()
        for seen in change.new("run-script"):
            if (
                name in seen.context
                and seen.view is not SegmentView.CODE
                and _OCCASION.search(seen.context)
            ):
                yield tell(seen, f"the change brings {path}, and has it run", _LOOK)
                break


_OCCASION = re.compile(
    r"\b(?:after|before|always|every|each|whenever|must|make sure|important|critical|"
    r"first|at the end|once|to diagnose|to ensure|run)\b"
)


@rule(_WARNING, category="change")
def adds_tool(change: SkillChange) -> Iterator[RuleProblem]:
    """The change grants the skill a tool that it was not granted before."""
    if not change.could.tools:
        return
    for tool in sorted(change.can.tools - change.could.tools):
        hint = "grant it only if the skill cannot do without"
        yield RuleProblem(f"the change grants the tool {tool}", hint)


@rule(_WARNING, category="change")
def adds_order(change: SkillChange) -> Iterator[RuleProblem]:
    """The change adds lines that send, delete, read secrets, or hold from now on."""
    for seen in change.new(
        "order-away", "order-delete", "order-open", "order-leak", "override",
        "leak-in-reply", "unguarded", "authority", "fetch-obey", "weaken", "persist",
        "copy-out",
    ):  # fmt: skip
        if _is_told(seen) and not (
            seen.sign == "order-away" and change.is_at_home(seen)
        ):
            yield tell(seen, "the change adds an order that reaches further", _LOOK)
    for seen in change.new("key-file", "env-all"):
        if _is_told(seen) and _READS.search(seen.context):
            yield tell(seen, "the change has secrets read", _LOOK)
    if len(change.added) <= _SMALL:
        for seen in change.new("standing-order"):
            is_first_read = seen.path == SKILL_FILE  # the rest is read if needed
            if is_first_read and _is_told(seen) and _AT_START.search(seen.context):
                yield tell(
                    seen, "the change adds an order that holds from now on", _LOOK
                )


def _is_told(seen: SignMatch) -> bool:
    """Whether it is said to an agent, rather than written in code or in data."""
    is_table = seen.path.endswith((".csv", ".tsv", ".xml", ".lock"))
    return seen.view is not SegmentView.CODE and not is_table and not is_warning(seen)


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
