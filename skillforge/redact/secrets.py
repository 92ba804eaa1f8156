"""Secrets, by the token formats of services or by their context."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any

from skillforge.redact.formats import formats_in, token_pattern

NAME = (
    r"(?:pass(?:word|wd|phrase|code|wort)|kennwort|contrase[nñ]a|senha|wachtwoord|pwd|"
    r"mots?[_ -]de[_ -]passe|\bmdp\b|parola[ ]d'ordine|\bclave\b|\bhas[lł]o\b|пароль|"
    r"密码|密碼|パスワード|비밀번호|"
    r"secret|token|api[_ -]?key|access[_ -]?key|private[_-]?key|"
    r"auth(?:orization)?[_-]?(?:key|token)|client[_-]?secret|"
    r"credentials?|session[_-]?(?:key|token)|bearer|\w_pass\b|(?:\b|_)pw\b)"
)
# A text that names a secret contains one of these.
NEEDED = (
    r"pass|pw|secret|token|key|auth|credential|bearer|basic|cookie|kennwort|contrase|"
    r"senha|wachtwoord|mdp|parola|clave|has[lł]o|пароль|密|パスワード|비밀|-[up]"
)
_KEY = re.compile(
    rf"(?:^|[_\W]|[a-z](?=[A-Z]))(?:{NAME}|pass|authorization|cookie)s?$",
    re.IGNORECASE,
)
# After these names, a plain word is a secret too.
_ANY_VALUE = re.compile(
    r"pass|pwd|_pw\b|secret|kennwort|contrase|senha|woord|mdp", re.IGNORECASE
)
# A value after a secret's name: any in quotes, else one that is not a plain word.
_ASSIGNED = re.compile(
    rf"""{NAME}[\w-]{{0,20}}(?:\\?["'])?\s{{0,3}}
    (?P<sign>=>|:=|[=:]|->|→|\b(?:is|ist|lautet|est|es)\b:?
    |(?:\bwas\s|\bhas\sbeen\s)?(?:\b(?:re)?set\s|\bchanged\s)?\bto\b)\s{{0,3}}(?:
    \\?(?P<quote>["'`])(?P<quoted>(?!(?P=quote))[^\s\\](?:(?!(?P=quote))[^\n\\]){{3,200}})
    \\?(?P=quote)
    |(?P<bare>[^\s"'`,;(){{}}\[\]<>\\]{{4,200}}))""",
    re.IGNORECASE | re.VERBOSE,
)
_BEGIN = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----")
_END = re.compile(r"-----END [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----")
_KEY_LINES = re.compile(
    r"(?:(?:\s|\\n)*[A-Za-z0-9+/=]{20,})*(?:\s|\\n)*[A-Za-z0-9+/=]*"
)
_NO_VALUE = re.compile(
    r"\$\{?\w+\}?$|\$\(|\$\{\{|%\w+%$|\{\{|<[^>]*>$|\[|\*+$|\.{3}|x+$"
    r"|(?:os|process|env|settings|config|self|args|request)\."
    r"|(?:your|my|the|new|old|some|user|db|database|example|dummy|fake|sample)[-_ ]?"
    r"(?:[a-z]+[-_ ])?(?:password|passwd|pass|pw|secret|token|(?:api[-_ ]?)?key)s?$"
    r"|(?:none|null|true|false|undefined|required|optional|string|str|int|bool|include|"
    r"omit|same-origin|incorrect|invalid|expired|missing|protected|encrypted|"
    r"pass(?:word|wd|phrase)|placeholder|disabled|enabled|redacted|changeme)$",
    re.IGNORECASE,
)
_URL_LOGIN = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://(?!git@)"
    r"([^\s/@:<>\"']{0,64}:[^\s/@<>\"']{1,512}|[^\s/@:<>\"']{6,512})@",
    re.IGNORECASE,
)
# A line of ~/.pgpass, recognised by the port of PostgreSQL.
_PGPASS = re.compile(
    r"(?<![^\s\"'=])(?:[\w.*-]{1,100}:(?:543\d|6432)|\*:\*):[\w.*-]{1,64}:"
    r"([\w.*-]{1,64}:[^\s:\"'<>\\]{4,200})(?![^\s\"'\\])"
)
_NEXT_SETTING = re.compile(r"(?:;|&|[ ])\s?[A-Za-z][\w. -]{1,40}=")  # of a connection
_TEMPLATE = re.compile(r"\{\{\w+\}\}|\$\{?\w+\}?")  # to fill in
_SAMPLE_LOGIN = re.compile(
    r"(?:my|your)?_?(?:user(?:_?name)?|login|name)_?:(?:my|your)?_?(?:pass(?:word|wd)?|pw|secret)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?:key|pwd|pw|pass|password|token)[\"'\]]{0,2}\s{0,3}[=:]", re.I)
_REST = re.compile(r"[\w-]+")
_LEAST = 6  # letters of a value that is a secret in any context
_SEGMENT, _OVERLAP = 4096, 512  # letters that third-party patterns search at once


def is_placeholder(text: str) -> bool:
    """Whether a text is a placeholder for a secret: `$PASSWORD`, `<password>`."""
    return _NO_VALUE.match(text) is not None


def is_sample_login(text: str) -> bool:
    """Whether a text is a sample such as `user:password`."""
    return _SAMPLE_LOGIN.fullmatch(text) is not None


def by_key(key: str, text: str) -> bool:
    """Whether a field's name announces a secret and the value can be one."""
    if not _is_key(key) or len(text) < 4 or is_placeholder(text):
        return False
    if _ANY_VALUE.search(key):
        return True
    is_count = text.isdigit() and len(text) < 8  # `max_tokens`
    return not is_count and is_no_word(text)


@lru_cache(maxsize=4096)
def _is_key(key: str) -> bool:
    return _KEY.search(key) is not None


def is_no_word(value: str) -> bool:
    """Whether a value is not a plain word: it contains a digit or a sign."""
    return len(value) >= 6 and bool(re.search(r"\d|[a-z][A-Z]|\w[^\w.\-/\s]+\w", value))


def tokens(text: str) -> Iterator[str]:
    """Secrets in known formats: those of detect-secrets, and ours."""
    for segment in _segments(text):
        exact, assigned = _providers()
        for pattern in (*exact, *assigned) if _NAMED.search(segment) else exact:
            for match in pattern.finditer(segment):
                groups = [
                    group for group in match.groups() if group and len(group) >= 16
                ]
                yield max(groups, key=len, default=match[0]) + _rest(
                    segment, match.end()
                )
    for token in formats_in(text):
        yield from (match[0] for match in token_pattern(token).finditer(text))


def _segments(text: str) -> Iterator[str]:
    """Parts of a text that are searched quickly; they overlap by a token's length."""
    at = 0
    while at + _SEGMENT < len(text):
        yield text[at : at + _SEGMENT]
        at += _SEGMENT - _OVERLAP
    yield text[at:]


@cache
def _providers() -> tuple[list[re.Pattern[str]], list[re.Pattern[str]]]:
    """Patterns of detect-secrets: for secrets alone, and for secrets after a name.

    The latter are slow. Its entropy checks are not used.
    """
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector
    from detect_secrets.plugins.basic_auth import BasicAuthDetector
    from detect_secrets.plugins.ip_public import IPPublicDetector
    from detect_secrets.plugins.npm import NpmDetector
    from detect_secrets.plugins.private_key import PrivateKeyDetector

    # Ours match these completely, or stay fast on a hostile text.
    own = (BasicAuthDetector, IPPublicDetector, NpmDetector, PrivateKeyDetector)
    detectors: Iterable[Any] = get_mapping_from_secret_type_to_class().values()
    patterns = [
        pattern
        for detector in detectors
        if issubclass(detector, RegexBasedDetector) and detector not in own
        for pattern in detector.denylist
    ]
    assigned = [
        pattern
        for pattern in patterns
        if re.search(r"\(\?:key\||secret\[", pattern.pattern)
    ]
    return [pattern for pattern in patterns if pattern not in assigned], assigned


def _rest(text: str, end: int) -> str:
    """What follows a token that ends in a dot: a JSON Web Token's signature."""
    rest = _REST.match(text, end)
    return rest[0] if rest and text[end - 1] == "." else ""


def keys(text: str) -> Iterator[str]:
    """Private keys up to their end marker; without one, while it looks like a key."""
    ends = [match.end() for match in _END.finditer(text)]
    at = 0
    while begin := _BEGIN.search(text, at):
        number = bisect_right(ends, begin.end())
        cut_off = _KEY_LINES.match(text, begin.end())
        at = ends[number] if number < len(ends) else (cut_off or begin).end()
        yield text[begin.start() : at]


def named(text: str) -> Iterator[str]:
    """Values after the name of a secret."""
    for match in _ASSIGNED.finditer(text):
        if value := match["quoted"]:
            is_value = not is_placeholder(value)
        else:
            value = match["bare"].rstrip(".,:;!?")
            is_value = _is_bare_value(match, value) and not is_placeholder(value)
        if is_value:
            yield value


def _is_bare_value(match: re.Match[str], value: str) -> bool:
    """Whether unquoted text after a name is a value, not the next word."""
    after = match.string[match.end() : match.end() + 1]
    if after == "(":
        return False  # the name of a function that is called
    is_given = match["sign"] in ("=", ":=", ":", "=>") and after in ("", "\n")
    name = match.string[match.start() : match.start("sign")]
    is_password = _ANY_VALUE.search(name) is not None
    is_any = match["sign"] == "=" or (is_given and is_password)
    if len(value) < _LEAST:
        has_both = re.search(r"\d", value) and re.search(r"[A-Za-z]", value)
        return bool(is_password and has_both and match["sign"] in ("=", ":"))
    is_setting = match["sign"] == "=" and _NEXT_SETTING.match(match.string, match.end())
    return is_no_word(value) or bool(is_any and (is_setting or len(value) >= 8))


def logins(text: str) -> Iterator[str]:
    """User and password in a URL."""
    for match in _URL_LOGIN.finditer(text):
        if not _TEMPLATE.fullmatch(match[1]) and not is_sample_login(match[1]):
            yield match[1]


def pgpass_logins(text: str) -> Iterator[str]:
    """User and password in a line of ~/.pgpass."""
    for match in _PGPASS.finditer(text):
        password = match[1].partition(":")[2]
        if not is_placeholder(password) and not is_sample_login(match[1]):
            yield match[1]
