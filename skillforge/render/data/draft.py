"""Drafts from patterns as the `data` of `--json`."""

from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from skillforge import report
from skillforge.model import SKILL_FILE
from skillforge.render.data.patterns import InputData, input_
from skillforge.render.data.proposals import SubmissionData, submission
from skillforge.report import FindingData

if TYPE_CHECKING:
    from skillforge.workflows.draft import DraftResult
    from skillforge.workflows.submit import SubmissionBatch


class StepData(TypedDict):
    """A step, and how many of the runs took it."""

    text: str
    tool: str
    support: int
    of: int
    is_repeated: bool
    is_optional: bool


class ContractData(TypedDict):
    """What a draft is made of. Without a path, it is refused."""

    skill: str
    path: str | None
    inputs: list[InputData]
    steps: list[StepData]
    held_out: list[str]
    examples: list[str]
    pattern: str


class DraftData(ContractData):
    """A draft that is written or refused; its text in a dry run."""

    findings: list[FindingData]
    text: NotRequired[str]


class DraftProposalData(SubmissionData, ContractData):
    """A draft that was proposed."""


def _contract(result: "DraftResult") -> ContractData:
    learned = result.learned
    return {
        "skill": learned.draft.skill,
        "path": None if result.is_refused else f"{result.folder}/{SKILL_FILE}",
        "inputs": list(map(input_, learned.contract.inputs)),
        "steps": [
            {
                "text": step.text,
                "tool": step.tool,
                "support": step.support,
                "of": step.of,
                "is_repeated": step.is_repeated,
                "is_optional": step.is_optional,
            }
            for step in learned.contract.steps
        ],
        "held_out": list(learned.held_out),
        "examples": list(learned.draft.examples),
        "pattern": learned.pattern.id,
    }


def draft(result: "DraftResult", *, is_dry_run: bool = False) -> DraftData:
    learned = result.learned
    findings = [report.finding_data(finding) for finding in result.report.findings]
    contract = _contract(result)
    data = cast("DraftData", {**contract, "findings": findings})
    if is_dry_run and not result.is_refused:
        data["text"] = learned.text
    return data


def proposal(result: "DraftResult", batch: "SubmissionBatch") -> DraftProposalData:
    return {**submission(batch), **_contract(result)}
