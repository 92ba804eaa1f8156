"""Results of health runs: of a skill's cases, and what changed since they passed."""

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from skillforge.checks import status_metadata
from skillforge.checks.cases.trials import OUT_OF_TIME
from skillforge.model import Skill, Trial, TrialOutcome
from skillforge.store import CaseRecord

_BAD = (
    TrialOutcome.FAILED,
    TrialOutcome.ERROR,
    TrialOutcome.TIMEOUT,
    TrialOutcome.LIMIT,
)


class Condition(StrEnum):
    """The result of running all cases of a skill."""

    PASSED = "passed"
    FAILED = "failed"
    FLAKY = "flaky"
    NOT_RUN = "not-run"
    NO_CASES = "no-cases"

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> "Condition":
        outcomes = {trial.outcome for trial in trials}
        if not outcomes:
            return cls.NO_CASES
        if not outcomes.isdisjoint(_BAD):
            return cls.FAILED
        if TrialOutcome.FLAKY in outcomes:
            return cls.FLAKY
        return cls.NOT_RUN if TrialOutcome.NOT_RUN in outcomes else cls.PASSED

    @property
    def is_known(self) -> bool:
        """Whether cases ran, so that there is a result to save."""
        return self in (Condition.PASSED, Condition.FAILED, Condition.FLAKY)


def is_bad(trial: Trial) -> bool:
    return trial.outcome in _BAD


class Environment(NamedTuple):
    """The environment in which cases run; it can change while the skill doesn't."""

    interpreter: str
    platform: str
    sandbox: str
    dependency: str = ""  # a digest of the packages that scripts need

    @property
    def key(self) -> str:
        return json.dumps(self._asdict(), sort_keys=True)

    @classmethod
    def read(cls, key: str) -> "Environment":
        """Parse a key; unknown fields are empty."""
        fields = _json_object(key)
        return cls(*(str(fields.get(name, "")) for name in cls._fields))

    @property
    def machine(self) -> "Environment":
        """The part that is the same for all skills."""
        return self._replace(dependency="")


class LastPass(NamedTuple):
    """The last time that a skill passed, and its version and environment then."""

    version: str
    environment: str
    at: int


class Checkup(NamedTuple):
    """The result of a health run for one skill."""

    skill: Skill
    version: str
    environment: Environment
    trials: tuple[Trial, ...]
    since: int | None = None  # the condition is the same since then
    passed: LastPass | None = None  # before it failed
    is_confirmed: bool = True  # failed cases failed twice

    @property
    def name(self) -> str:
        return self.skill.name

    @property
    def condition(self) -> Condition:
        return Condition.of(self.trials)

    @property
    def deprecation(self) -> str:
        """Why the skill is marked as deprecated; empty if it isn't."""
        return status_metadata.deprecation(self.skill.document)

    @property
    def is_unfinished(self) -> bool:
        """Whether time was up before all cases ran."""
        return any(trial.detail == OUT_OF_TIME for trial in self.trials)

    @property
    def has_broken(self) -> bool:
        """Whether it passed before and now certainly fails."""
        has_failed = self.condition is Condition.FAILED and self.is_confirmed
        return has_failed and self.passed is not None

    @property
    def changed(self) -> tuple[str, ...]:
        """What changed since it passed: `skill`, `interpreter` and so on."""
        if self.passed is None or self.condition is not Condition.FAILED:
            return ()
        was = Environment.read(self.passed.environment)
        fields = zip(Environment._fields, was, self.environment, strict=True)
        names = [name for name, before, now in fields if before != now]
        return (*(["skill"] if self.passed.version != self.version else []), *names)

    def record(self, at: int) -> CaseRecord:
        """As a row of the store; it includes the last pass of a failing skill."""
        details = {
            "status": self.condition,
            "since": self.since,
            "passed": self.passed,
            "trials": [
                [t.case, t.outcome, round(t.seconds, 3), t.detail[:200]]
                for t in self.trials
            ],
        }
        key, ok = self.environment.key, self.condition is Condition.PASSED
        return CaseRecord(self.name, self.version, key, at, ok, json.dumps(details))


class HealthHistory(NamedTuple):
    """The earlier results of one skill, in any version and environment."""

    rows: tuple[CaseRecord, ...] = ()

    def last(self, version: str, machine: Environment) -> CaseRecord | None:
        """The last run of a version on a machine like this, with any packages."""
        runs = (
            row
            for row in self.rows
            if row.version == version
            and Environment.read(row.environment).machine == machine
        )
        return max(runs, key=lambda row: row.at, default=None)

    @property
    def has_failed(self) -> bool:
        """Whether the last run of any kind failed."""
        last = max(self.rows, key=lambda row: row.at, default=None)
        details = _json_object(last.trials) if last else {}
        return details.get("status") == Condition.FAILED

    @property
    def passed(self) -> LastPass | None:
        passes = [LastPass(r.version, r.environment, r.at) for r in self.rows if r.ok]
        for row in self.rows:
            earlier = _json_object(row.trials).get("passed")
            if isinstance(earlier, list) and len(earlier) == 3:
                passes.append(LastPass(*earlier))
        return max(passes, key=lambda last: last.at, default=None)

    def with_past(self, checkup: Checkup, at: int) -> Checkup:
        """A checkup with the time of its last change, and the last pass."""
        if not checkup.condition.is_known:
            return checkup
        key = (checkup.version, checkup.environment.key)
        same = (row for row in self.rows if (row.version, row.environment) == key)
        last = next((_json_object(row.trials) for row in same), {})
        since = last.get("since") if last.get("status") == checkup.condition else at
        passed = self.passed if checkup.condition is not Condition.PASSED else None
        return checkup._replace(
            since=since if isinstance(since, int) else at, passed=passed
        )


def histories(rows: Iterable[CaseRecord]) -> dict[str, HealthHistory]:
    """Earlier results by skill."""
    found: dict[str, list[CaseRecord]] = {}
    for row in rows:
        found.setdefault(row.skill, []).append(row)
    return {name: HealthHistory(tuple(own)) for name, own in found.items()}


def _json_object(text: str) -> dict[str, object]:
    """A JSON object; empty if the text is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
