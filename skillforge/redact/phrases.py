"""Secrets by context: after an option, in a header, in a sentence."""

import re
from collections.abc import Iterator

from skillforge.redact.secrets import (
    NAME,
    is_no_word,
    is_placeholder,
    is_sample_login,
)

_VALUE = r"[\"'`]?(?P<value>[^\s\"'`,;<>(){}\[\]]{4,200})"
# Technical terms of letters and digits: `password OAuth2`, `pass arg1`.
_TECHNICAL_TERM = re.compile(
    r"(?:utf|sha|md|base|o?auth|argon|bcrypt|scrypt|pbkdf|varchar|char|int|float|v|"
    r"ver(?:sion)?|step|test|user|field|item|line|part|phase|stage|level|type|option|"
    r"rule|section|https?|tls|ssl|rc|ipv|key|id|page|round|attempt|arg|param|case|"
    r"min|max|len|row|col|win|x|k|s|ec|h|p|python|py|java|node|es|web|mp|stage|server|"
    r"client|host|db|app|service|env|prod|dev|bucket)[-_.]?\d+\w{0,3}",
    re.IGNORECASE,
)
_IN_PROSE = re.compile(
    r"(?:option|flag|arg(?:ument)?|param(?:eter)?|switch|prompt\w*|stdin|from|with|"
    r"when|that|which|will|must|should|and|the|for)s?",
    re.IGNORECASE,
)
# Each pattern with a word that the text must contain, in lower case.
_OPTIONS = (
    (
        "-",
        re.compile(
            r"(?<!\S)--?(?:(?:http-|proxy-)?password|passwd|passphrase|pass|token|secret|"
            r"api-key|auth-token)[ =][\"']?(?P<value>[^\s\"'<>]{4,200})",
            re.IGNORECASE,
        ),
    ),
    (
        "-pass",
        re.compile(r"\s-pass(?:in|out)?\s+[\"']?pass:(?P<value>[^\s\"'<>]{3,200})"),
    ),
    (
        " -p ",
        re.compile(
            r"\b(?:un)?zip\s(?:-\S+\s){0,6}-P\s[\"']?(?P<value>[^\s\"'<>]{3,200})"
        ),
    ),
    (
        "htpasswd",
        re.compile(r"\bhtpasswd\s+-\w*b\w*\s+\S+\s+\S+\s+(?P<value>[^\s\"'<>]{3,200})"),
    ),
    (
        "machine",  # of ~/.netrc
        re.compile(
            r"\bmachine\s+\S{1,200}\s+login\s+\S{1,100}\s+password\s+"
            r"(?P<value>[^\s\"'<>]{3,200})"
        ),
    ),
    # A password that is piped: `echo … | sudo -S true`.
    (
        "echo",
        re.compile(
            r"\becho\s(?:-\w\s)?(?:\"(?P<double>[^\"\n]{3,100})\"|'(?P<single>[^'\n]{3,100})'"
            r"|(?P<value>[^\s\"'<>|$]{3,200}))\s?\|\s?[^\n|;]{0,200}?"
            r"(?:\bsudo\s(?:-\S+\s){0,3}-\w{0,3}S\b|-stdin\b|\bchpasswd\b)"
        ),
    ),
    # Logins in SQL, Python, PowerShell and Oracle.
    (
        "'",
        re.compile(
            r"\b(?:identified\s(?:with\s\S{1,40}\s)?by|(?:user|role|login)\b[^\n;]{0,80}"
            r"\bpassword)\s{1,3}=?\s?'(?P<value>[^'\n]{3,100})'",
            re.IGNORECASE,
        ),
    ),
    (
        "auth",
        re.compile(
            r"\b(?:auth\s?=\s?|\w{0,20}Auth)\(\s?[\"'][^\"'\n]{1,64}[\"'],\s?"
            r"(?:\"(?P<double>[^\"\n]{3,100})\"|'(?P<single>[^'\n]{3,100})')"
        ),
    ),
    (
        "securestring",
        re.compile(
            r"ConvertTo-SecureString\s(?:-String\s)?[\"'](?P<value>[^\"'\n$]{3,100})[\"']",
            re.IGNORECASE,
        ),
    ),
    (
        "/",
        re.compile(
            r"(?:\bsqlplus\s(?:-\S+\s)?|:oracle:thin:)(?P<value>[^\s/:@]{1,40}/[^\s/@]{3,100})@"
        ),
    ),
    (
        '"',  # `type "…" into the password field`
        re.compile(
            r"\b(?:type|enter|fill|put|input|send)\s\"(?P<value>[^\"\n]{3,100})\"\s(?:in|into)\s"
            r"(?:\w{1,20}\s){0,3}(?:password|passphrase|passcode)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "setx",
        re.compile(
            r"\bsetx\s\w*PASS(?:WORD)?\s+[\"']?(?P<value>[^\s\"']{3,200})", re.I
        ),
    ),
    (
        "phrase",  # of a wallet: twelve words or more
        re.compile(
            r"\b(?:seed|recovery|mnemonic|backup)\sphrase[^\n:=]{0,20}(?:[:=]|\bis\b)\s{1,3}"
            r"[\"']?(?P<value>[a-z]{3,8}(?:\s[a-z]{3,8}){11,23})\b"
        ),
    ),
    # Headers and URLs that grant access; the value may be any word.
    (
        "authorization",
        re.compile(
            r"\bAuthorization[\"']?\s?[:=]\s?[\"']?(?:Bearer|Basic|Token|ApiKey)\s+"
            r"(?P<value>(?!TOKEN\b|KEY\b)[^\s\"'`;\\<>$%{(\[]{6,500})",
            re.IGNORECASE,
        ),
    ),
    (
        "authorization:",
        re.compile(
            r"\bAuthorization:\s?(?P<value>(?=[^\s\"'<>]{0,20}\d)[^\s\"'<>${(]{8,500})"
            r"(?=[\"']?\s*(?:\n|\Z|-))",
            re.IGNORECASE,
        ),
    ),
    (
        "=",
        re.compile(
            r"[?&](?:sig|signature|key|jwt|sid|session_?id)="
            r"(?P<value>(?=[^&\s\"']{0,20}\d)[^&\s\"'<>#]{8,500})",
            re.IGNORECASE,
        ),
    ),
    (
        "curl",
        re.compile(
            r"\bcurl\s(?:[^\n|;&]{0,200}?\s)?(?:-b|--cookie)[ =][\"']?"
            r"(?P<value>[^\s\"'<>=$]{1,64}=[^\s\"'<>$]{4,400})"
        ),
    ),
    (
        "cookie:",
        re.compile(r"\b(?:Set-)?Cookie:\s*(?P<value>[^\n]{4,500})", re.IGNORECASE),
    ),
    # Including the option, as a value inside a word is not replaced.
    (
        " -p",
        re.compile(
            r"\b(?:mysql|mariadb)\w*\s(?:[^\n|;&]{0,200}?\s)?"
            r"(?P<value>-p(?![\"']?\$)[\"']?[^\s\"'<>]{3,200}[\"']?)"
        ),
    ),
    (
        "pass ",  # FTP, POP3, IRC: with a client's marks and the server's answer
        re.compile(
            r"(?:^|\\n|\")[^\w\n]{0,6}USER[ ][^\s\\]{1,64}(?:\s|\\[rn]){1,4}"
            r"(?:\W{0,4}\d{3}[ -][^\n\\]{0,200}(?:\s|\\[rn]){1,4})?"
            r"\W{0,6}PASS[ ](?P<value>[^\s<>\\\"]{3,200})",
            re.MULTILINE,
        ),
    ),
    ("sshpass", re.compile(r"\bsshpass\s+(?P<value>-p[\"']?[^\s\"'<>$]{3,200})")),
    ("sshpass", re.compile(r"\bsshpass\s+-p\s+[\"']?(?P<value>[^\s\"'<>]{3,200})")),
    (
        " -u",
        re.compile(
            r"\bcurl\s(?:[^\n|;&]{0,200}?\s)?(?P<value>-u[^\s:\"'<>$]{1,64}:\S{3,200})"
        ),
    ),
    (
        "redis-cli",
        re.compile(
            r"\bredis-cli\s[^\n|;&]{0,100}?-a\s[\"']?(?P<value>[^\s\"'<>]{4,200})"
        ),
    ),
    (
        "ldap",
        re.compile(
            r"\bldap\w{3,9}\s[^\n|;&]{0,200}?-w\s[\"']?(?P<value>[^\s\"'<>]{4,200})"
        ),
    ),
    (
        "login",  # `docker login -u ada -p …`
        re.compile(
            r"\blogin\s(?:[^\n|;&]{0,200}?\s)?-p[ =](?:\"(?P<double>[^\"\n]{4,100})\"|"
            r"'(?P<single>[^'\n]{4,100})'|(?P<value>[^\s\"'<>]{4,200}))"
        ),
    ),
)
_LOGIN = re.compile(
    r"(?<!\S)(?:-[A-Za-z]{0,5}u|-U|--(?:proxy-)?user|--auth|(?<=\bhttp )-a)[ =]"
    r"(?:\"(?P<double>[^\s:\"<>$]{1,64}:[^\"\n]{3,100})\""
    r"|'(?P<single>[^\s:'<>$]{1,64}:[^'\n]{3,100})'"
    r"|(?P<value>[^\s:\"'<>$]{1,64}:[^\s\"'<>]{3,200}))"
)
# "The password for the server is …".
_FOR = re.compile(
    rf"\b(?:{NAME})s?\s(?:for|of|to|on)\s[^.:=\n]{{1,60}}?(?:\sis|:)\s{{1,2}}{_VALUE}",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\b(?:Bearer|Basic|(?P<token>Token))\s+(?P<value>[A-Za-z0-9._~+/=-]{8,500})",
    re.IGNORECASE,
)
_SENTENCES = (
    # `password hunter2`
    (
        "pass",
        re.compile(
            rf"\b(?:pass(?:word|wd|phrase|code|wort))[ \t]{{1,4}}{_VALUE}(?!\()",
            re.IGNORECASE,
        ),
    ),
    # `user ada pass hunter2`, `login: ada / hunter2`
    (
        "p",
        re.compile(
            r"\b(?:user(?:name)?|login|account)\b[\s:=]{1,3}[^\s,;]{1,64}[,;/\s]{1,3}"
            r"(?:and\ )?(?:pass(?:word|wd|code)?|pw|pwd)\b(?:\s?[:=]|\sis)?"
            rf"\s{{1,2}}{_VALUE}",
            re.IGNORECASE,
        ),
    ),
    (
        "",
        re.compile(
            r"\b(?:login|credentials?|creds|zugangsdaten|identifiants|credenciales)\b"
            r"(?:\ (?:are|is))?[:=]?\s{1,2}"
            rf"[\w.@+-]{{1,64}}(?:\ /\ |[/:]){_VALUE}",
            re.IGNORECASE,
        ),
    ),
    # `use hunter2 as the password`, `-u ada … -p hunter2`
    (
        "pass",
        re.compile(
            rf"\b(?:use|using|with|try|enter|type)\ {_VALUE}[\"'`]?\ "
            r"(?:as|for|in(?:to)?)\ "
            r"(?:\w{1,20}\ ){0,2}(?:password|passphrase|passcode)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "-p",
        re.compile(
            rf"(?<!\S)-u[ =]?[^\s-]\S{{0,63}}\s(?:[^\n|;&]{{0,80}}?\s)?-p[ =]{_VALUE}"
        ),
    ),
)
_LONG = 16
_SHORT_TOKEN = 10


def find(text: str) -> Iterator[str]:
    """Secrets after an option, in a header or in a sentence."""
    lower = text.lower()
    for word, pattern in _OPTIONS:
        for match in pattern.finditer(text) if word in lower else ():
            value = next(group for group in match.groups() if group)
            if not is_placeholder(value) and not _IN_PROSE.fullmatch(value):
                yield value
    yield from _logins(text)
    yield from _headers(text)
    for word, pattern in _SENTENCES:
        for match in pattern.finditer(text) if word in lower else ():
            if _is_strong(value := match["value"].rstrip(".:!?")):
                yield value


def _logins(text: str) -> Iterator[str]:
    for match in _LOGIN.finditer(text):
        login = next(group for group in match.groups() if group)
        name, _, password = login.partition(":")
        is_group = name == password or (name + password).isdigit()  # `root:root`
        is_sample = is_group or is_sample_login(login)
        if not is_placeholder(password) and not is_sample:
            yield login


def _headers(text: str) -> Iterator[str]:
    for match in _FOR.finditer(text):
        value = match["value"].rstrip(".:!?")
        if is_no_word(value) and not is_placeholder(value):
            yield value
    for match in _HEADER.finditer(text):
        value = match["value"]
        is_long = len(value) >= _LONG and not match["token"] and value.strip("-=~+./_")
        least = _SHORT_TOKEN if match["token"] else 0
        if is_long or (len(value) >= least and is_no_word(value)):
            yield value


def _is_strong(value: str) -> bool:
    """Whether a word in a sentence mixes letters and digits like a password."""
    is_mixed = re.search(r"\d", value) and re.search(r"[^\W\d_]", value)
    is_path = re.search(r"[/\\=|]|\w\.\w{1,5}$|@\w", value)
    is_word = is_placeholder(value) or _TECHNICAL_TERM.fullmatch(value)
    return bool(len(value) >= 6 and is_mixed and not is_path and not is_word)
