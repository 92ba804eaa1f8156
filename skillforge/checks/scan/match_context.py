"""The context of a match: is it meant, which hosts are near, what to report."""

import re

from skillforge.checks.scan.hosts import NAMELESS, Host, links
from skillforge.checks.scan.matches import ScanMatches, SignMatch, quoted
from skillforge.checks.scan.negation import is_forbidden
from skillforge.checks.scan.normalize import SOFT
from skillforge.checks.scan.segments import SegmentView
from skillforge.model import RuleProblem
from skillforge.redact.tokens import masked

OUTSIDE = (*NAMELESS, Host.OTHER, Host.FREE)
ANYWHERE = (*OUTSIDE, Host.KNOWN)
TAKE_OUT = "remove it; no skill needs it"
IN_CLEAR = "write the command in plain text"

# Text that teaches caution quotes what it warns about.
_WARNS = re.compile(
    r"\b(?:malicious|attack\w*|injections?|suspicious|red flags?|untrusted|vulnerab\w+|"
    r"unsafe|adversar\w+|phishing|reject\w*|refus\w+|flag(?:s|ged)?|detect\w*|says?|"
    r"such as|blocks?|blocked|forbidden|whether|instead of)\b|\be\.g\."
)
_QUOTE = re.compile(r"[\"'“‘«`(|][\s*_]*\Z")


def is_warning(match: SignMatch) -> bool:
    """Whether a match is quoted or warned about, rather than an instruction.

    Code and hidden text always count as instructions.
    """
    if match.view in (SegmentView.CODE, SegmentView.HIDDEN) or match.segment.hidden_by:
        return False
    before = _before(match)
    sentence = re.split(r"[.!?]\s", before)[-1]
    is_taught = is_introduced_as_bad(match) or bool(_WARNS.search(sentence))
    if match.is_command:
        # A warning does not need the address of a real dropper.
        names_dropper = any(link.kind in NAMELESS for link in links(match.context))
        return is_negated(match) or (is_taught and not names_dropper)
    return is_negated(match) or is_taught or bool(_QUOTE.search(before))


def is_negated(match: SignMatch) -> bool:
    """Whether the sentence forbids what the match says."""
    if _IS_NEGATION.match(match.text):  # such as "do not tell the user"
        return False
    if _GOES_ON.search(match.text) or _NOT_A_LIST.match(match.text):
        return False  # the order comes after what is forbidden
    before = _before(match)
    written = match.segment.written(match.at, match.at + 1)
    if written.isupper() and before.rstrip(" *_`\"'").endswith(SOFT):
        before = ""  # a new sentence on a new line
    return is_forbidden(re.split(r"[.!?;:]\s", before)[-1])


_IS_NEGATION = re.compile(
    r"\W*(?:do not|don['’]?t|never|(?:must|should|shall) not|avoid|without|not|no)\b"
)
_GOES_ON = re.compile(r"[.!?;:]\s+\w|\b(?:but|instead|rather|then|just)\b")
_NOT_A_LIST = re.compile(r"\w+,(?!(?:\s+\w+,)*\s+(?:\w+\s+)?(?:or|nor|and)\b)")


def _before(match: SignMatch) -> str:
    """The part of the line before a match."""
    return match.context[: max(match.context.find(match.text[:40]), 0)]


def is_introduced_as_bad(match: SignMatch) -> bool:
    """Whether a heading or line above introduces a bad example."""
    if match.view is not SegmentView.PROSE or match.segment.hidden_by:
        return False
    before = match.segment.text[max(0, match.at - 1200) : match.at].split("\n")[:-1]
    for line in reversed(before[-12:]):
        if line.startswith("#") or line.rstrip().endswith(":"):
            return bool(_INTRODUCES.search(line))
    return False


_INTRODUCES = re.compile(
    r"\b(?:red flags?|attack\w*|injections?|malicious|suspicious|anti-?patterns?|"
    r"threats?|warning signs?|detect\w*|dangerous|unsafe|forbidden|vulnerab\w+|"
    r"bad examples?|look for|watch for|signs of|indicators?|"
    r"(?:never|do not|don'?t|avoid) (?:do|run|use|write|follow|trust|accept|code|these|"
    r"this|patterns?))\b"
)


def related(matches: ScanMatches, host: str) -> bool:
    """Whether the name of a host is part of the skill's name or description."""
    name = re.sub(r"\W", "", label(host))
    return len(name) > 3 and name in matches.about


def label(host: str) -> str:
    """The name in a host: `example` of docs.example.co.uk."""
    *above, name, _end = ["", "", *host.split(".")]
    return above[-1] if name in ("co", "com", "org") else name


def strangers(matches: ScanMatches, near: SignMatch, lines: int = 1) -> list[SignMatch]:
    """Nearby links to hosts that are neither known nor related to the skill."""
    return [
        link
        for link in matches.links_near(near, lines, OUTSIDE)
        if link.kind in NAMELESS or not related(matches, link.host)
    ]


def leads_out(matches: ScanMatches, near: SignMatch, lines: int) -> bool:
    """Whether a link or a mail address nearby leads to another host."""
    if matches.links_near(near, lines, OUTSIDE):
        return True
    mails = re.findall(r"\w@([\w-]+(?:\.[\w-]+)+)", near.context)
    return any(not related(matches, host) for host in mails)


def report_match(match: SignMatch, message: str, hint: str = TAKE_OUT) -> RuleProblem:
    """The problem that a rule reports for a match."""
    how = f" (hidden by {match.segment.hidden_by})" if match.segment.hidden_by else ""
    text = quoted(masked(match.shown))
    return RuleProblem(message + how, hint, match.line, match.path, text)
