"""Secrets in what is published: precise, so that a release can stop at each of them.

A transcript is redacted with care, as nobody reads all of it. A skill is read by
reviewers, and full of words such as `password=secret` and `max_tokens=128000`. Here a
secret has the format of a service, correct check digits, or random letters after the
name of a secret, and is no example, variable or identifier.
"""

import ipaddress
import re
from collections.abc import Iterator

from skillforge.redact import tokens
from skillforge.redact.decoded_views import Edit, replaced, views
from skillforge.redact.formats import (
    CARD,
    IBAN,
    PRIVATE_KEY,
    has_card_digits,
    has_iban_digits,
)
from skillforge.redact.made_up import is_generated, is_made_up, is_random
from skillforge.redact.redaction import KnownPrivate, locate
from skillforge.redact.tokens import ServiceToken

# A value after the name of a secret: the rest of the name, a sign, and the value.
_NAME = re.compile(
    r"(?:pass|pwd|secret|token|credential|creds|auth|key)[\w.-]{0,24}", re.IGNORECASE
)
_BEGINNING = re.compile(r"(?:[A-Za-z]{1,12} )?[?&;]?[\w.-]{0,40}\Z")
# Names of secrets, and names of other keys, which may have an id as their value.
_SECRET = re.compile(
    r"pass|pwd|secret|token|cred|auth|"
    r"(?:api|access|private|client|signing|encryption|master|service|account|license|app|"
    r"storage|consumer|shared|admin|root|deploy|webhook)[ _.-]?key",
    re.IGNORECASE,
)
_KEY = re.compile(r"[A-Za-z0-9]_(?i:key)|[a-z0-9]Key|[A-Z]KEY")
_OPTION = re.compile(r"(?<!\S)--?[\w.-]+")
_QUERY = re.compile(r"[?&;][\w.-]+")
_ASSIGNS = re.compile(
    r"""["'`*\])}>]{0,4}(?:
    \s{0,3}(?::?\s?\w{1,12}\s{1,3})?  # a type, as in `token: str = `
    (?:[:=?+.|]{0,2}=|[=-]>|:{1,3}|,|\||\bis\b|>)
    [\s"'`*(\[{-]{0,8}(?:value\s?=\s?["'])?
    |[\s"'](?<=[\s"'])value\s?=\s?["']
    |(?P<space>[ \t]{1,4}["'`]?))
    (?:(?:Bearer|Basic|Token|ApiKey|Key|SSWS)[ \t]{1,3})?""",
    re.IGNORECASE | re.VERBOSE,
)
# Without going back: a line may consist of nothing else.
_VALUE = re.compile(r"[A-Za-z0-9+/=_.~-]{12,4096}+(?![^\s\"'`&;,.<>(){}|\[\]\\…])")
_NEXT_NAME = re.compile(r"[a-z_]+=|[A-Z_]+=(?!=|$)")  # of an empty value
_PASSWORD = re.compile(
    r"(?=[\w+/=.~-]{0,63}[!#$%^*@?:|])[^\s\"'`&;,(){}<>\[\]\\]{10,64}+"
)
_LONG = 256  # characters that decide about a value
_LEAST = 16  # characters of a name and its value
_BEFORE = 100  # characters before a number that may say that it is a card's
_NO_SECRET = re.compile(
    r"public|pub_?key|primary|foreign|partition|sort_?key|cache|idempoten|cursor|"
    r"(?:next|page|sync|continuation|csrf|xsrf)_?-?token|site_?key|publishable|(?:\b|_)anon|"
    r"(?:\b|_)(?:max|min|num|total|input|output|prompt|completion)\w{0,12}_?tokens?|"
    r"author(?!iz)|row_?key|"
    r"(?:key|token|secret|auth|password|credential)s?[_.-]?(?:id|name|ref|type|url|uri|"
    r"path|file|count|limit|length|size|hash|digest|sha\d*|version|format|prefix|"
    r"alias|arn|endpoint|store|vault|ring|board|word|frame|point|pair|map|expir\w*)|"
    r"fingerprint|thumbprint|checksum|integrity|nonce|etag|tokeni[sz]er",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_LOGIN = re.compile(
    r"://(?P<user>[^\s/@:<>\"'`]{0,64}):"
    r"(?P<password>[^\s/@<>\"'`]{8,200})@(?P<host>\[[0-9a-fA-F:]+\]|[\w.-]+)",
    re.IGNORECASE,
)
_RESERVED_HOST = re.compile(
    r"(?:.+\.)?(?:example\.(?:com|org|net)|example|test|invalid|localhost|local)\.?",
    re.IGNORECASE,
)

_DIGITS = re.compile(r"\d{4}[ -]?\d{4}")
_CARD_NAME = re.compile(r"card|\bpan\b|visa|master|amex|payment", re.IGNORECASE)
# The numbers that payment services publish for tests.
_TEST_CARD = re.compile(
    r"4242|4000|4111|4012888888881881|5555555555554444|5105105105105100|37(?:8282246310005|"
    r"1449635398431|8734493671000)|6011(?:111111111117|000990139424)|35(?:30111333300000|"
    r"66002020360505)|2223003122003222|\d*(?:1234|0000000)"
)
_SAMPLE_IBANS = (
    "DE89370400440532013000",
    "GB82WEST12345698765432",
    "GB33BUKB20201555555555",
)
_PERSONAL = {"EMAIL": "an e-mail address", "PHONE": "a phone number"}
_ROLE = re.compile(
    r"(?:git|info|help|support|contact|security|sales|admin|team|hello|press|privacy|"
    r"no-?reply|postmaster|webmaster)(?:[+.-].*)?",
    re.IGNORECASE,
)


def find(text: str) -> list[ServiceToken]:
    """The secrets in a text that is published, in order."""
    if len(text) < _LEAST:
        return []
    return tokens.in_order(
        leak
        for view in views(text)
        for leak in (
            *(t for t in tokens.in_view(view) if not is_made_up(t.value)),
            *(
                ServiceToken(what, view.text[start:end], *view.span(start, end))
                for what, start, end in _in_context(view.text)
            ),
        )
    )


def find_private(text: str, known: KnownPrivate) -> list[ServiceToken]:
    """The cards, bank accounts and known private names in a published text."""
    return tokens.in_order(
        ServiceToken(what, view.text[start:end], *view.span(start, end))
        for view in views(text)
        for what, start, end in (*_accounts(view.text), *_known(view.text, known))
    )


def _known(text: str, known: KnownPrivate) -> Iterator[tuple[str, int, int]]:
    for kind, pattern in known.patterns:
        for match in pattern.finditer(text):
            if match[0]:
                yield f"a private {kind.lower()} of the policy", *match.span()


def _accounts(text: str) -> Iterator[tuple[str, int, int]]:
    """Cards and bank accounts, except those that manuals use."""
    if not _DIGITS.search(text):
        return
    for match in CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        is_named = digits != match[0] or _CARD_NAME.search(before.split("\n")[-1])
        is_sample = _TEST_CARD.match(digits) or len(set(digits)) <= 4
        if is_named and not is_sample and has_card_digits(digits):
            yield "a card number", *match.span()
    for match in IBAN.finditer(text):
        letters = match[0].replace(" ", "")
        is_sample = is_made_up(letters) or letters in _SAMPLE_IBANS
        if not is_sample and has_iban_digits(letters):
            yield "a bank account number", *match.span()


def personal(text: str) -> list[ServiceToken]:
    """The e-mail addresses and phone numbers of people in a text."""
    return [
        ServiceToken(_PERSONAL[kind], text[start:end], start, end)
        for kind, start, end in locate(text, KnownPrivate(), _PERSONAL)
        if kind != "EMAIL" or not _is_public(text[start:end])
    ]


def _is_public(mail: str) -> bool:
    """Whether an address belongs to an example or to a project, not to a person."""
    mailbox, _, host = mail.partition("@")
    return is_reserved(host) or _ROLE.fullmatch(mailbox) is not None


def masked(text: str) -> str:
    """A text with its secrets cut to their first characters."""
    edits = [Edit(leak.start, leak.end, f"{leak.value[:6]}…") for leak in find(text)]
    return replaced(text, edits)


def _in_context(text: str) -> Iterator[tuple[str, int, int]]:
    """Private keys, assigned values and logins: what they are, and their places."""
    if "PRIVATE KEY" in text:
        for match in PRIVATE_KEY.finditer(text):
            if not is_made_up(match[0].split("KEY", 1)[1]):
                yield "a private key", *match.span()
    for match in _NAME.finditer(text):
        yield from _assigned(text, match)
    for match in _LOGIN.finditer(text) if "://" in text else ():
        if is_generated(match["password"]) and not is_reserved(match["host"]):
            yield "a login", *match.span("password")


def _assigned(text: str, name: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """The random value that is assigned to the name of a secret, if there is one."""
    sign = _ASSIGNS.match(text, name.end())
    if sign is None:
        return
    start = sign.end()
    is_id = _UUID.match(text, start) is not None
    if match := _VALUE.match(text, start):
        value = match[0].rstrip(".=-")
        is_cut_off = match[0].endswith("...") or _NEXT_NAME.match(value)
        is_unique = is_random(value[:_LONG]) or (is_id and not is_made_up(value))
        is_value = is_unique and not is_cut_off
    elif match := _PASSWORD.match(text, start):
        value = match[0]
        is_value = is_generated(value)
    else:
        return
    end = start + len(value)
    if is_value and _is_secret(text, name, sign, is_id) and text[end : end + 1] != "(":
        yield "a random value of a secret", start, end


def _is_secret(
    text: str, name: re.Match[str], sign: re.Match[str], is_id: bool
) -> bool:
    """Whether a name is that of a secret, and how its value is written fits."""
    before = _BEGINNING.search(text, max(0, name.start() - 60), name.start())
    whole = f"{before[0] if before else ''}{name[0]}"
    is_named = _SECRET.search(whole) or (_KEY.search(whole) and not is_id)
    own = whole.rpartition(" ")[2]
    # The word before only says more about a plain word: `cursor token`.
    if not is_named or _NO_SECRET.search(whole if own.isalpha() else own):
        return False
    if sign["space"]:  # `--token value`, `password value`
        return bool(_OPTION.search(whole)) or name[0][:4].lower() == "pass"
    # A link to a file may have an id as its token.
    return not (is_id and _QUERY.search(whole))


def is_reserved(host: str) -> bool:
    """Whether a host is an example, or only on a private network."""
    if _RESERVED_HOST.fullmatch(host) or "." not in host.strip("[]").replace(":", "."):
        return True
    try:
        return not ipaddress.ip_address(host.strip("[]")).is_global
    except ValueError:
        return False
