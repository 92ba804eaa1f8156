"""Record reported uses: find the version of each, and redact its texts."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, partial

from skillforge.errors import ConfigError, RequestError
from skillforge.library import Library
from skillforge.model import Assignment, Rollout, Use
from skillforge.operate import fast_record, pseudonym, rollouts
from skillforge.operate.assignment import assigned
from skillforge.operate.use_reports import RecordResult, UnreadableLine, UseReport
from skillforge.store import Uses

_MAX_TEXT = 2_000  # characters of a note or a pitfall
_MAX_AHEAD = 300  # seconds that a clock may be ahead without a remark


@dataclass
class Recorder:
    """Records reports in one library."""

    library: Library
    now: int
    uses: Uses = field(init=False)
    remarks: list[str] = field(default_factory=list)
    _skills_with_fact: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.repo = self.library.repository()
        self.uses = Uses.of(self.repo.common_dir)
        self._rollout = cache(partial(rollouts.find, self.repo))
        self._full_name = cache(self.library.full_name)

    def record(self, reports: Iterable[UseReport]) -> RecordResult:
        """Record reports, all or none; one that is already recorded counts once.

        Of several lines, one about an unknown skill is reported and doesn't stop the
        others. A use that was recorded while the skill existed is found by its id.
        """
        uses, unread = [], []
        for report in reports:
            try:
                uses.append(self._use(report))
            except (RequestError, ConfigError) as err:
                if known := self.uses.find(report.id):
                    uses.append(known)
                    continue
                if not report.line:
                    raise
                unread.append(UnreadableLine(report.line, err.message))
        added = self.uses.add(uses)
        remarks = tuple(dict.fromkeys(self.remarks))
        return RecordResult(tuple(uses), added, remarks, tuple(unread))

    def _use(self, report: UseReport) -> Use:
        report = report._replace(skill=self._full_name(report.skill))
        rollouts.require_name(report.skill)
        voice = pseudonym.of_key(report.skill, report.key)
        assignment = self._assignment(report, voice)
        return report.to_use(assignment, voice, self._time(report))._replace(
            is_vote=report.is_verified and self._is_vote(report, assignment),
            note=self._redacted(report.note),
            pitfall=self._redacted(report.pitfall),
        )

    def _assignment(self, report: UseReport, voice: str) -> Assignment:
        """The version that a report is about: usually, the last that its key got."""
        assignment = self.uses.last_assignment(report.skill, voice)
        if assignment is None and not (report.version and self._is_gone(report.skill)):
            assignment = self._assigned_now(report)
        if assignment is not None and report.version in ("", assignment.version):
            return assignment
        if not self.repo.name_of(f"{report.version}^{{tree}}"):
            self.remarks.append(
                f"version {report.version[:12]} of {report.skill} is not known here; "
                "counted as a version of its own"
            )
        return Assignment(report.skill, report.version)

    def _is_gone(self, skill: str) -> bool:
        return not self.library.skill_tree(self.library.tip, skill)

    def _assigned_now(self, report: UseReport) -> Assignment:
        """What the key gets now, or got before a rollout started."""
        library, skill = self.library, report.skill
        ref_state = partial(
            fast_record.ref_state, str(self.repo.common_dir), skill, library.main
        )
        before = ref_state()
        assignment = assigned(library, skill, report.key)
        is_usual = assignment.skill == skill and not library.is_elsewhere
        if is_usual and skill not in self._skills_with_fact:
            fast_record.save_fact(self.uses, before, ref_state(), assignment)
            self._skills_with_fact.add(skill)
        rollout = self._rollout(skill) if assignment.rollout else None
        if rollout and report.at is not None and report.at < rollout.started:
            return Assignment(skill, rollout.stable)
        return assignment

    def _is_vote(self, report: UseReport, assignment: Assignment) -> bool:
        """Whether a use counts in a rollout.

        If the other arm has no skill, nothing can be loaded there. Then, in both arms,
        uses without the skill count too.
        """
        if not assignment.rollout:
            return False
        if report.is_loaded and assignment.version:
            return True
        rollout: Rollout | None = self._rollout(report.skill)
        return rollout is not None and not rollout.stable

    def _time(self, report: UseReport) -> int:
        """The time of a use; one in the future becomes now."""
        if report.at is not None and report.at > self.now + _MAX_AHEAD:
            self.remarks.append("a use has a date in the future; recorded as now")
        return self.now if report.at is None else min(report.at, self.now)

    def _redacted(self, text: str) -> str:
        """A reported text without private data."""
        if not text.strip():
            return ""
        from skillforge.checks.private_names import private_to
        from skillforge.redact import Redaction

        words = " ".join(text.split())[:_MAX_TEXT]
        return str(Redaction(private_to(self.library))(words))
