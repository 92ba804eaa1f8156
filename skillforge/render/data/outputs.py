"""The type of each command's `data`; `schemas/output/` is generated from them."""

from typing import Any

from skillforge.render.data import (
    checks,
    curate,
    health,
    history,
    install,
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
    "build": publish.BuildData | publish.BlockedData,
    "canary": rollouts.RolloutStatusData
    | rollouts.JudgementData
    | rollouts.RolloutListData
    | rollouts.NoRolloutData,
    "check": checks.AllChecksData,
    "close": proposals.DecisionData,
    "curate": curate.CurateData | curate.RestorableData | curate.RestoredData,
    "gate": proposals.GateData,
    "install": install.InstallData | proposals.SubmissionData,
    "health": health.HealthData,
    "log": history.LogData,
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
