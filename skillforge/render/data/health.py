"""Health runs as the `data` of `--json`."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NotRequired, TypedDict

from skillforge.render.data import trials
from skillforge.render.data.offers import OfferRow, offers
from skillforge.render.data.trials import TrialData

if TYPE_CHECKING:
    from skillforge.operate.health_record import Checkup
    from skillforge.workflows.health import HealthReport


class EnvironmentData(TypedDict):
    """Where cases ran; `dependency` is a digest of the packages that scripts need."""

    interpreter: str
    platform: str
    sandbox: str
    dependency: str


class CheckupRow(TypedDict):
    """The result of one skill, and what changed since it last passed."""

    skill: str
    version: str
    status: str
    changed: list[str]
    since: str | None
    passed: str | None
    confirmed: bool
    deprecated: str | None
    environment: EnvironmentData


class HealthData(TypedDict):
    """The answer of `health`; `proposals` with --propose."""

    trials: list[TrialData]
    skills: list[CheckupRow]
    proposals: NotRequired[list[OfferRow]]


def health(report: "HealthReport") -> HealthData:
    data: HealthData = {
        "trials": trials.trials(report.trials),
        "skills": [_row(checkup) for checkup in report.checkups],
    }
    if report.offers:
        data["proposals"] = offers(report.offers)
    return data


def _row(checkup: "Checkup") -> CheckupRow:
    here = checkup.environment
    return {
        "skill": checkup.name,
        "version": checkup.version,
        "status": checkup.condition,
        "changed": list(checkup.changed),
        "since": iso_time(checkup.since),
        "passed": iso_time(checkup.passed.at) if checkup.passed else None,
        "confirmed": checkup.is_confirmed,
        "deprecated": checkup.deprecation or None,
        "environment": {
            "interpreter": here.interpreter,
            "platform": here.platform,
            "sandbox": here.sandbox,
            "dependency": here.dependency,
        },
    }


def iso_time(seconds: int | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
