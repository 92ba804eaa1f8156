"""A proposal as files of a commit, as the local forge records it."""

import json
import re
from dataclasses import asdict, replace
from typing import Any

from skillforge.errors import ConfigError, RequestError
from skillforge.model import (
    Action,
    Approval,
    CheckResult,
    Comment,
    Finding,
    Origin,
    Proposal,
    Severity,
    State,
    Status,
    Verdict,
)
from skillforge.model.layout import ref_name
from skillforge.schema_errors import misfit

PROPOSAL_FILE = "proposal.json"
VERDICT_FILE = "gate.json"
FORMAT = "skillforge/proposal/1"
GATE_FORMAT = "skillforge/gate/1"
_LARGEST = 5_000_000  # bytes of a report
_NOT_RECORDED = (
    "number",
    "verdict",
    "url",
    "is_from_fork",
    "makers",
    "objections",
    "ci",
)
_TEXTS = (
    "skill",
    "author",
    "title",
    "why",
    "branch",
    "head",
    "base",
    "digest",
    "merge",
    "message",
    "made",
    "absorbed_into",
)
NAME = re.compile(r"\.?[A-Za-z0-9][A-Za-z0-9._-]*(?:/\.?[A-Za-z0-9][A-Za-z0-9._-]*)*")
_LAST = re.compile(r"\w+")  # part of a branch's name
_HASH = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def dump(proposal: Proposal) -> dict[str, bytes]:
    """The files of a record. The number is not in them: it is part of the ref."""
    fields = {k: v for k, v in asdict(proposal).items() if k not in _NOT_RECORDED}
    fields["approvals"] = [a._asdict() for a in proposal.approvals]
    fields["comments"] = [c._asdict() for c in proposal.comments]
    files = {PROPOSAL_FILE: _json({"format": FORMAT, **fields})}
    if proposal.verdict is not None:
        files[VERDICT_FILE] = _json(verdict_data(proposal.verdict))
    return files


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain data."""
    data = asdict(verdict)
    return data | {"passed": verdict.passed, "digest": verdict.digest}


def dump_verdict(verdict: Verdict) -> bytes:
    """A verdict as a file that another run can read."""
    return _json({"format": GATE_FORMAT, **verdict_data(verdict)})


def load_verdict(data: bytes) -> Verdict:
    """The verdict in an untrusted file."""
    try:
        if len(data) > _LARGEST:
            raise ValueError("it is too large")
        document = json.loads(data)
        if error := misfit(document, "gate.schema.json"):
            raise ValueError(error.words)
        return _verdict(document)
    except (ValueError, RecursionError) as err:
        raise RequestError(
            f"not a gate report: {err}",
            hint="skillforge gate --base REV --head REV --report DIR writes one",
        ) from err


def load(number: int, record: bytes, verdict: bytes | None) -> Proposal:
    """The proposal that a record describes."""
    try:
        if not record:
            raise ValueError(f"it has no {PROPOSAL_FILE}")
        fields = json.loads(record)
        if fields.pop("format") != FORMAT:
            raise ValueError("written by another version of skillforge")
        proposal = _proposal(number, fields)
        if verdict is None:
            return proposal
        return replace(proposal, verdict=_verdict(json.loads(verdict)))
    except (ValueError, KeyError, TypeError, AttributeError) as err:
        raise ConfigError(
            f"the record of proposal {number} cannot be read: {err}",
            hint="skillforge doctor --fix restores it if git still has the record; to "
            f"give it up: git update-ref -d refs/skillforge/proposals/{number}",
        ) from err


def _proposal(number: int, fields: dict[str, Any]) -> Proposal:
    """A record may come from anywhere, so every field is checked."""
    for key in _TEXTS:
        if not isinstance(fields[key], str):
            raise TypeError(f"`{key}` is not text")
    if not isinstance(fields["opened"], int) or not isinstance(
        fields["is_draft"], bool
    ):
        raise TypeError("`opened` or `is_draft` has the wrong type")
    names = [fields["skill"], *fields["skills"]]
    if not all(isinstance(name, str) and NAME.fullmatch(name) for name in names):
        raise ValueError("it has no skill")
    folder, _, last = fields["branch"].rpartition("/")
    if folder != f"skill/{ref_name(fields['skill'])}" or not _LAST.fullmatch(last):
        raise ValueError(f"its branch is {fields['branch']!r}")
    hashes = (fields["head"], fields["base"], fields["made"])
    if not all(_HASH.fullmatch(name) for name in hashes):
        raise ValueError("it has no commit")
    fields["skills"] = tuple(map(str, fields["skills"]))
    fields["examples"] = tuple(map(str, fields["examples"]))
    fields["action"] = Action(fields["action"])
    fields["origin"] = Origin(fields["origin"])
    fields["state"] = State(fields["state"])
    fields["approvals"] = tuple(Approval(**a) for a in fields["approvals"])
    fields["comments"] = tuple(Comment(**c) for c in fields["comments"])
    return Proposal(number=number, **fields)


def _verdict(data: dict[str, Any]) -> Verdict:
    head, base, tree, policy = (
        str(data[name]) for name in ("head", "base", "tree", "policy")
    )
    checks = tuple(_check(check) for check in data["checks"])
    return Verdict(head, base, tree, policy, checks)


def _check(data: dict[str, Any]) -> CheckResult:
    findings = tuple(
        Finding(**{**f, "severity": Severity(f["severity"])}) for f in data["findings"]
    )
    skills = {name: Status(status) for name, status in data["skills"].items()}
    status = Status(data["status"])
    return CheckResult(data["name"], status, findings, skills, data["seconds"])


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, indent=2, sort_keys=True).encode() + b"\n"
