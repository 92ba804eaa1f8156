"""What a skill uses, against what it says that it uses. `caution`."""

from collections.abc import Iterator, Mapping

from skillforge.checks.scan.capabilities import Capabilities, covers
from skillforge.model import RuleProblem, Severity, rule, rules_in


class Declared:
    """What a skill uses, what it says of itself, and whether it has to say all."""

    def __init__(
        self, able: Capabilities, said: Mapping[str, frozenset[str]], must_say: bool
    ) -> None:
        self.able = able
        self.said = said
        self.must_say = must_say

    def missing(self, kind: str, used: frozenset[str]) -> list[str]:
        """What is used and was not said, once anything of that kind was."""
        if kind not in self.said and not self.must_say:
            return []
        return sorted(n for n in used if not covers(self.said.get(kind, ()), n))


@rule(Severity.WARNING, category="declaration")
def undeclared(skill: Declared) -> Iterator[RuleProblem]:
    """A skill that declares what it uses declares all of it.

    `metadata.hosts`, `metadata.env` and `metadata.programs` name hosts, variables and
    programs, between spaces or commas. A skill that declares none of a kind is not
    judged by it, unless the policy asks for it (`scan: {declare: true}`).
    """
    able = skill.able
    for kind, used in (
        ("hosts", able.hosts),
        ("env", able.variables),
        ("programs", able.programs),
    ):
        if missing := skill.missing(kind, used):
            named = sorted(skill.said.get(kind, frozenset())) + missing
            shown = ", ".join(missing[:8])
            hint = f"under metadata, write: {kind}: {' '.join(named)[:400]}"
            yield RuleProblem(f"it uses {kind} that it does not declare: {shown}", hint)


DECLARED = rules_in(globals())
