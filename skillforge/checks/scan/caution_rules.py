"""Rules on code that needs a reviewer, as honest skills have it for good reasons."""

from collections.abc import Iterator

from skillforge.checks.scan.downloads import (
    comes_from_vendor,
    fetched_and_run,
    foreign_indexes,
    names_page,
)
from skillforge.checks.scan.hosts import NAMELESS, Host
from skillforge.checks.scan.match_context import is_warning, related, report_match
from skillforge.checks.scan.matches import ScanMatches
from skillforge.model import RuleProblem, Severity, rule, rules_in

_WARNING = Severity.WARNING
_ANONYMOUS = tuple(kind for kind in NAMELESS if kind is not Host.HOSTILE)


@rule(_WARNING, category="execution")
def install_script(matches: ScanMatches) -> Iterator[RuleProblem]:
    """The skill installs something that is not from a known project.

    That is an installer which is downloaded and run, a package index of a vendor, or a
    program that a reader has to install.
    """
    hint = "install it from a package index, or pin and verify the download"
    for match, source in fetched_and_run(matches):
        if not source.is_known and not source.is_stranger and not is_warning(match):
            yield report_match(match, f"runs an installer from {source.name}", hint)
    for match in matches.of("foreign-index"):
        for link in foreign_indexes(matches, match, of_vendor=True):
            if not is_warning(match):
                message = f"installs packages from the index of {link.host}"
                yield report_match(
                    match, message, "name the public index, if it has it"
                )
    for match, _ in matches.near(
        matches.of("lower-guard"), ("download", "fetch-file", "get"), 8
    ):
        if comes_from_vendor(matches, match, 8) and not is_warning(match):
            message = "turns off virus protection for a download of a known project"
            yield report_match(match, message, "let the user decide that")
    for match in matches.of("download"):
        links = matches.links_near(match, 0, (Host.OTHER,))
        page = next(filter(names_page, links), None)
        if page and matches.beside(match, ("must-install",), 3):
            message = f"demands a program from {page.host}"
            yield report_match(match, message, hint)


@rule(_WARNING, category="exfiltration")
def nameless_host(matches: ScanMatches) -> Iterator[RuleProblem]:
    """The skill names an anonymous host.

    These are paste sites, tunnels, request collectors, link shorteners, bare addresses.
    """
    hint = "link to the service itself"
    for link in matches.links:
        is_excused = link.kind is Host.COLLECTOR and related(matches, link.host)
        if (
            link.kind in _ANONYMOUS
            and not is_warning(link)
            and link.segment.language != "strings"
            and not is_excused
        ):
            yield report_match(link, f"{link.host} is {link.kind}", hint)


CAUTIONS = rules_in(globals())
