"""What rules ask of sightings: is it meant, whose host is it, how is it told."""

import re

from skillforge.checks.scan.hosts import NAMELESS, Host, links
from skillforge.checks.scan.matches import ScanMatches, SignMatch, quoted
from skillforge.checks.scan.segments import SegmentView
from skillforge.model import RuleProblem
from skillforge.redact.tokens import masked

OUTSIDE = (*NAMELESS, Host.OTHER, Host.FREE)
ANYWHERE = (*OUTSIDE, Host.KNOWN)
TAKE_OUT = "take it out; no skill needs it"
IN_CLEAR = "write in clear what is meant"

# A text that teaches to be careful quotes what it warns of.
_NEGATED = re.compile(
    r"\b(?:never|do not|don'?t|not|avoid|without|cannot|can't|no)\W+(?:\w+\W+){0,3}\Z"
)
_WARNS = re.compile(
    r"\b(?:malicious|attack\w*|injections?|suspicious|red flags?|untrusted|vulnerab\w+|"
    r"unsafe|adversar\w+|phishing|reject\w*|refus\w+|flag(?:s|ged)?|detect\w*|says?|"
    r"such as|blocks?|blocked|forbidden|whether|instead of)\b|\be\.g\."
)
_QUOTE = re.compile(r"[\"'“‘«`(|][\s*_]*\Z")


def is_warning(seen: SignMatch) -> bool:
    """Whether a sign is quoted, or spoken of, rather than meant.

    What is in code is run, and what is hidden is meant, whatever stands around it.
    """
    if seen.view in (SegmentView.CODE, SegmentView.HIDDEN) or seen.piece.hidden_by:
        return False
    before = seen.context[: max(seen.context.find(seen.text[:40]), 0)]
    sentence = re.split(r"[.!?]\s", before)[-1]
    is_negated = seen.sign != "conceal" and bool(_NEGATED.search(sentence))
    is_taught = is_led_in(seen) or bool(_WARNS.search(sentence))
    if seen.sign in _COMMANDS or seen.sign.startswith("order-"):
        # Nobody has to name a real dropper to warn of one.
        is_nobodys = any(link.kind in NAMELESS for link in links(seen.context))
        return is_negated or (is_taught and not is_nobodys)
    return is_negated or is_taught or bool(_QUOTE.search(before))


def is_led_in(seen: SignMatch) -> bool:
    """Whether a heading or a line above says that what follows is a bad example."""
    if seen.view is not SegmentView.PROSE or seen.piece.hidden_by:
        return False
    before = seen.piece.text[max(0, seen.at - 1200) : seen.at].split("\n")[:-1]
    for line in reversed(before[-12:]):
        if line.startswith("#") or line.rstrip().endswith(":"):
            return bool(_LEADS.search(line))
    return False


_LEADS = re.compile(
    r"\b(?:red flags?|attack\w*|injections?|malicious|suspicious|anti-?patterns?|"
    r"threats?|warning signs?|detect\w*|dangerous|unsafe|forbidden|vulnerab\w+|"
    r"bad examples?|look for|watch for|signs of|indicators?|"
    r"(?:never|do not|don'?t|avoid) (?:do|run|use|write|follow|trust|accept|code|these|"
    r"this|patterns?))\b"
)


# A command in a sentence stands in quotes just because it is a command.
_COMMANDS = (
    "fetch-run",
    "decode-run",
    "destroy",
    "reverse-shell",
    "foreign-index",
    "copy-out",
    "key-file",
    "env-file",
    "env-all",
    "send",
    "fetch-file",
)


def related(seen: ScanMatches, host: str) -> bool:
    """Whether a host belongs to what the skill is about, by its name."""
    *above, name, _end = ["", "", *host.split(".")]
    if name in ("co", "com", "org"):  # as in example.co.uk
        name = above[-1]
    label = re.sub(r"\W", "", name)
    return len(label) > 3 and label in seen.about


def strangers(seen: ScanMatches, near: SignMatch, lines: int = 1) -> list[SignMatch]:
    """Links close by that lead to nobody known, and to nothing the skill is about."""
    return [
        link
        for link in seen.links_near(near, lines, OUTSIDE)
        if link.kind in NAMELESS or not related(seen, link.host)
    ]


def leads_out(seen: ScanMatches, near: SignMatch, lines: int) -> bool:
    """Whether something close by leads out: a link, or an address of mail."""
    if seen.links_near(near, lines, OUTSIDE):
        return True
    mails = re.findall(r"\w@([\w-]+(?:\.[\w-]+)+)", near.context)
    return any(not related(seen, host) for host in mails)


def tell(seen: SignMatch, message: str, hint: str = TAKE_OUT) -> RuleProblem:
    """What a rule has to say of a sighting."""
    how = f" (hidden by {seen.piece.hidden_by})" if seen.piece.hidden_by else ""
    text = quoted(masked(seen.shown))
    return RuleProblem(message + how, hint, seen.line, seen.path, text)
