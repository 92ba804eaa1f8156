"""Rules on code that needs a reviewer, as honest skills have it for good reasons."""

from collections.abc import Iterator

from skillforge.checks.scan.attack_rules import fetched_and_run
from skillforge.checks.scan.hosts import NAMELESS, Host
from skillforge.checks.scan.match_context import is_warning, related, report_match
from skillforge.checks.scan.matches import ScanMatches
from skillforge.model import RuleProblem, Severity, rule, rules_in

_WARNING = Severity.WARNING
_ANONYMOUS = tuple(kind for kind in NAMELESS if kind is not Host.HOSTILE)


@rule(_WARNING, category="execution")
def install_script(matches: ScanMatches) -> Iterator[RuleProblem]:
    """The skill downloads and runs an installer that is not from a known project."""
    for match, source in fetched_and_run(matches):
        if not source.is_known and not source.is_stranger and not is_warning(match):
            hint = "install it from a package index, or pin and verify the download"
            yield report_match(match, f"runs an installer from {source.name}", hint)


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
