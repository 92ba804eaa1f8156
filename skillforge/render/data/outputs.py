"""The type of each command's `data`; `schemas/output/` is generated from them."""

from typing import Any

from skillforge.render.data import (
    brief,
    capture,
    checks,
    curate,
    draft,
    examples,
    export,
    health,
    history,
    hook,
    install,
    patterns,
    proposals,
    publish,
    refine,
    release,
    rollouts,
    stats,
    uses,
)

OUTPUTS: dict[str, Any] = {
    "audit": history.AuditData,
    "brief": brief.BriefData,
    "build": publish.BuildData | publish.BlockedData,
    "canary": rollouts.RolloutStatusData
    | rollouts.JudgementData
    | rollouts.RolloutListData
    | rollouts.NoRolloutData,
    "capture": capture.CaptureData,
    "check": checks.AllChecksData,
    "close": proposals.DecisionData,
    "curate": curate.CurateData | curate.RestorableData | curate.RestoredData,
    "draft": draft.DraftData | draft.DraftProposalData,
    "examples": examples.ExampleListData
    | examples.ExampleDetailData
    | examples.DecidedExamplesData
    | examples.ExamplesHelpData,
    "export": export.ExportData,
    "gate": proposals.GateData,
    "install": install.InstallData | proposals.SubmissionData,
    "health": health.HealthData,
    "hook": hook.HookChangeData | hook.HookRunData | hook.HookStatusData,
    "log": history.LogData,
    "patterns": patterns.PatternListData | patterns.PatternDetailData,
    "pin": curate.PinnedData | curate.PinProposalData,
    "promote": proposals.MergeData | proposals.RefusalData,
    "proposals": proposals.ProposalsData,
    "publish": publish.PublishData | publish.BlockedData,
    "record": uses.RecordData,
    "refine": refine.RefineData | refine.BriefsData,
    "refresh": proposals.DecisionData,
    "release": release.ReleaseData,
    "review": proposals.ReviewData | proposals.DecisionData,
    "rollback": proposals.MergeData | proposals.RefusalData | proposals.RollbackData,
    "rules": checks.RulesData,
    "scan": checks.ScanData,
    "stats": stats.StatsData,
    "sync": uses.SyncData,
    "sync-uses": uses.UseSyncData,
    "test": checks.TestData,
    "update": install.UpdateData,
    "unpin": curate.PinnedData | curate.PinProposalData,
    "use": uses.UseData,
    "validate": checks.ValidateData,
    "verify": install.VerifyData,
    "why": history.WhyData,
}
