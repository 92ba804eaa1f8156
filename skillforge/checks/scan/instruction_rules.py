"""Rules on instructions that honest skills never give."""

import re
from collections.abc import Iterator

from skillforge.checks.scan.hosts import NAMELESS
from skillforge.checks.scan.match_context import (
    is_negated,
    is_warning,
    leads_out,
    report_match,
)
from skillforge.checks.scan.matches import ScanMatches, SignMatch, quoted
from skillforge.checks.scan.segments import SegmentView
from skillforge.model import RuleProblem, rule, rules_in

_WRITES = re.compile(
    r"\b(?:append|add|write|insert|inject|echo|tee|modify|update|edit|put|store|save|"
    r"rewrite)\b|>>"
)


@rule(category="exfiltration")
def told_to_send(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not tell an agent to send secrets or conversations away."""
    message = "tells the agent to send private data away"
    for match in matches.of("send-words"):
        is_code = (
            match.view is SegmentView.CODE
            and match.segment.language not in _READ_AS_TEXT
        )
        if is_code or is_warning(match):
            continue
        private = matches.beside(match, ("secret-words", "talk-words", "key-file"), 0)
        trigger = matches.beside(match, ("trigger",), 0)
        if (private or trigger) and matches.links_near(match, 1, NAMELESS):
            yield report_match(match, message)
        quiet = matches.beside(match, ("conceal",), 2)
        if quiet and (private or leads_out(matches, match, 1)):
            secretly = f"tells the agent to send data secretly (line {quiet.line})"
            yield report_match(match, secretly)
        is_meant = (
            private
            and (_is_instruction(match, private) or trigger)
            and not _ENUMERATES.search(match.text)
        )
        if (
            is_meant
            and match.view is not SegmentView.CODE
            and leads_out(matches, match, 0)
        ):
            yield report_match(match, message)


def _is_instruction(match: SignMatch, private: SignMatch) -> bool:
    """Whether a sentence is an instruction to send these secrets."""
    return (
        _INSTRUCTION.search(match.context) is not None
        and _EMPHASIS.search(match.context) is not None
        and private.line == match.line
    )


_ENUMERATES = re.compile(r"\(\d\)\s")  # the host belongs to another item
_READ_AS_TEXT = ("", "text", "txt", "md", "markdown", "data", "value", "html")
_INSTRUCTION = re.compile(
    r"(?:^|[.:;,!>*)-]\s*|\b(?:and|then|must|also|always|please|should|will|shall|"
    r"additionally|silently|to|still|but|instead)\s+)"
    r"(?:send|post|upload|transmit|forward|report|sync|submit|share|e-?mail|push|"
    r"copy|relay|stream|dump|register|verify)\b"
)
_EMPHASIS = re.compile(
    r"\b(?:all|any|every|each|entire|full|always|also|additionally|after|whenever|"
    r"every time|must|user'?s?|their|your|copy of)\b"
)


@rule(category="injection")
def act_in_secret(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not make an agent act behind its user's back.

    "Do not tell the user" occurs in honest skills, about details of style. Together
    with an instruction to send, download, run, read secrets or change an agent's
    memory, it is an attack.
    """
    acts = (
        "fetch-run", "send-words", "key-file", "fetch-obey", "reverse-shell",
        "leak-in-reply", "authority",
    )  # fmt: skip
    for match in matches.of("conceal"):
        if re.search(r"no need to|does not need|don'?t need", match.text):
            continue
        if is_negated(match):  # "never silently add"
            continue
        act = matches.beside(match, acts, 2)
        if act and not _is_harmless(matches, act):
            what = quoted(act.text)[:60]
            message = f"tells the agent to act in secret; line {act.line}: {what}"
            yield report_match(match, message)
        if _SECRET_ACT.search(match.context) and _is_order(match):
            yield report_match(match, "tells the agent to act in secret")
    for match in matches.of("false-front"):
        yield report_match(match, "tells the agent to deceive its user")


_SECRET_ACT = re.compile(
    r"\b(?:silently|secretly|covertly)\b[^\n]{0,60}\b(?:curl|shell|command|payload|"
    r"exec|ssh|credential|download|helper|token)"
)


def _is_order(match: SignMatch) -> bool:
    """Whether an adverb belongs to an order: "silently run", not "it silently runs"."""
    before, _, _ = match.context.partition(match.text[:40])
    return not _REPORTS.match(match.text) and bool(_ORDERS.search(before))


_REPORTS = re.compile(r"\w+ly\s+(?:\w+ed|\w*[^\Ws]s|did|does|is|was|were|not)\b")
_ORDERS = re.compile(
    r"(?:^|[.:;,!>*()\v-]|\b(?:and|then|also|must|should|shall|will|always|please|to|you|"
    r"now|next|instead))\W*\Z"
)


def _is_harmless(matches: ScanMatches, match: SignMatch) -> bool:
    return is_warning(match) or (
        match.sign == "send-words" and not leads_out(matches, match, 0)
    )


@rule(category="persistence")
def poisoned_memory(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not plant instructions in an agent's memory, rules or skills."""
    writes = [m for m in matches.of("memory-file") if _WRITES.search(m.context)]
    acts = (
        "conceal", "override", "fetch-obey", "survive", "unguarded", "leak-in-reply",
        "skip-consent", "trust",
    )  # fmt: skip
    for match, act in matches.near(writes, acts, 8):
        if not is_warning(act) or act.sign == "conceal":
            what = quoted(act.text)[:60]
            message = f"writes to an agent's memory; line {act.line}: {what}"
            yield report_match(match, message)
    for match in writes:
        sends = matches.beside(match, ("send-words",), 0)
        if (
            sends
            and match.view is not SegmentView.CODE
            and leads_out(matches, match, 0)
        ):
            yield report_match(match, "makes an agent's memory send data away")
    for match in matches.of("survive", "spread"):
        if (
            match.view is not SegmentView.CODE
            and not is_warning(match)
            and _SURVIVES.search(match.context)
        ):
            yield report_match(match, "gives an instruction that outlives the skill")


_SURVIVES = re.compile(
    r"compaction|compress|summar|restore (?:yourself|itself)|across uninstalls|"
    r"next time|hidden skill|companion skill|(?:every|each|all) (?:other )?skill"
)


INSTRUCTIONS = rules_in(globals())
