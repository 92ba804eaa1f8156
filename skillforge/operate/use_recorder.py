"""Uses as they are reported: put to the version that was used, redacted, and kept."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from skillforge.errors import ConfigError, RequestError
from skillforge.library import Library
from skillforge.model import Assignment, Rollout, Use
from skillforge.operate import assignment, fast_record, pseudonym, rollouts
from skillforge.operate.use_reports import RecordResult, UnreadableLine, UseReport
from skillforge.store import Uses

MOST_TEXT = 2_000  # letters of a note or a pitfall
_AHEAD = 300  # seconds that a clock may be off before it is told


@dataclass
class Recorder:
    """Puts reports to versions; what it looks up, it looks up once."""

    library: Library
    now: int
    uses: Uses = field(init=False)
    remarks: list[str] = field(default_factory=list)
    _rollouts: dict[str, Rollout | None] = field(default_factory=dict)
    _remembered: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.uses = Uses.of(self.library.repository().common_dir)

    def record(self, reports: Iterable[UseReport]) -> RecordResult:
        """Keep reports, all or none; one that is there already counts once.

        Of many lines, one that is about no skill of main is named, and stops no other.
        One that was recorded while main had its skill is still known by its id.
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
        rollouts.require_name(report.skill)
        voice = pseudonym.voice(report.skill, report.key)
        given = self._given(report, voice)
        return report.use_of(given, voice, self._time(report))._replace(
            is_vote=report.is_verified and self._speaks(report, given),
            note=self._redacted(report.note),
            pitfall=self._redacted(report.pitfall),
        )

    def _given(self, report: UseReport, voice: str) -> Assignment:
        """The version that a report is about: what this key was handed, as a rule."""
        given = self.uses.handed(report.skill, voice)
        if given is None and not (report.version and self._is_gone(report.skill)):
            given = self._assigned(report)
        if given is not None and report.version in ("", given.version):
            return given
        if not self.library.repository().name_of(f"{report.version}^{{tree}}"):
            self.remarks.append(
                f"version {report.version[:12]} of {report.skill} is not known here; "
                "it is counted by itself"
            )
        return Assignment(report.skill, report.version)

    def _is_gone(self, skill: str) -> bool:
        library = self.library
        return not library.skill_tree(library.tip, skill)

    def _assigned(self, report: UseReport) -> Assignment:
        library, git_dir = self.library, str(self.library.repository().common_dir)
        standing = partial(fast_record.standing, git_dir, report.skill, library.main)
        before = standing()
        given = assignment.assigned(library, report.skill, report.key)
        is_usual = given.skill == report.skill and not library.is_elsewhere
        if is_usual and report.skill not in self._remembered:
            fast_record.remember(self.uses, before, standing(), given)
            self._remembered.add(report.skill)
        rollout = self._rollout(report.skill) if given.rollout else None
        if rollout and report.at is not None and report.at < rollout.started:
            return Assignment(report.skill, rollout.stable)  # there was no other yet
        return given

    def _speaks(self, report: UseReport, given: Assignment) -> bool:
        """Whether a use tells something of a rollout.

        Where the other arm has no skill, nothing could be loaded there; so it counts
        in both arms whether the key had the chance.
        """
        if not given.rollout:
            return False
        if report.is_loaded and given.version:
            return True
        rollout = self._rollout(report.skill)
        return rollout is not None and not rollout.stable

    def _rollout(self, skill: str) -> Rollout | None:
        if skill not in self._rollouts:
            self._rollouts[skill] = rollouts.find(self.library.repository(), skill)
        return self._rollouts[skill]

    def _time(self, report: UseReport) -> int:
        """When it was; a clock that is ahead of ours is not believed."""
        if report.at is None or report.at <= self.now:
            return self.now if report.at is None else report.at
        if report.at > self.now + _AHEAD:
            self.remarks.append("a use of the future is taken for one of now")
        return self.now

    def _redacted(self, text: str) -> str:
        """What a use says in words, without what is private."""
        if not text.strip():
            return ""
        from skillforge.checks.private_names import private_to
        from skillforge.redact import Redaction

        words = " ".join(text.split())[:MOST_TEXT]
        return str(Redaction(private_to(self.library))(words))
