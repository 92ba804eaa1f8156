"""Rules on secrets and personal data: what a release stops at."""

from collections.abc import Iterator

from skillforge.checks.scan.matches import ScanMatches
from skillforge.checks.scan.segments import Segment
from skillforge.model import Finding, RuleProblem, Severity, rule, rules_in
from skillforge.redact import leaks
from skillforge.redact.formats import EMAIL, HOME

_WARNING = Severity.WARNING
_IN_EVIDENCE = ((EMAIL, "an email address"), (HOME, "a home folder"))


@rule(_WARNING, category="leak")
def leaked_secret(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill contains no working key or password, which every reader could use.

    Reported are keys in the formats of services, private keys, and random values after
    the name of a secret or in a login. Examples, variables, limits and hosts that are
    reserved for documentation are not. A real key must be revoked at its service;
    deleting it from the file does not help.
    """
    hint = "revoke it at the service, and read it from the environment"
    # Some files are read twice: as prose, and as code.
    segments = {(s.path, s.line, s.raw): s for s in matches.segments}
    for segment in segments.values():
        for leak in leaks.find(segment.raw):
            message = f"possible secret: {leak.what}"
            yield _at(segment, leak.start, leak.value, message, hint)


@rule(_WARNING, category="leak")
def private_data(matches: ScanMatches) -> Iterator[RuleProblem]:
    """A skill and its examples contain no personal data.

    Cards and bank accounts are recognized by their check digits, and names and ids by
    the policy (`redact`). In evidence, which is redacted, email addresses and home
    folders are reported as well.
    """
    for segment in matches.segments:
        if segment.language in ("strings", "resolved"):
            continue
        for leak in leaks.find_private(segment.raw, matches.known):
            hint = "remove it, or replace it with a made-up one"
            message = f"contains {leak.what}"
            yield _at(segment, leak.start, leak.value, message, hint)
        for pattern, what in _IN_EVIDENCE if is_evidence(segment.path) else ():
            for match in pattern.finditer(segment.raw):
                message = f"contains {what}"
                yield _at(segment, match.start(), match[0], message, "redact it")


def is_evidence(path: str) -> bool:
    """Whether a path belongs to an example rather than to the skill."""
    return path.startswith("/")


def stops_release(finding: Finding) -> bool:
    """Whether the gate and a release stop at a finding: a new error, or a new leak."""
    is_leak = finding.category == "leak" and finding.severity is _WARNING
    return (is_leak or finding.severity is Severity.ERROR) and not finding.known


def _at(
    segment: Segment, start: int, value: str, message: str, hint: str
) -> RuleProblem:
    """A problem that does not repeat the secret itself."""
    line = segment.line_of(start)
    return RuleProblem(message, hint, line, segment.path, f"{value[:6]}…")


LEAKS = rules_in(globals())
