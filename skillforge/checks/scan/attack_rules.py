"""Code that no honest skill has: two or three signs that stand together. `dangerous`.

The thresholds are measured: in a large corpus of honest skills each sign occurs, and
the combinations here do not.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.checks.scan.hosts import NAMELESS, Host, judge
from skillforge.checks.scan.match_context import (
    ANYWHERE,
    IN_CLEAR,
    OUTSIDE,
    is_warning,
    related,
    strangers,
    tell,
)
from skillforge.checks.scan.matches import ScanMatches, SignMatch
from skillforge.checks.scan.normalize import SOFT
from skillforge.checks.scan.segments import SegmentView
from skillforge.model import RuleProblem, rule, rules_in

_INSTALLER = re.compile(
    r"install|setup_\d|get-\w+|^(?:get|cli|sh|install|dl|download)\."
)
_BARE_HOST = re.compile(
    r"[\s@][\"']?(?!-)((?:[\w-]+\.)+[a-z]{2,}(?=[/:])|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?"
)
# Known hosts on which everybody has a place of their own.
_ANYBODYS = ("raw.githubusercontent.com", "github.com", "gitlab.com", "huggingface.co")


@rule(category="execution")
def social_dropper(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not talk people into running a stranger's program.

    The most common attack in the wild: a "prerequisite" that has to be downloaded from
    a release page, an archive with a password (so that virus scanners cannot look into
    it), or a command to paste into Terminal; "without it the skill will not work".
    """
    for one in seen.of("archive-password"):
        if seen.beside(one, ("download", "fetch-file"), 6):
            yield tell(
                one, "a download is locked by a password: no scanner can look into it"
            )
    for one, _other in seen.near(
        seen.of("lower-guard"), ("download", "fetch-file", "get"), 8
    ):
        if not is_warning(one) or one.view is not SegmentView.CODE:
            yield tell(
                one, "a download, and the system's guard is to be lowered for it"
            )
    for one in seen.of("paste-terminal"):
        if seen.links_near(one, 3, NAMELESS):
            yield tell(
                one, "a command from a stranger's page is to be pasted into a terminal"
            )
    yield from _bad_prerequisite(seen)


def _bad_prerequisite(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A program that has to be fetched from a place that no project would use."""
    places = (Host.ADDRESS, Host.PASTE, Host.TUNNEL, Host.SHORTENER, Host.HOSTILE)
    for link in seen.links:
        if link.kind not in places or link.view is SegmentView.CODE:
            continue
        needs = seen.beside(link, ("needs-it",), 8)
        if needs and seen.beside(
            link, ("download", "paste-terminal", "run-file", "fetch-obey"), 4
        ):
            yield tell(needs, f"what is needed comes from {link.kind}")
    for one in seen.of("download"):
        if one.view is SegmentView.CODE or "releases/" in one.text:
            continue
        unknown = [
            k
            for k in seen.links_near(one, 2, (Host.OTHER, Host.FREE))
            if not related(seen, k.host)
        ]
        if unknown and seen.beside(one, ("must-install",), 3):
            yield tell(
                one,
                "a program has to be installed from a place that has nothing to do "
                "with the skill",
            )


@rule(category="execution")
def fetch_and_run(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not run what it fetches from a stranger.

    A bare address, a paste site, a tunnel or a link shortener can hand out anything to
    anybody at any time, and so can a page without encryption. Installers of known
    projects are only noted, those of others need a person (`install-script`).
    """
    for one, host in fetched_and_run(seen):
        if host.is_stranger and not is_warning(one):
            yield tell(one, f"what is fetched from {host.name} is run")


class _CodeSource(NamedTuple):
    """Where something that is run comes from."""

    name: str
    is_stranger: bool
    is_known: bool


def fetched_and_run(seen: ScanMatches) -> Iterator[tuple[SignMatch, _CodeSource]]:
    """What is fetched and run, and from where."""
    for one in seen.of("fetch-run"):
        yield from _sources(seen, one, one.text.count(SOFT))
    for one, _other in seen.near(seen.of("fetch-file"), ("run-file",), 4):
        yield from _sources(seen, one, 1)
    for one, other in seen.near(seen.of("runs-text"), ("get",), 8):
        if one.view is not SegmentView.CODE or other.view is not SegmentView.CODE:
            continue
        if sources := list(_sources(seen, other, 2)):
            yield from sources
        elif _FETCHED.search(one.context):
            source = _CodeSource("somewhere", is_stranger=True, is_known=False)
            yield one, source


_FETCHED = re.compile(r"\b(?:r|res|resp|response|reply|page)\.(?:text|content|read)\b")


def _sources(
    seen: ScanMatches, one: SignMatch, lines: int
) -> Iterator[tuple[SignMatch, _CodeSource]]:
    """The first source of each kind: more of them would be the same finding."""
    kinds: dict[tuple[bool, bool], _CodeSource] = {}
    for source in _all_sources(seen, one, lines):
        kinds.setdefault((source.is_stranger, source.is_known), source)
    yield from ((one, source) for source in kinds.values())


def _all_sources(
    seen: ScanMatches, one: SignMatch, lines: int
) -> Iterator[_CodeSource]:
    links = [k for k in seen.links_near(one, lines, ANYWHERE) if k.link]
    for seen_link in links:
        link = seen_link.link
        assert link is not None
        is_nameless = link.kind in NAMELESS or (
            link.is_plain and link.kind is Host.OTHER
        )
        looks_usual = bool(_INSTALLER.search(link.host + link.rest))
        is_script = not one.path.endswith(".md")
        is_anybodys = is_script and link.host in _ANYBODYS
        is_ours = link.kind is Host.KNOWN
        yield _CodeSource(
            link.host,
            is_stranger=is_nameless or not (is_ours or looks_usual),
            is_known=is_ours and not is_nameless and not is_anybodys,
        )
    if not links and (bare := _BARE_HOST.search(one.text)):
        yield _CodeSource(
            bare[1], is_stranger=judge(bare[1]) in OUTSIDE, is_known=False
        )


@rule(category="obfuscation")
def decode_and_run(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not decode text and run it.

    Whoever hides a command from the reader of a skill hides it from the reviewer.
    """
    for one in seen.of("decode-run"):
        if not is_warning(one) or one.view is SegmentView.CODE:
            yield tell(one, "something encoded is decoded and run", IN_CLEAR)
    for one, other in (
        *seen.near(seen.of("runs-text"), ("decode",), 25),
        *seen.near(seen.of("ciphered"), ("exec", "runs-text"), 12),
    ):
        is_code = one.view is SegmentView.CODE and other.view is SegmentView.CODE
        if is_code and one.piece.language != "strings":
            what = f"something encoded is decoded and run (line {other.line})"
            yield tell(one, what, IN_CLEAR)


_TELLING = (
    "fetch-run", "decode-run", "reverse-shell", "send", "key-file", "env-all", "get",
    "override", "conceal", "destroy", "send-words", "persist", "fetch-file", "ssh-key",
    "miner", "fetch-obey", "exec",
)  # fmt: skip
_SURE = (
    "base64", "hex", "character codes", "tag characters", "zero-width characters",
    "spaces", "variation selectors", "reversed",
)  # fmt: skip
_ODD = ("rot13", "escapes", "b32decode", "base32", "b85decode", "a85decode")


@rule(category="obfuscation")
def hidden_payload(seen: ScanMatches) -> Iterator[RuleProblem]:
    """No commands or instructions stand in a skill in another spelling.

    Base64, hex, character codes, reversed text, invisible characters and the like are
    decoded, again and again, and what comes out is read like everything else.
    """
    for one in seen.of(*_TELLING):
        how = one.piece.hidden_by
        is_sure = one.sign not in ("get", "exec", "send-words", "conceal")
        if how in _SURE or (how in _ODD and is_sure):
            yield tell(one, "a command is written so that nobody reads it", IN_CLEAR)


@rule(category="exfiltration")
def secret_to_network(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not read keys, or the whole environment, and send data away.

    To use one's own named key for a service is ordinary. To collect key files, browser
    data, wallets or all variables, in code that also sends, is theft.
    """
    for one, other in seen.near(_read_secrets(seen), ("send", "copy-out"), 25):
        if other.view is SegmentView.CODE and (
            one.sign == "key-file" or not _is_ours(seen, other)
        ):
            yield tell(
                one, f"secrets are read here, and data is sent on line {other.line}"
            )
    for one, _other in _in_one_line(seen):
        yield tell(one, "a command reads secrets and sends them")
    for one in seen.of("send"):
        if (
            one.view is SegmentView.CODE
            and _ENCODED.search(one.context)
            and not _is_ours(seen, one)
        ):
            yield tell(
                one, "data is encoded, so that nobody sees it leave, and sent away"
            )


_NOT_RUN = ("html", "css")
_ENCODED = re.compile(
    r"(?<!\|)\|\s*base64\b[^\n|]{0,40}\|\s*(?:curl|nc|wget)|(?:\bdig|nslookup|\bping)"
    r"\s[^\n]{0,60}\$\([^\n]{0,60}(?:base64|xxd|cat|whoami|env|echo \$)"
    r"|(?:dig|nslookup)\s[^\n]{0,40}\$\{?\w*(?:data|key|token|secret|encoded)"
)


def _read_secrets(seen: ScanMatches) -> Iterator[SignMatch]:
    for one in seen.of("key-file", "env-all", "metadata-service", "env-file"):
        if one.view is SegmentView.CODE and one.piece.language not in _NOT_RUN:
            yield one


def _in_one_line(seen: ScanMatches) -> Iterator[tuple[SignMatch, SignMatch]]:
    """A command in the middle of a sentence that reads secrets and sends them."""
    sources = seen.of("key-file", "env-all", "env-file")
    prose = [s for s in sources if s.view is not SegmentView.CODE and not is_warning(s)]
    for one, other in seen.near(prose, ("send",), 0):
        if re.search(r"\bcurl\b|\bnc\b|\bwget\b", other.text):
            yield one, other


def _is_ours(seen: ScanMatches, sink: SignMatch) -> bool:
    """Whether all that is known of where a sink leads is at home."""
    links = [k.link for k in seen.links_near(sink, 3, tuple(Host)) if k.link]
    return bool(links) and all(k.kind in (Host.LOCAL, Host.KNOWN) for k in links)


@rule(category="exfiltration")
def secret_as_data(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not post the value of a key to a host that the key is not for.

    A key belongs in the header of a request to the service that gave it. As the data
    of a request, to a host with another name, it is being given away.
    """
    for one in seen.of("send"):
        found = _POSTED.search(one.context) if one.view is SegmentView.CODE else None
        if found is None:
            continue
        name = found[1] or found[2]
        owner = name.split("_")[0]
        for link in strangers(seen, one, 1):
            host = link.host
            if len(owner) < 3 or owner not in host:
                yield tell(one, f"the value of {name.upper()} is sent to {host}")


_POSTED = re.compile(
    r"(?:\s-d|--data\S*|\s-f|--form\S*|\?\w+=|&\w+=|json=|data=)"
    r"\s?[^\n]{0,80}?\$\{?((?:\w+_)?(?:token|secret|password|api_key|credentials?|"
    r"private_key|secret_key|access_key)(?:_\w+)?)\b"
    r"|echo\s[^\n|]{0,40}\$\{?(\w*(?:token|secret|password|key|cred|env_name)\w*)"
    r"\}?[^\n|]{0,40}\|[^\n]{0,40}curl"
)


@rule(category="execution")
def reverse_shell(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not open a shell to another machine, and mines no coins."""
    for one in seen.of("reverse-shell", "miner"):
        if one.view is not SegmentView.DESCRIPTION and not is_warning(one):
            what = "a shell is opened to another machine"
            yield tell(one, what if one.sign == "reverse-shell" else "coins are mined")


@rule(category="exfiltration")
def stolen_phrase(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not ask for the words that open a wallet, and pass them on."""
    for one, other in seen.near(seen.of("asks-phrase"), ("send", "send-words"), 6):
        if not is_warning(one):
            message = f"the key to a wallet is asked for, and sent on line {other.line}"
            yield tell(one, message)


@rule(category="exfiltration")
def stolen_password(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not ask for the system's password with a dialog of its own."""
    for one in seen.of("fake-dialog"):
        yield tell(
            one, "a person is asked for a password by a dialog that is not the system's"
        )


@rule(category="exfiltration")
def code_taken_away(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not push a whole repository to a stranger's server."""
    for one in seen.of("copy-out"):
        found = _REMOTE.search(one.context) if "git" in one.text else None
        if (
            found
            and judge(found[1]) in OUTSIDE
            and not related(seen, found[1])
            and not is_warning(one)
        ):
            yield tell(one, f"a repository is copied to {found[1]}")


_REMOTE = re.compile(
    r"(?:git@|https?://(?:[^@/\s]{1,60}@)?|ssh://(?:\w+@)?)([\w.-]+\.[a-z]{2,})\b"
)


@rule(category="destruction")
def destructive_command(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not wipe a home folder, a system or a disk."""
    for one in seen.of("destroy"):
        if (
            one.view is SegmentView.CODE
            and not is_warning(one)
            and not _is_example(one)
        ):
            yield tell(one, "everything in a home, a system or a disk is deleted")
    for one in seen.of("erase-traces"):
        if one.view is SegmentView.CODE and "rm " in one.text and not is_warning(one):
            yield tell(one, "traces in the system's logs are deleted")


def _is_example(one: SignMatch) -> bool:
    """Whether a command stands in a text or a comment, rather than being run."""
    before = one.context[: max(one.context.find(one.text[:20]), 0)]
    is_comment = re.search(r"(?:^|\s)(?:#|//|\*)\s", before)
    is_text = re.search(r"[\"'][^\"']*\Z", before) and not _RUNNER.search(before)
    return bool(is_comment or is_text)


_RUNNER = re.compile(r"\b(?:system|popen|run|call|exec\w*|spawn\w*|check_\w+)\(|\s-c\s")


@rule(category="persistence")
def planted_access(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not let itself in again.

    A key added to `authorized_keys`, a job or a start-up file that fetches, sends or
    opens a shell: these outlive the skill's removal.
    """
    for one in seen.of("ssh-key"):
        is_read_twice = one.piece.language == "resolved"
        if (
            not is_read_twice
            and not is_warning(one)
            and not re.search(r"aaaa\.\.\.|<\w+>|\$\{?pub|\.pub\b", one.context)
        ):
            yield tell(one, "a key is added that lets somebody log in")
    for one in seen.of("persist"):
        if one.view is not SegmentView.CODE:
            continue
        for _one, other in seen.near(
            [one], ("fetch-run", "decode-run", "reverse-shell", "send", "get"), 8
        ):
            if other.view is SegmentView.CODE and seen.links_near(other, 1, OUTSIDE):
                yield tell(
                    one,
                    "something is made to run again and again that calls a stranger",
                )


@rule(category="execution")
def foreign_package(seen: ScanMatches) -> Iterator[RuleProblem]:
    """A skill does not install packages from somebody's own index."""
    for one in seen.of("foreign-index"):
        theirs = [k for k in strangers(seen, one, 0) if k.kind is not Host.FREE]
        if theirs and not is_warning(one):
            yield tell(
                one,
                "packages are installed from a stranger's index",
                "use the public index",
            )


ATTACKS = rules_in(globals())
