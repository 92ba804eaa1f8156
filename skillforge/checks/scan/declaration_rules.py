"""A rule that compares what a skill uses with what it declares."""

from collections.abc import Iterator, Mapping

from skillforge.checks.scan.capabilities import Capabilities, covers
from skillforge.model import RuleProblem, Severity, rule, rules_in


class Declared:
    """What a skill uses and declares, and whether it must declare all of it."""

    def __init__(
        self,
        able: Capabilities,
        declared: Mapping[str, frozenset[str]],
        must_declare: bool,
    ) -> None:
        self.able = able
        self.declared = declared
        self.must_declare = must_declare

    def missing(self, kind: str, used: frozenset[str]) -> list[str]:
        """The names that are used and not declared, if that kind must be declared."""
        if kind not in self.declared and not self.must_declare:
            return []
        return sorted(n for n in used if not covers(self.declared.get(kind, ()), n))


@rule(Severity.WARNING, category="declaration")
def undeclared(skill: Declared) -> Iterator[RuleProblem]:
    """A declaration of hosts, variables or programs is complete.

    `metadata.hosts`, `metadata.env` and `metadata.programs` name them, separated by
    spaces or commas. Declarations are optional, unless the policy requires them
    (`scan: {declare: true}`).
    """
    able = skill.able
    for kind, used in (
        ("hosts", able.hosts),
        ("env", able.variables),
        ("programs", able.programs),
    ):
        if missing := skill.missing(kind, used):
            named = sorted(skill.declared.get(kind, frozenset())) + missing
            shown = ", ".join(missing[:8])
            hint = f"under metadata, write: {kind}: {' '.join(named)[:400]}"
            yield RuleProblem(f"uses undeclared {kind}: {shown}", hint)


DECLARATIONS = rules_in(globals())
