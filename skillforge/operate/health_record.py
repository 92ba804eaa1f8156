"""How the cases of a skill fared, where, and what changed since they passed."""

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
    """How a skill is; only `failed` is bad news, and only `passed` is good."""

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
        """Whether a skill was tried, so that there is something to remember."""
        return self in (Condition.PASSED, Condition.FAILED, Condition.FLAKY)


def is_bad(trial: Trial) -> bool:
    return trial.outcome in _BAD


class Environment(NamedTuple):
    """Where cases are run: what can change while a skill stays as it is."""

    interpreter: str
    platform: str
    sandbox: str
    dependency: str = ""  # a digest of the packages that scripts need

    @property
    def key(self) -> str:
        """As it is written down."""
        return json.dumps(self._asdict(), sort_keys=True)

    @classmethod
    def read(cls, key: str) -> "Environment":
        """An environment as it was written down; what is unknown is empty."""
        try:
            said = json.loads(key)
        except ValueError:
            said = None
        said = said if isinstance(said, dict) else {}
        return cls(*(str(said.get(name, "")) for name in cls._fields))

    @property
    def machine(self) -> "Environment":
        """What is the same for all skills."""
        return self._replace(dependency="")


class LastPass(NamedTuple):
    """When a skill passed at last: which version of it, where."""

    version: str
    environment: str
    at: int


class Checkup(NamedTuple):
    """What a health run found out about one skill."""

    skill: Skill
    version: str
    environment: Environment
    trials: tuple[Trial, ...]
    since: int | None = None  # it has been so, as far as is known
    passed: LastPass | None = None  # before it failed
    is_confirmed: bool = True  # what failed did so twice

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
        """Whether time was up before all of it was tried."""
        return any(trial.detail == OUT_OF_TIME for trial in self.trials)

    @property
    def has_broken(self) -> bool:
        """Whether it passed before and surely does not now."""
        is_sure = self.condition is Condition.FAILED and self.is_confirmed
        return is_sure and self.passed is not None

    @property
    def changed(self) -> tuple[str, ...]:
        """What is not as it was when it passed: `skill`, `interpreter` and so on."""
        if self.passed is None or self.condition is not Condition.FAILED:
            return ()
        was = Environment.read(self.passed.environment)
        fields = zip(Environment._fields, was, self.environment, strict=True)
        found = [name for name, before, now in fields if before != now]
        return (*(["skill"] if self.passed.version != self.version else []), *found)

    def record(self, at: int) -> CaseRecord:
        """As the store keeps it: the last pass stays known while it fails."""
        said = {
            "status": self.condition,
            "since": self.since,
            "passed": self.passed,
            "trials": [
                [t.case, t.outcome, round(t.seconds, 3), t.detail[:200]]
                for t in self.trials
            ],
        }
        key, ok = self.environment.key, self.condition is Condition.PASSED
        return CaseRecord(self.name, self.version, key, at, ok, json.dumps(said))


class HealthHistory(NamedTuple):
    """What is remembered of one skill, in any version and environment."""

    rows: tuple[CaseRecord, ...] = ()

    def last(self, version: str, machine: Environment) -> CaseRecord | None:
        """The last run of a version on a machine like this, whatever its packages."""
        mine = (
            row
            for row in self.rows
            if row.version == version
            and Environment.read(row.environment).machine == machine
        )
        return max(mine, key=lambda row: row.at, default=None)

    @property
    def has_failed(self) -> bool:
        """Whether the last run of any kind failed."""
        last = max(self.rows, key=lambda row: row.at, default=None)
        return last is not None and _said(last).get("status") == Condition.FAILED

    @property
    def passed(self) -> LastPass | None:
        """The last pass of all."""
        passes = [LastPass(r.version, r.environment, r.at) for r in self.rows if r.ok]
        told = (_said(row).get("passed") for row in self.rows)
        passes += [
            LastPass(*it) for it in told if isinstance(it, list) and len(it) == 3
        ]
        return max(passes, key=lambda it: it.at, default=None)

    def judged(self, found: Checkup, at: int) -> Checkup:
        """A check-up with what the past adds to it."""
        if not found.condition.is_known:
            return found
        same = [
            row
            for row in self.rows
            if (row.version, row.environment) == (found.version, found.environment.key)
        ]
        said = _said(same[0]) if same else {}
        is_so = said.get("status") == found.condition
        since = said.get("since") if is_so else at
        passed = self.passed if found.condition is not Condition.PASSED else None
        return found._replace(
            since=since if isinstance(since, int) else at, passed=passed
        )


def by_skill(rows: Iterable[CaseRecord]) -> dict[str, HealthHistory]:
    """What is remembered, by skill."""
    found: dict[str, list[CaseRecord]] = {}
    for row in rows:
        found.setdefault(row.skill, []).append(row)
    return {name: HealthHistory(tuple(some)) for name, some in found.items()}


def _said(row: CaseRecord) -> dict[str, object]:
    """What a row tells beside its columns; nothing if another tool wrote it."""
    try:
        said = json.loads(row.trials)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
