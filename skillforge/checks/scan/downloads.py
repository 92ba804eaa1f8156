"""Code that is downloaded and run: where it comes from, and who that is."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.checks.scan.hosts import NAMELESS, Host, HostLink, classify
from skillforge.checks.scan.match_context import ANYWHERE, OUTSIDE, label, related
from skillforge.checks.scan.matches import ScanMatches, SignMatch
from skillforge.checks.scan.normalize import SOFT
from skillforge.checks.scan.segments import SegmentView

_INSTALLER = re.compile(
    r"install|setup_\d|get-\w+|"
    r"^(?:get|cli|sh|install|dl|download|apt|deb|rpm|yum|packages|releases)\."
)
_BARE_HOST = re.compile(
    r"[\s@][\"']?(?!-)((?:[\w-]+\.)+[a-z]{2,}(?=[/:])|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?"
)
# Known hosts where anyone can publish anything.
SHARED_HOSTS = (
    "raw.githubusercontent.com",
    "github.com",
    "gitlab.com",
    "huggingface.co",
)


class CodeSource(NamedTuple):
    """The source of code that is run."""

    name: str
    is_stranger: bool
    is_known: bool


def fetched_and_run(matches: ScanMatches) -> Iterator[tuple[SignMatch, CodeSource]]:
    """Matches of code that is downloaded and run, with its source."""
    for match in matches.of("fetch-run"):
        yield from _sources(matches, match, match.text.count(SOFT))
    for match, _ in matches.near(matches.of("fetch-file"), ("run-file",), 4):
        yield from _sources(matches, match, 1)
    for match, fetch in matches.near(matches.of("runs-text"), ("get",), 8):
        if match.view is not SegmentView.CODE or fetch.view is not SegmentView.CODE:
            continue
        if sources := list(_sources(matches, fetch, 2)):
            yield from sources
        elif _FETCHED.search(match.context):
            source = CodeSource("an unknown host", is_stranger=True, is_known=False)
            yield match, source


_FETCHED = re.compile(r"\b(?:r|res|resp|response|reply|page)\.(?:text|content|read)\b")


def _sources(
    matches: ScanMatches, match: SignMatch, lines: int
) -> Iterator[tuple[SignMatch, CodeSource]]:
    """The first source of each kind; others would repeat the finding."""
    kinds: dict[tuple[bool, bool], CodeSource] = {}
    for source in _all_sources(matches, match, lines):
        kinds.setdefault((source.is_stranger, source.is_known), source)
    yield from ((match, source) for source in kinds.values())


def _all_sources(
    matches: ScanMatches, match: SignMatch, lines: int
) -> Iterator[CodeSource]:
    links = [m.link for m in matches.links_near(match, lines, ANYWHERE) if m.link]
    for link in links:
        is_nameless = link.kind in NAMELESS or (
            link.is_plain and link.kind is Host.OTHER
        )
        # A module that a page loads is code, but not code that an agent runs.
        is_import = match.text.startswith("import(")
        looks_usual = is_import or bool(_INSTALLER.search(link.host + link.rest))
        is_script = not match.path.endswith(".md")
        is_shared = is_script and link.host in SHARED_HOSTS
        is_project = link.kind is Host.KNOWN
        yield CodeSource(
            link.host,
            is_stranger=is_nameless
            or not (is_project or looks_usual or is_vendor(matches, link)),
            is_known=is_project and not is_nameless and not is_shared,
        )
    if not links and (bare := _BARE_HOST.search(match.text)):
        yield CodeSource(
            bare[1], is_stranger=classify(bare[1]) in OUTSIDE, is_known=False
        )


_FEWEST_USES = 3  # lines of code that run a program, so that the skill is about it


def is_vendor(matches: ScanMatches, link: HostLink) -> bool:
    """Whether a link leads to the vendor of what the skill is about.

    The skill's name or description names the host, or its code runs the program that
    the host is called after; on GitHub and the like, they name the owner.
    """
    if link.kind is Host.KNOWN and link.host in SHARED_HOSTS:
        owner = link.rest.strip("/").partition("/")[0]
        return any(len(word) > 4 and owner.startswith(word) for word in matches.about)
    if link.kind is not Host.OTHER or link.is_plain:
        return False
    program = label(link.host)
    is_run = len(program) > 2 and matches.runs(program) >= _FEWEST_USES
    return is_run or related(matches, link.host)


def comes_from_vendor(matches: ScanMatches, match: SignMatch, lines: int) -> bool:
    """Whether all links near a match lead to the vendor, or to a known project."""
    links = [m.link for m in matches.links_near(match, lines, ANYWHERE) if m.link]
    return bool(links) and all(
        is_vendor(matches, link)
        or (link.kind is Host.KNOWN and link.host not in SHARED_HOSTS)
        for link in links
    )


def names_page(link: SignMatch) -> bool:
    """Whether a link shows its own host, as `[example.com](https://example.com/x)`.

    It leads to a page to read; what is downloaded there is a choice of the reader.
    """
    rest = link.link.rest if link.link else ""
    is_shown = f"[{link.host}](" in link.context
    return is_shown and not _FILE.search(rest) and " from " not in link.context


_FILE = re.compile(r"download|\.(?:zip|exe|dmg|pkg|msi|rar|7z|sh|ps1|bat|apk)\b")


def foreign_indexes(
    matches: ScanMatches, match: SignMatch, *, of_vendor: bool = False
) -> list[SignMatch]:
    """The unknown indexes that a command installs from; or those of vendors."""
    links = matches.links_near(match, 0, (*NAMELESS, Host.OTHER))
    return [link for link in links if _is_own_index(matches, match, link) is of_vendor]


def _is_own_index(matches: ScanMatches, match: SignMatch, link: SignMatch) -> bool:
    """Whether an index of packages is that of the package, or of the skill's vendor."""
    if link.link is None or link.kind is not Host.OTHER:
        return False
    text = match.segment.text[max(0, match.at - 200) : match.at + 200]
    words = re.sub(r"\S+://\S+", " ", text)
    name = re.escape(label(link.host))
    is_named = re.search(rf"(?<![\w.-]){name}(?![\w.-])", words) is not None
    return is_named or is_vendor(matches, link.link)
