"""What no honest skill says to an agent. `dangerous`."""

import re
from collections.abc import Iterator

from skillforge.checks.scan.hosts import NAMELESS
from skillforge.checks.scan.match_context import OUTSIDE, is_warning, leads_out, tell
from skillforge.checks.scan.matches import ScanMatches, SignMatch, quoted
from skillforge.checks.scan.segments import SegmentView
from skillforge.model import RuleProblem, rule, rules_in

_WRITES = re.compile(
    r"\b(?:append|add|write|insert|inject|echo|tee|modify|update|edit|put|store|save|"
    r"rewrite)\b|>>"
)


@rule(category="injection")
def override(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not tell an agent to drop its rules.

    "Ignore all previous instructions", "you are no longer bound": skills add to what an
    agent knows, and never take its safeguards away. A text that quotes such words to
    warn of them needs a person (`quoted-attack`).
    """
    for one in seen.of("override"):
        if not is_warning(one) and one.piece.language not in ("strings", "html"):
            yield tell(one, "an agent is told to drop its rules")


@rule(category="exfiltration")
def told_to_send(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not tell an agent to send secrets or conversations away."""
    for one in seen.of("send-words"):
        is_code = (
            one.view is SegmentView.CODE and one.piece.language not in _READ_AS_TEXT
        )
        if is_code or is_warning(one):
            continue
        private = seen.beside(one, ("secret-words", "talk-words", "key-file"), 0)
        nameless = bool(seen.links_near(one, 1, NAMELESS))
        if nameless and (private or seen.beside(one, ("trigger",), 0)):
            yield tell(one, "an agent is told to send away what is not its own")
        quiet = seen.beside(one, ("conceal",), 2)
        if quiet and (private or leads_out(seen, one, 1)):
            yield tell(
                one,
                f"an agent is told to send something away, and to keep quiet (line "
                f"{quiet.line})",
            )
        is_meant = private and (
            _is_order(one, private) or seen.beside(one, ("trigger",), 0)
        )
        if is_meant and one.view is not SegmentView.CODE and leads_out(seen, one, 0):
            yield tell(one, "an agent is told to send away what is not its own")


def _is_order(one: SignMatch, private: SignMatch) -> bool:
    """Whether a sentence orders to send just those secrets."""
    return (
        _ORDERED.search(one.context) is not None
        and bool(
            re.search(
                r"\b(?:all|any|every|each|entire|full|always|also|additionally|after|"
                r"whenever|every time|must|user'?s?|their|your|copy of)\b",
                one.context,
            )
        )
        and private.line == one.line
    )


_READ_AS_TEXT = ("", "text", "txt", "md", "markdown", "data", "value", "html")
_ORDERED = re.compile(
    r"(?:^|[.:;,!>*)-]\s*|\b(?:and|then|must|also|always|please|should|will|shall|"
    r"additionally|silently|to|still)\s+)"
    r"(?:send|post|upload|transmit|forward|report|sync|submit|share|e-?mail|push|"
    r"copy|relay|stream|dump|register|verify)\b"
)


@rule(category="exfiltration")
def leak_in_reply(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not make an agent show secrets in what it answers or links to."""
    for one in seen.of("leak-in-reply"):
        if not is_warning(one):
            yield tell(
                one, "an agent is told to put secrets where others can read them"
            )


@rule(category="injection")
def act_in_secret(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not make an agent do something behind its user's back.

    "Do not tell the user" is found in honest skills, about details of style. With an
    order to send, fetch, run, read secrets or change an agent's memory it is an attack.
    """
    acts = (
        "fetch-run",
        "send-words",
        "key-file",
        "fetch-obey",
        "reverse-shell",
        "leak-in-reply",
        "authority",
    )
    for one in seen.of("conceal"):
        if re.search(r"no need to|does not need|don'?t need", one.text):
            continue
        other = seen.beside(one, acts, 2)
        if other and not _is_harmless(seen, other):
            yield tell(
                one,
                f"an agent is told to act in secret; line {other.line}: "
                f"{quoted(other.text)[:60]}",
            )
        if re.search(
            r"\b(?:silently|secretly|covertly)\b[^\n]{0,60}\b(?:curl|shell|command|"
            r"payload|exec|ssh|credential|download|helper|token)",
            one.context,
        ):
            yield tell(one, "an agent is told to act in secret")
    for one in seen.of("false-front"):
        yield tell(one, "an agent is told to deceive its user")


def _is_harmless(seen: ScanMatches, other: SignMatch) -> bool:
    return is_warning(other) or (
        other.sign == "send-words" and not leads_out(seen, other, 0)
    )


@rule(category="injection")
def without_consent(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not claim an approval that nobody gave, or switch safeguards off."""
    for one in seen.of("authority"):
        is_asked = re.search(r"\b(?:unless|if|whether|once|until|when)\b", one.context)
        if one.view is not SegmentView.CODE and not is_warning(one) and not is_asked:
            yield tell(one, "the skill claims to be approved already")
    for one in seen.of("skip-consent"):
        if (
            _STRONG_SKIP.search(one.context)
            and not is_warning(one)
            and one.view is not SegmentView.CODE
        ):
            yield tell(one, "an agent is told to do without its user's consent")


_STRONG_SKIP = re.compile(
    r"security warning|safety (?:check|control)|sandbox restriction|always approve|"
    r"approve all (?:prompts|requests|operations)|"
    r"never deny access|shell commands?\b|terminal command|any command|all commands|"
    r"exec payload|inform user"
)


@rule(category="injection")
def hidden_instruction(seen: ScanMatches) -> Iterator[RuleProblem]:
    """Nothing is ordered where a person does not see it.

    Comments, alternative texts, link titles, file names and pictures' metadata are read
    by agents. Notes there are fine; orders to send, fetch, run or conceal are not.
    """
    signs = (
        "override", "conceal", "send-words", "fetch-run", "decode-run", "fetch-obey",
        "key-file", "reverse-shell", "destroy", "leak-in-reply", "send", "skip-consent",
    )  # fmt: skip
    for one in seen.of(*signs):
        # What looks like words in a picture's bytes is mostly chance.
        is_text = one.piece.language != "strings" or one.sign in (
            "override",
            "fetch-run",
        )
        if one.view is SegmentView.HIDDEN and is_text and _is_meant(seen, one):
            yield tell(one, "an instruction stands where a person does not see it")


def _is_meant(seen: ScanMatches, one: SignMatch) -> bool:
    """Whether words that notes may have as well are an order here."""
    if one.sign == "conceal":
        beside = ("send-words", "fetch-run", "secret-words")
        return "user" in one.text or seen.beside(one, beside, 0) is not None
    if one.sign == "send-words":
        about = seen.beside(one, ("secret-words", "talk-words", "trigger"), 0)
        return about is not None and leads_out(seen, one, 0)
    return True


@rule(category="injection")
def fetch_and_obey(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not make an agent follow what a page says.

    What was reviewed would not be what is done. From a nameless host, on a standing
    trigger or in secret it is an attack; from a known project it is noted.
    """
    for one in seen.of("fetch-obey"):
        if is_warning(one) or one.view is SegmentView.CODE:
            continue
        outside = seen.links_near(one, 0, OUTSIDE)
        if any(k.kind in NAMELESS for k in outside):
            yield tell(one, "an agent is told to follow whatever a page says")
        is_update = re.search(r"version|skill\.md", one.text)
        if outside and (
            is_update or seen.beside(one, ("trigger", "conceal", "skip-consent"), 1)
        ):
            yield tell(
                one, "an agent is told to follow whatever a page says, each time anew"
            )


@rule(category="persistence")
def poisoned_memory(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not plant orders in an agent's memory, rules or other skills."""
    writes = [s for s in seen.of("memory-file") if _WRITES.search(s.context)]
    acts = (
        "conceal",
        "override",
        "fetch-obey",
        "survive",
        "unguarded",
        "leak-in-reply",
        "skip-consent",
        "trust",
    )
    for one, other in seen.near(writes, acts, 8):
        if not is_warning(other) or other.sign == "conceal":
            yield tell(
                one,
                f"orders are written into an agent's memory; line {other.line}: "
                f"{quoted(other.text)[:60]}",
            )
    for one in writes:
        sends = seen.beside(one, ("send-words",), 0)
        if sends and one.view is not SegmentView.CODE and leads_out(seen, one, 0):
            yield tell(one, "an agent's memory is made to send something away")
    for one in seen.of("survive", "spread"):
        if (
            one.view is not SegmentView.CODE
            and not is_warning(one)
            and _SURVIVES.search(one.context)
        ):
            yield tell(one, "an order is made to outlive the skill")


_SURVIVES = re.compile(
    r"compaction|compress|summar|restore (?:yourself|itself)|across uninstalls|"
    r"next time|hidden skill|companion skill|(?:every|each|all) (?:other )?skill"
)


@rule(category="injection")
def inline_execution(seen: ScanMatches) -> Iterator[RuleProblem]:
    """No command that reaches out runs when a skill is merely loaded."""
    for one in seen.of("inline-run"):
        if one.view is not SegmentView.HIDDEN and _REACHES.search(one.text):
            yield tell(one, "a command runs as soon as an agent loads the skill")


_REACHES = re.compile(
    r"\bcurl\b|\bwget\b|\bnc\b|base64|/dev/tcp|\.ssh|\benv\b|printenv|\beval\b|"
    r"\brm\b|\bsh -c|\bbash\b|\.aws|\.env\b|python3? -c|>\s?[~/]"
)


@rule(category="injection")
def commanding_description(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A description describes: every session has it in its system prompt."""
    signs = (
        "override",
        "conceal",
        "fetch-run",
        "archive-password",
        "leak-in-reply",
        "skip-consent",
        "authority",
        "survive",
    )
    for one in seen.of(*signs):
        if one.view is SegmentView.DESCRIPTION:
            yield tell(one, "the description gives orders to every session")
    for one in seen.of("send-words"):
        if (
            one.view is SegmentView.DESCRIPTION
            and leads_out(seen, one, 0)
            and seen.beside(one, ("trigger", "secret-words"), 0)
        ):
            yield tell(one, "the description makes every session send something away")


@rule(category="injection")
def planted_backdoor(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not make an agent put a way in, or another payee, into its work."""
    for one in seen.of("backdoor"):
        if one.piece.language != "resolved" and not is_warning(one):
            yield tell(one, "an agent is told to put something into its work unasked")


@rule(category="destruction")
def malware(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not hold data to ransom, log keys or steal."""
    for one in seen.of("malware"):
        if (
            one.view in (SegmentView.PROSE, SegmentView.DESCRIPTION)
            and not is_warning(one)
            and "exfil" not in one.text
        ):
            yield tell(one, "the skill says itself that it does harm")


ORDERS = rules_in(globals())
