"""Links in a text, and the kind of host that each leads to."""

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache, lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv4Network
from pathlib import Path
from typing import NamedTuple


class Host(StrEnum):
    """The kind of a host."""

    ADDRESS = "a bare IP address"
    PASTE = "a paste or file-drop site"
    TUNNEL = "a tunnel to a private machine"
    COLLECTOR = "a request collector"
    SHORTENER = "a link shortener"
    HOSTILE = "a host with a hostile name"
    FREE = "free hosting"
    KNOWN = "a known project"
    LOCAL = "this machine"
    OTHER = "an unknown host"


NAMELESS = (
    Host.ADDRESS,
    Host.PASTE,
    Host.TUNNEL,
    Host.COLLECTOR,
    Host.SHORTENER,
    Host.HOSTILE,
)

# Some write it without a colon; then it is a whole word, not the end of `rows//2`.
_SCHEME = re.compile(
    r"(?:(https?|hxxps?|ftp|wss?)\[?:|(?<!\w)(?:https?|hxxps?|ftp|wss?)\[?)\]?//"
)
_PLAIN = ("http", "hxxp", "ftp")
_REST = re.compile(
    r"(?:[^\s/@\"'<>]{1,80}@)?(\[?[\w%*{}$<>.:\[\]()-]{1,253})([^\s\"'`<>)\]]{0,300})"
)
_PLACEHOLDER = re.compile(r"[<>{}$*]|^your|^my-|^\.\.\.|^host$|^server$|^url$")
_HOSTILE = re.compile(
    r"\b(?:evil|attack(?:er)?s?|malicious|malware|exfil\w*|c2|payload|backdoor|stealer|"
    r"phish\w*|rogue|badguy|villain|trojan|botnet|darkweb|drop-?zone|sink\.bad)\b"
)
_LOCAL_NETWORKS = [
    IPv4Network(net)
    for net in [
        "0.0.0.0/32",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
    ]
]
_WEBHOOK = re.compile(r"/api/webhooks/")
_LOCAL = re.compile(
    r"localhost|.*\.local(?:host)?|.*\.internal|.*\.lan|host\.docker\.internal"
)


class HostLink(NamedTuple):
    """A link in a text: its host, what kind that is, and where the link is."""

    host: str
    kind: Host
    is_plain: bool  # http, which can be changed in transit
    offset: int
    rest: str


def links(text: str, start: int = 0, end: int | None = None) -> Iterator[HostLink]:
    """The links of a lower-case text, including defanged ones (`hxxp`, `[.]`)."""
    for scheme in _SCHEME.finditer(text, start, len(text) if end is None else end):
        match = _REST.match(text, scheme.end())
        if match is None:
            continue
        host = match[1].replace("[.]", ".").replace("(.)", ".")
        host = re.sub(r":\d*\Z", "", host).rstrip(".:()[]*")
        if host and not _PLACEHOLDER.search(host):
            is_plain = scheme[1] in _PLAIN
            yield HostLink(
                host, classify(host, match[2]), is_plain, scheme.start(), match[2]
            )


@cache
def _by_name() -> dict[str, Host]:
    """The hosts of `hosts.toml`, each with its kind."""
    import tomllib

    data = Path(__file__).with_name("hosts.toml").read_text(encoding="utf-8")
    kinds = tomllib.loads(data)
    return {name: Host[kind.upper()] for kind, names in kinds.items() for name in names}


@lru_cache(maxsize=4096)
def classify(host: str, rest: str = "") -> Host:
    """The kind of a host."""
    if "discord" in host and _WEBHOOK.search(rest):
        return Host.COLLECTOR
    if re.fullmatch(r"[\d.]+|0x[0-9a-f]+", host):
        return _classify_address(host)
    if _LOCAL.fullmatch(host):
        return Host.LOCAL
    parts = host.split(".")
    for start in range(len(parts) - 1):
        if kind := _by_name().get(".".join(parts[start:])):
            return kind
    return Host.HOSTILE if _HOSTILE.search(host) else Host.OTHER


def _classify_address(host: str) -> Host:
    try:
        address = IPv4Address(host)
    except AddressValueError:
        return Host.ADDRESS
    return (
        Host.LOCAL if any(address in net for net in _LOCAL_NETWORKS) else Host.ADDRESS
    )
