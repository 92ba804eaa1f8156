"""What needs a person: honest skills do it too, rarely and for a reason. `caution`."""

import re
from collections.abc import Iterator

from skillforge.checks.scan.attack_rules import fetched_and_run
from skillforge.checks.scan.hosts import NAMELESS, Host
from skillforge.checks.scan.match_context import is_warning, related, strangers, tell
from skillforge.checks.scan.matches import ScanMatches
from skillforge.checks.scan.segments import SegmentView
from skillforge.model import RuleProblem, Severity, rule, rules_in

_WARNING = Severity.WARNING


@rule(_WARNING, category="execution")
def install_script(seen: ScanMatches) -> Iterator[RuleProblem]:
    """An installer is fetched from a place that is no known project's, and run."""
    for one, host in fetched_and_run(seen):
        if not host.is_known and not host.is_stranger and not is_warning(one):
            hint = "install it from a package index, or pin and check what is fetched"
            yield tell(one, f"an installer from {host.name} is run unseen", hint)


@rule(_WARNING, category="exfiltration")
def nameless_host(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill has to do with a host that nobody can be asked about.

    Paste sites, tunnels, request collectors, link shorteners and bare addresses.
    """
    for link in seen.links:
        if (
            link.kind in _ASKED_OF_NOBODY
            and not is_warning(link)
            and link.piece.language != "strings"
        ):
            if link.kind is Host.COLLECTOR and related(seen, link.host):
                continue
            yield tell(
                link,
                f"{link.host} is {link.kind}",
                "name the service that is meant, and link to that",
            )


_ASKED_OF_NOBODY = tuple(kind for kind in NAMELESS if kind is not Host.HOSTILE)


@rule(_WARNING, category="exfiltration")
def secret_read(seen: ScanMatches) -> Iterator[RuleProblem]:
    """Code reads private keys, wallets or browser data, even if it sends nothing."""
    for one in seen.of("key-file"):
        if (
            one.view is SegmentView.CODE
            and _KEYS.search(one.text)
            and one.piece.language not in ("strings", "html")
            and _READS.search(one.context)
        ):
            yield tell(
                one,
                "private keys or browser data are read",
                "say in SKILL.md why, and read only what is needed",
            )


_KEYS = re.compile(
    r"\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws\W+credentials|login data|cookies|"
    r"wallet\.dat|keychain|/etc/shadow|metamask|solana/id|-password|\.netrc|"
    r"auth-profiles|\.claude/\.cred|_history"
)
_READS = re.compile(
    r"\b(?:cat|open|read\w*|cp|tar|zip|base64|copy\w*|less|head|tail|grep|find|"
    r"security|sqlite3?)\b|<"
)


@rule(_WARNING, category="injection")
def secrecy(seen: ScanMatches) -> Iterator[RuleProblem]:
    """An agent is told to act where its user does not see it, or without asking."""
    for one in seen.of("conceal"):
        if one.view in (
            SegmentView.PROSE,
            SegmentView.DESCRIPTION,
        ) and _UNSEEN_ACT.search(one.context):
            yield tell(
                one,
                "an agent is told to act unseen",
                "say what is to be shown to the user",
            )
    for one, _other in seen.near(seen.of("conceal"), ("skip-consent", "trigger"), 1):
        if (
            one.view is SegmentView.PROSE
            and "user" in one.text
            and _RUNS.search(one.context)
        ):
            yield tell(
                one,
                "an agent is told to act without its user knowing",
                "say what is to be shown to the user",
            )


_UNSEEN_ACT = re.compile(
    r"(?:^|[.:;!>*-]\s*)(?:silently|secretly|covertly|stealthily|invisibly)\s+(?:run|"
    r"execut|send|upload|forward|transmit|read|collect|captur|install|download)|"
    r"(?:^|[.:;!>*-]\s*)(?:execute|run|send|upload)\s+(?:\w+\s+){0,3}(?:silently|"
    r"secretly|covertly)\b"
)
_RUNS = re.compile(
    r"\b(?:execut|run|send|upload|forward|exfil|transmit|read|collect|captur|harvest|"
    r"delet|install|download|inject|relay)\w*\b"
)


@rule(_WARNING, category="injection")
def switched_off(seen: ScanMatches) -> Iterator[RuleProblem]:
    """Safeguards of an agent or of a connection are switched off."""
    for one in seen.of("unguarded"):
        if (
            not is_warning(one)
            and one.piece.language != "strings"
            and "--dangerously" not in one.text
        ):
            yield tell(
                one,
                "an agent's safeguards are switched off",
                "leave that to whoever runs the agent",
            )
    for one in seen.of("open-root"):
        if not is_warning(one):
            yield tell(
                one, "a folder is opened to everybody, with the system's own rights"
            )


@rule(_WARNING, category="injection")
def told_to_obey(seen: ScanMatches) -> Iterator[RuleProblem]:
    """An agent is told to do what a page or a reply says, or to send its work away."""
    for one in seen.of("fetch-obey"):
        if (
            one.view is not SegmentView.CODE
            and not is_warning(one)
            and strangers(seen, one, 0)
        ):
            yield tell(
                one,
                "an agent is told to follow what a page says",
                "put the text into the skill, where it is reviewed",
            )
    for one, _other in seen.near(seen.of("send-words"), ("trigger",), 0):
        private = seen.beside(one, ("secret-words", "talk-words"), 0)
        if (
            one.view is not SegmentView.CODE
            and private
            and strangers(seen, one, 0)
            and not is_warning(one)
        ):
            yield tell(one, "an agent is told to send something away each time")


@rule(_WARNING, category="persistence")
def lasting_change(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill changes what an agent remembers, or what starts with the machine."""
    writes = re.compile(
        r"\b(?:inject|append|write)\b[^\n]{0,40}\b(?:soul|memory|claude|agents|"
        r"identity)\.md|desktop_config\.json[^\n]{0,40}(?:register|additional)|"
        r"(?:append|add)\b[^\n]{0,40}desktop_config"
    )
    for one in seen.of("memory-file"):
        if (
            one.view is SegmentView.PROSE
            and writes.search(one.context)
            and not is_warning(one)
            and re.search(
                r"\balways\b|persist|so (?:it|the agent)|automatically", one.context
            )
        ):
            yield tell(
                one,
                "an agent's memory is changed for good",
                "let the user decide what is remembered",
            )


@rule(_WARNING, category="injection")
def quoted_attack(seen: ScanMatches) -> Iterator[RuleProblem]:
    """An attack is quoted below words that warn of it; a person sees whether it is."""
    for one in seen.of("override", "decode-run", "fetch-run", "leak-in-reply"):
        is_harmless = one.sign == "fetch-run" and not strangers(seen, one, 0)
        if is_warning(one) and not is_harmless:
            hint = "say plainly that it is an example, or describe it instead"
            yield tell(one, "an attack is quoted", hint)


DOUBTS = rules_in(globals())
