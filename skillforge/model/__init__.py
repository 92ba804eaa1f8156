"""The domain model: immutable values that the stages pass to each other."""

from typing import TYPE_CHECKING

from skillforge.lazy_import import lazily

if TYPE_CHECKING:
    from skillforge.model.example import Example, Review, Step, StepKind, Worth
    from skillforge.model.finding import (
        ARCHIVE,
        BASELINE_FILE,
        EVIDENCE,
        SKILL_FILE,
        SKILLS,
        WAIVERS_FILE,
        Danger,
        Finding,
        Profile,
        Report,
        Rule,
        RuleProblem,
        Severity,
        rule,
        rules_in,
    )
    from skillforge.model.layout import Layout
    from skillforge.model.outcome import Outcome, OutcomeSource, OutcomeStatus
    from skillforge.model.proposal import (
        CANARY,
        NOT_RUN,
        SCAN,
        Action,
        Approval,
        CheckResult,
        Comment,
        Draft,
        DraftFile,
        Origin,
        Proposal,
        State,
        Status,
        Verdict,
    )
    from skillforge.model.rollout import Rollout, RolloutState, RolloutVerdict
    from skillforge.model.skill import (
        Document,
        File,
        FileKind,
        Link,
        Skill,
        Value,
        is_of_agent,
    )
    from skillforge.model.trial import Trial, TrialOutcome
    from skillforge.model.use import Arm, Assignment, Use

_PARTS = {
    "finding": (
        "ARCHIVE", "BASELINE_FILE", "EVIDENCE", "SKILL_FILE", "SKILLS", "WAIVERS_FILE",
        "Danger", "Finding", "RuleProblem", "Profile", "Report", "Rule", "Severity",
        "rule", "rules_in",
    ),
    "example": ("Example", "Review", "Step", "StepKind", "Worth"),
    "layout": ("Layout",),
    "outcome": ("OutcomeStatus", "Outcome", "OutcomeSource"),
    "proposal": (
        "CANARY", "NOT_RUN", "SCAN", "Action", "Approval", "CheckResult", "Comment",
        "Draft", "DraftFile", "Origin", "Proposal", "State", "Status", "Verdict",
    ),
    "rollout": ("RolloutVerdict", "Rollout", "RolloutState"),
    "skill": ("Document", "File", "FileKind", "Link", "Skill", "Value", "is_of_agent"),
    "trial": ("TrialOutcome", "Trial"),
    "use": ("Arm", "Assignment", "Use"),
}  # fmt: skip

__getattr__ = lazily(__name__, _PARTS)
__all__ = [
    "ARCHIVE", "BASELINE_FILE", "CANARY", "EVIDENCE", "NOT_RUN", "SCAN", "SKILLS",
    "SKILL_FILE", "WAIVERS_FILE", "Action", "Approval", "Arm", "Assignment",
    "CheckResult", "Comment", "Danger", "Document", "Draft", "DraftFile", "Example",
    "File", "FileKind", "Finding", "Layout", "Link", "Origin", "Outcome",
    "OutcomeSource", "OutcomeStatus", "Profile", "Proposal", "Report", "Review",
    "Rollout", "RolloutState", "RolloutVerdict", "Rule", "RuleProblem", "Severity",
    "Skill", "State", "Status", "Step", "StepKind", "Trial", "TrialOutcome", "Use",
    "Value", "Verdict", "Worth", "is_of_agent", "rule", "rules_in",
]  # fmt: skip
