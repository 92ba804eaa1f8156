"""Rules on dangerous code: combinations of signs that honest skills never have.

Each sign occurs in a large corpus of honest skills; the combinations do not. Rules that
need nothing but patterns are in `packs/`.
"""

import re
from collections.abc import Iterator

from skillforge.checks.scan.downloads import (
    comes_from_vendor,
    fetched_and_run,
    foreign_indexes,
    is_vendor,
    names_page,
)
from skillforge.checks.scan.hosts import NAMELESS, Host, classify
from skillforge.checks.scan.match_context import (
    IN_CLEAR,
    OUTSIDE,
    is_warning,
    related,
    report_match,
    strangers,
)
from skillforge.checks.scan.matches import ScanMatches, SignMatch
from skillforge.checks.scan.segments import SegmentView
from skillforge.model import RuleProblem, rule, rules_in


@rule(category="execution")
def social_dropper(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not persuade people to run an unknown program.

    The most common attack in the wild: a "prerequisite" that has to be downloaded from
    a release page, an archive with a password (so that virus scanners cannot read it),
    or a command to paste into Terminal; "without it the skill will not work".
    """
    for match in matches.of("archive-password"):
        fetched = matches.beside(match, ("download", "fetch-file"), 6)
        if fetched and not _writes_to_stdout(match):
            yield report_match(match, "a password hides a download from virus scanners")
    for match, _ in matches.near(
        matches.of("lower-guard"), ("download", "fetch-file", "get"), 8
    ):
        if not is_warning(match) and not comes_from_vendor(matches, match, 8):
            yield report_match(match, "turns off virus protection for a download")
    for match in matches.of("paste-terminal"):
        if matches.links_near(match, 3, NAMELESS):
            message = "asks people to paste a command from an anonymous host"
            yield report_match(match, message)
    yield from _bad_prerequisite(matches)


def _writes_to_stdout(match: SignMatch) -> bool:
    """Whether it is `unzip -p`, which needs no password; `-P` sets one."""
    raw = match.segment.raw
    return bool(_UNZIP_TO_STDOUT.search(match.text)) and not _UNZIP_PASSWORD.search(raw)


_UNZIP_TO_STDOUT = re.compile(r"^unzip\s+(?:-\w\s+)*-p\s")
_UNZIP_PASSWORD = re.compile(r"(?i:unzip)\b[^\n]{0,80}\s-\w*P")


def _bad_prerequisite(matches: ScanMatches) -> Iterator[RuleProblem]:
    """Prerequisites from a host that no project would use."""
    kinds = (Host.ADDRESS, Host.PASTE, Host.TUNNEL, Host.SHORTENER, Host.HOSTILE)
    for link in matches.links:
        if link.kind not in kinds or link.view is SegmentView.CODE:
            continue
        needs = matches.beside(link, ("needs-it",), 8)
        if needs and matches.beside(
            link, ("download", "paste-terminal", "run-file", "fetch-obey"), 4
        ):
            yield report_match(needs, f"a prerequisite comes from {link.kind}")
    for match in matches.of("download"):
        if match.view is SegmentView.CODE or "releases/" in match.text:
            continue
        unknown = [
            link
            for link in matches.links_near(match, 2, (Host.OTHER, Host.FREE))
            if not related(matches, link.host) and not names_page(link)
        ]
        if unknown and matches.beside(match, ("must-install",), 3):
            message = "demands a program from a host that is unrelated to the skill"
            yield report_match(match, message)


@rule(category="execution")
def fetch_and_run(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not run what it downloads from an unknown host.

    A bare address, a paste site, a tunnel, a link shortener or an unencrypted page can
    serve different content at any time. Installers of known projects are allowed;
    others need a reviewer (`install-script`).
    """
    for match, source in fetched_and_run(matches):
        if source.is_stranger and not is_warning(match):
            yield report_match(match, f"runs what it downloads from {source.name}")


_PAYLOADS = (
    "fetch-run", "decode-run", "reverse-shell", "send", "key-file", "env-all", "get",
    "override", "conceal", "destroy", "send-words", "persist", "fetch-file", "ssh-key",
    "miner", "fetch-obey", "exec",
)  # fmt: skip
_RELIABLE_ENCODINGS = (
    "base64", "hex", "character codes", "tag characters", "zero-width characters",
    "spaces", "variation selectors", "reversed",
)  # fmt: skip
# Decoding ordinary text with these yields words by chance; only some signs count.
_NOISY_ENCODINGS = ("rot13", "escapes", "b32decode", "base32", "b85decode", "a85decode")


@rule(category="obfuscation")
def hidden_payload(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill contains no commands or instructions in an encoding.

    Base64, hex, character codes, reversed text, invisible characters and the like are
    decoded, repeatedly, and the result is scanned like everything else.
    """
    for match in matches.of(*_PAYLOADS):
        encoding = match.segment.hidden_by
        is_specific = match.sign not in ("get", "exec", "send-words", "conceal")
        if encoding in _RELIABLE_ENCODINGS or (
            encoding in _NOISY_ENCODINGS and is_specific
        ):
            yield report_match(match, "contains a hidden command", IN_CLEAR)


@rule(category="exfiltration")
def secret_to_network(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not read keys, or the whole environment, and send data away.

    A skill may use a named key for its service. Code that collects key files, browser
    data, wallets or all variables, and that also sends data, is theft.
    """
    for match, sink in matches.near(_read_secrets(matches), ("send", "copy-out"), 25):
        is_own = match.sign == "env-file"  # where a skill keeps the key to its service
        if sink.view is SegmentView.CODE and (
            match.sign == "key-file" or not _stays_home(matches, sink, is_own=is_own)
        ):
            message = f"reads secrets, and sends data on line {sink.line}"
            yield report_match(match, message)
    for match in _secrets_sent_in_prose(matches):
        yield report_match(match, "a command reads secrets and sends them")
    for match in matches.of("send"):
        if (
            match.view is SegmentView.CODE
            and _ENCODED.search(match.context)
            and not _stays_home(matches, match)
        ):
            yield report_match(match, "encodes data and sends it away")


_NOT_RUN = ("html", "css")
_ENCODED = re.compile(
    r"(?<!\|)\|\s*base64\b[^\n|]{0,40}\|\s*(?:curl|nc|wget)|(?:\bdig|nslookup|\bping)"
    r"\s[^\n]{0,60}\$\([^\n]{0,60}(?:base64|xxd|cat|whoami|env|echo \$)"
    r"|(?:dig|nslookup)\s[^\n]{0,40}\$\{?\w*(?:data|key|token|secret|encoded)"
)


def _read_secrets(matches: ScanMatches) -> Iterator[SignMatch]:
    for match in matches.of("key-file", "env-all", "metadata-service", "env-file"):
        if (
            match.view is SegmentView.CODE
            and match.segment.language not in _NOT_RUN
            and not _only_uses(match)
        ):
            yield match


def _only_uses(match: SignMatch) -> bool:
    """Whether a command uses a key for what it is for, or a comment mentions it."""
    before, _, after = match.context.partition(match.text[:40])
    command = re.split(r"[;|&(`]|\$\(", before)[-1].strip()
    if command.startswith(("# ", "// ")):
        return not re.search(r"\b(?:curl|send|post|upload)", match.context)
    return bool(_KEY_PROGRAM.match(command)) and not re.search(r"[|;&`]|\$\(", after)


_KEY_PROGRAM = re.compile(
    r"(?:\$ )?(?:sudo )?(?:ssh-keygen|ssh-add|ssh-copy-id|ssh\s(?=[^\n]*-i)|chmod|"
    r"chown|mkdir|touch|ls|test|stat|rm|gh secret set|git config|export kubeconfig=|"
    r"kubectl)\b"
)


def _secrets_sent_in_prose(matches: ScanMatches) -> Iterator[SignMatch]:
    """Commands in a sentence that read secrets and send them."""
    secrets = matches.of("key-file", "env-all", "env-file")
    prose = [s for s in secrets if s.view is not SegmentView.CODE and not is_warning(s)]
    for match, sink in matches.near(prose, ("send",), 0):
        if re.search(r"\bcurl\b|\bnc\b|\bwget\b", sink.text):
            yield match


def _stays_home(matches: ScanMatches, sink: SignMatch, *, is_own: bool = False) -> bool:
    """Whether all links near a sink lead to this machine or a known project.

    With `is_own`, the service that the skill is about is one.
    """
    links = [m.link for m in matches.links_near(sink, 3, tuple(Host)) if m.link]
    return bool(links) and all(
        k.kind in (Host.LOCAL, Host.KNOWN) or (is_own and is_vendor(matches, k))
        for k in links
    )


@rule(category="exfiltration")
def secret_as_data(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not post the value of a key to a host that the key is not for.

    A key belongs in the header of a request to the service that issued it. A request
    that sends it as data to an unrelated host leaks it.
    """
    for match in matches.of("send"):
        is_code = match.view is SegmentView.CODE
        posted = _POSTED.search(match.context) if is_code else None
        if posted is None:
            continue
        name = posted[1] or posted[2]
        owner = name.split("_")[0]
        for link in strangers(matches, match, 1):
            if len(owner) < 3 or owner not in link.host:
                message = f"sends the value of {name.upper()} to {link.host}"
                yield report_match(match, message)


_POSTED = re.compile(
    r"(?:\s-d|--data\S*|\s-f|--form\S*|\?\w+=|&\w+=|json=|data=)"
    r"\s?[^\n]{0,80}?\$\{?((?:\w+_)?(?:token|secret|password|api_key|credentials?|"
    r"private_key|secret_key|access_key)(?:_\w+)?)\b"
    r"|echo\s[^\n|]{0,40}\$\{?(\w*(?:token|secret|password|key|cred|env_name)\w*)"
    r"\}?[^\n|]{0,40}\|[^\n]{0,40}curl"
)


@rule(category="exfiltration")
def code_taken_away(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not push a whole repository to an unknown server."""
    for match in matches.of("copy-out"):
        remote = _REMOTE.search(match.context) if "git" in match.text else None
        if (
            remote
            and classify(remote[1]) in OUTSIDE
            and not related(matches, remote[1])
            and not is_warning(match)
        ):
            yield report_match(match, f"copies a repository to {remote[1]}")


_REMOTE = re.compile(
    r"(?:git@|https?://(?:[^@/\s]{1,60}@)?|ssh://(?:\w+@)?)([\w.-]+\.[a-z]{2,})\b"
)


@rule(category="destruction")
def destructive_command(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not wipe a home folder, a system or a disk."""
    for match in matches.of("destroy"):
        if (
            match.view is SegmentView.CODE
            and not is_warning(match)
            and not _is_example(match)
        ):
            yield report_match(match, "deletes a home folder, a system or a disk")
    for match in matches.of("erase-traces"):
        is_removal = match.view is SegmentView.CODE and "rm " in match.text
        if is_removal and not is_warning(match):
            yield report_match(match, "deletes the system's logs")


def _is_example(match: SignMatch) -> bool:
    """Whether a command is part of a string or a comment, rather than run."""
    before = match.context[: max(match.context.find(match.text[:20]), 0)]
    is_comment = re.search(r"(?:^|\s)(?:#|//|\*)\s", before)
    is_text = re.search(r"[\"'][^\"']*\Z", before) and not _RUNNER.search(before)
    return bool(is_comment or is_text)


_RUNNER = re.compile(r"\b(?:system|popen|run|call|exec\w*|spawn\w*|check_\w+)\(|\s-c\s")


@rule(category="persistence")
def planted_access(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not install a backdoor.

    A key in `authorized_keys`, or a job or start-up file that downloads, sends or opens
    a shell, remains after the skill is removed.
    """
    for match in matches.of("ssh-key"):
        if (
            match.segment.language != "resolved"  # a second copy of the same text
            and not is_warning(match)
            and not re.search(r"aaaa\.\.\.|<\w+>|\$\{?pub|\.pub\b", match.context)
        ):
            yield report_match(match, "adds a key that allows a stranger to log in")
    network = ("fetch-run", "decode-run", "reverse-shell", "send", "get")
    for match, payload in matches.near(matches.of("persist"), network, 8):
        is_code = match.view is SegmentView.CODE and payload.view is SegmentView.CODE
        if is_code and matches.links_near(payload, 1, OUTSIDE):
            message = "schedules code that contacts an unknown host"
            yield report_match(match, message)


@rule(category="execution")
def foreign_package(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not install packages from a private index."""
    for match in matches.of("foreign-index"):
        if foreign_indexes(matches, match) and not is_warning(match):
            message = "installs packages from an unknown index"
            yield report_match(match, message, "use the public index")


ATTACKS = rules_in(globals())
