"""Rules on secrets and personal data."""

import math
import re
from collections import Counter
from collections.abc import Iterator

from skillforge.checks.scan.matches import ScanMatches
from skillforge.checks.scan.segments import Segment
from skillforge.model import RuleProblem, Severity, rule, rules_in
from skillforge.redact import tokens
from skillforge.redact.formats import CARD, IBAN, has_card_digits, has_iban_digits

_WARNING = Severity.WARNING
_MADE_UP = re.compile(
    r"example|xxx|your|fake|dummy|placeholder|sample|redacted|abcdef|012345|123456|"
    r"0000|aaaa|\.\.\.",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d{4}[ -]?\d{4}")
_TEST_CARDS = re.compile(
    r"4242|4111|5555555555554444|378282246310005|4000|1234|0000000"
)
_MAIL = re.compile(
    r"\b[\w.+-]{1,64}@(?!example\.|test\.|localhost)[\w-]{1,63}"
    r"(?:\.[\w-]{1,63}){0,8}\.[a-z]{2,24}\b"
)
_HOME = re.compile(r"(?:/home/|/Users/|C:\\Users\\)(?!user\b|me\b|you\b|<)[\w.-]+")


@rule(_WARNING, category="leak")
def leaked_secret(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill contains no working key, which every reader could use.

    Only tokens of known formats are reported, and none that are obviously made up. A
    real key must be revoked at its service; deleting it from the file does not help.
    """
    hint = "revoke it at the service, and read it from the environment"
    for segment in matches.segments:
        for token in tokens.find(segment.raw):
            if _looks_real(token.value):
                message = f"possible secret: {token.what}"
                yield _at(segment, token.start, token.value, message, hint)


def _looks_real(token: str) -> bool:
    """Whether a token is random enough to be a real one."""
    if _MADE_UP.search(token):
        return False
    counts = Counter(token)
    bits = -sum(n / len(token) * math.log2(n / len(token)) for n in counts.values())
    return bits > 3.2


@rule(_WARNING, category="leak")
def private_data(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill and its examples contain no personal data.

    Cards and bank accounts are recognized by their check digits. In evidence, which is
    redacted, email addresses and home folders are reported as well.
    """
    for segment in matches.segments:
        if segment.language in ("strings", "resolved"):
            continue
        for pattern, what, is_real in _PRIVATE if _DIGITS.search(segment.raw) else ():
            for match in pattern.finditer(segment.raw):
                if is_real(match[0]):
                    hint = "replace it with a made-up one"
                    yield _at(
                        segment, match.start(), match[0], f"contains {what}", hint
                    )
        if is_evidence(segment.path):
            for pattern, what in (
                (_MAIL, "an email address"),
                (_HOME, "a home folder"),
            ):
                for match in pattern.finditer(segment.raw):
                    message = f"contains {what}"
                    yield _at(segment, match.start(), match[0], message, "redact it")


def is_evidence(path: str) -> bool:
    """Whether a path belongs to an example rather than to the skill."""
    return path.startswith("/")


def _is_card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    is_sample = _TEST_CARDS.search(digits) or len(set(digits)) <= 4
    return not is_sample and has_card_digits(digits)


def _is_iban(text: str) -> bool:
    letters = text.replace(" ", "")
    is_sample = _MADE_UP.search(letters) or letters in _SAMPLE_IBANS
    return not is_sample and has_iban_digits(letters)


_SAMPLE_IBANS = (
    "DE89370400440532013000",
    "GB82WEST12345698765432",
    "GB33BUKB20201555555555",
)
_PRIVATE = (
    (CARD, "a card number", _is_card),
    (IBAN, "a bank account number", _is_iban),
)


def _at(
    segment: Segment, start: int, value: str, message: str, hint: str
) -> RuleProblem:
    """A problem that does not repeat the secret itself."""
    line = segment.line_of(start)
    return RuleProblem(message, hint, line, segment.path, f"{value[:6]}…")


LEAKS = rules_in(globals())
