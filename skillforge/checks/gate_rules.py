"""The gate's findings that are not rules for a single skill; `gate_rules.toml`."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from skillforge.model import Severity


class GateRule(NamedTuple):
    """A rule of the gate: the check it belongs to, and its manual page."""

    id: str
    check: str
    severity: Severity
    page: str

    @property
    def summary(self) -> str:
        return self.page.partition("\n\n")[0]


@cache
def gate_rules() -> dict[str, GateRule]:
    """Every rule of the gate that is not a rule for a single skill, by id."""
    import tomllib

    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return {
        name: GateRule(name, row["check"], Severity(row["severity"]), row["page"])
        for name, row in tomllib.loads(text).items()
    }
