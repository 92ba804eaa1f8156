"""Data of people and their machines: email, phone, names, users, hosts, homes."""

import re
from collections.abc import Iterator
from functools import lru_cache

from skillforge.redact.formats import EMAIL, HOME

_PHONE = re.compile(
    r"""(?<![\w.+/-])(?:
    (?:\+|00)\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}
    |(?:1[ .-])?\(\d{3}\)[ .-]?\d{3}[ .-]?\d{4}
    |(?:1[.-])?\d{3}-\d{3}-\d{4}|(?:1\.)?\d{3}\.\d{3}\.\d{4}|\d{3}[ ]\d{3}[ ]\d{4}
    |0\d{2,4}[ /-]\d{5,8}|0\d{2,4}(?:[ -]\d{3,4}){2}|0\d(?:[ .-]\d\d){4}
    )(?:\s?(?:x|ext\.?)\s?\d{1,5})?(?!\w|\.\d|-\d)""",
    re.VERBOSE,
)
_PHONE_NAMED = re.compile(
    r"(?:\b(?:phone|tel|mobile|cell|fax|whatsapp)\b[^\n\d+(<]{0,15}"
    r"|\bcall(?: me| us| him| her)?(?: at| on)? )"
    r"(\+?\(?\d[\d() .-]{5,16}\d)(?!\w)",
    re.IGNORECASE,
)
_USER = r"(?<![\w.+/-])(?!git@)([A-Za-z_][\w-]{1,31})@([A-Za-z][\w-]{1,62})"
_ACCOUNT = re.compile(rf"{_USER}(?![\w@]|-\w|\.\w)")
_PACKAGES = re.compile(r"\b(?:npm|npx|yarn|pnpm|bun|uses:|go (?:get|install))\b|@\d")
_VARIABLE = re.compile(r"\b(USER|LOGNAME|USERNAME|HOSTNAME)=([\w.-]{2,64})")
_INNER_HOST = re.compile(
    r"(?<![\w.-])(?:[A-Za-z0-9][\w-]{0,62}\.){1,8}"
    r"(?:internal|local|lan|corp|intra|intranet|localdomain)"
    r"(?:(?:\.[a-z][a-z0-9-]{1,30}){1,3})?(?![\w-]|\.\w)",
)
_FIELDS = (
    ("USER", r"user[_-]?(?:name|id)|login|logname"),
    ("HOST", r"host[_-]?name"),
)
_ONE_WORD = re.compile(r"(?:^|[_\W])(?:user|host|owner|author|assignee)$", re.I)
_KINDS = [
    (kind, re.compile(rf"(?:^|[_\W]|[a-z](?=[A-Z]))(?:{names})$", re.IGNORECASE))
    for kind, names in _FIELDS
]
_EVERY_FIELD = "|".join(names for _, names in _FIELDS)
_KEYED = re.compile(
    rf"""["']?(?<![^\W_])(?P<key>{_EVERY_FIELD})\\?["']?\s{{0,2}}(?:
    [:=]\s{{0,2}}\\?["'](?P<quoted>[^"'\n\\<>{{}}$]{{2,64}})\\?["']
    |=(?P<bare>[\w.-]{{2,64}})(?![\w({{.-])
    |:\ {{0,2}}(?P<alone>[\w.-]{{2,64}})(?=\ *(?:$|\\n|[,;}}\]])))""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_MAILBOX = re.compile(
    r"(?<!\w)([A-Z][\w.'-]{1,30}(?: [A-Z][\w.'-]{0,30}){0,3}) <"
    r"(?=[\w.+-]{1,64}@|<EMAIL_)"
)
_SSH = re.compile(r"\bssh\s+(?:-\S+\s+){0,4}([A-Za-z][\w-]*(?:\.[\w-]+)+)")
_IN_URL = re.compile(r"//[^\s/@:]{0,64}:\Z")  # a password, and no mailbox
_SLUG = re.compile(r"(?<![\w-])-(?:Users|home)-([A-Za-z0-9]{2,32})-")
# Names that identify nobody, and names that are also words.
_COMMON = re.compile(
    r"root|users?1?|admin1?|ubuntu|runner|tests?|guest|me|you|home|app|node|build|"
    r"shared|default|public|nobody|www|vagrant|jenkins|localhost|host|server|example|"
    r"demo|dev|prod|none|null|true|false|string|name|username|password|pass|login|self|git|sudo|int|"
    r"str|id|required|optional|the|and|for|with|any|all|will|may|mark|grant|art|rose|"
    r"hope|bill|guy|chase|drew|sky|dean|max|rich|page|key|case|new|main|master|latest|"
    r"next|beta|alpha|unknown|mapping|redirect|field|value|type|text|number|data|info",
    re.IGNORECASE,
)


def is_common(name: str) -> bool:
    """Whether a name identifies nobody."""
    is_short = len(name) < 3 and not name.istitle()
    return is_short or name.isdigit() or _COMMON.fullmatch(name) is not None


def by_key(key: str, text: str) -> str:
    """The kind of private value that a field's name announces; empty if none."""
    if not 2 <= len(text) <= 64:
        return ""
    is_one_word, kind = _kind_of(key)
    if is_one_word and re.fullmatch(r"[a-z][\w-]{2,31}", text):
        kind = "HOST" if "host" in key else "USER"
    return "" if not kind or is_common(text) else kind


@lru_cache(maxsize=4096)
def _kind_of(key: str) -> tuple[bool, str]:
    """Whether a field holds a name only if it is one word; and its kind otherwise."""
    kinds = (kind for kind, pattern in _KINDS if pattern.search(key))
    return _ONE_WORD.search(key) is not None, next(kinds, "")


def emails(text: str) -> Iterator[str]:
    """Email addresses."""
    for match in EMAIL.finditer(text):
        before = text[max(0, match.start() - 70) : match.start()]
        if not _IN_URL.search(before):
            yield match[0]


def phones(text: str) -> Iterator[str]:
    """Phone numbers in national formats, or after a word such as `phone`."""
    for match in _PHONE.finditer(text):
        if 7 <= sum(map(str.isdigit, match[0])) <= 18:
            yield match[0]
    yield from (match[1] for match in _PHONE_NAMED.finditer(text))


def homes(text: str) -> Iterator[tuple[str, str]]:
    """Home folders in a text, each with its user."""
    if "home" in text or "sers" in text:
        for match in HOME.finditer(text):
            yield match[0], match["user"]


def users(text: str) -> Iterator[str]:
    """User names: in prompts, commands, fields and variables."""
    yield from (user for user, _ in _at_hosts(text) if not is_common(user))
    yield from (slug[1] for slug in _SLUG.finditer(text) if not is_common(slug[1]))
    for key, value in _fields(text):
        if "user" in key or "log" in key:
            yield value


def hosts(text: str) -> Iterator[str]:
    """Names of private machines."""
    yield from (match[0] for match in _INNER_HOST.finditer(text))
    yield from (match[1] for match in _SSH.finditer(text))
    yield from (host for _, host in _at_hosts(text) if not is_common(host))
    for key, value in _fields(text):
        if "host" in key and "." not in value:
            yield value


def names(text: str) -> Iterator[str]:
    """Names of people before their email addresses."""
    yield from (match[1] for match in _MAILBOX.finditer(text))


def _at_hosts(text: str) -> Iterator[tuple[str, str]]:
    """`user@host`, without package versions, which look the same."""
    for match in _ACCOUNT.finditer(text) if "@" in text else ():
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.end()]
        if not _PACKAGES.search(line[-200:]):
            yield match[1], match[2]


def _fields(text: str) -> Iterator[tuple[str, str]]:
    for match in _KEYED.finditer(text):
        value = match["quoted"] or match["bare"] or match["alone"]
        if not is_common(value):
            yield match["key"].lower(), value
    for match in _VARIABLE.finditer(text):
        if not is_common(match[2]):
            yield match[1].lower(), match[2]
