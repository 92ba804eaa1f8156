"""A proposal as files of a commit: what the local forge writes down, and reads back."""

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
from skillforge.schema_errors import misfit

PROPOSAL_FILE = "proposal.json"
VERDICT_FILE = "gate.json"
FORMAT = "skillforge/proposal/1"
GATE_FORMAT = "skillforge/gate/1"
_LARGEST = 5_000_000  # bytes of a report
_NOT_KEPT = ("number", "verdict", "url", "is_from_fork", "makers", "objections", "ci")
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
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LAST = re.compile(r"\w+")  # part of a branch's name
_HASH = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def dump(proposal: Proposal) -> dict[str, bytes]:
    """The files of a record. The number is that of the ref, so it is not in them."""
    about = {k: v for k, v in asdict(proposal).items() if k not in _NOT_KEPT}
    about["approvals"] = [a._asdict() for a in proposal.approvals]
    about["comments"] = [c._asdict() for c in proposal.comments]
    files = {PROPOSAL_FILE: _json({"format": FORMAT, **about})}
    if proposal.verdict is not None:
        files[VERDICT_FILE] = _json(verdict_data(proposal.verdict))
    return files


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain data, for a record and for scripts."""
    data = asdict(verdict)
    return data | {"passed": verdict.passed, "digest": verdict.digest}


def dump_verdict(verdict: Verdict) -> bytes:
    """A verdict as a file, for another run to read."""
    return _json({"format": GATE_FORMAT, **verdict_data(verdict)})


def load_verdict(data: bytes) -> Verdict:
    """The verdict in a file that anybody may have written."""
    try:
        if len(data) > _LARGEST:
            raise ValueError("it is too large")
        said = json.loads(data)
        if found := misfit(said, "gate.schema.json"):
            raise ValueError(found.words)
        return _verdict(said)
    except (ValueError, RecursionError) as err:
        raise RequestError(
            f"this is no report of the gate: {err}",
            hint="skillforge gate --base REV --head REV --report DIR writes one",
        ) from err


def load(number: int, record: bytes, verdict: bytes | None) -> Proposal:
    """The proposal that a record describes."""
    try:
        if not record:
            raise ValueError(f"it has no {PROPOSAL_FILE}")
        about = json.loads(record)
        if about.pop("format") != FORMAT:
            raise ValueError("made by another version of skillforge")
        proposal = _proposal(number, about)
        if verdict is None:
            return proposal
        return replace(proposal, verdict=_verdict(json.loads(verdict)))
    except (ValueError, KeyError, TypeError, AttributeError) as err:
        raise ConfigError(
            f"the record of proposal {number} cannot be read: {err}",
            hint="skillforge doctor --fix restores it if git still has the record; to "
            f"give it up: git update-ref -d refs/skillforge/proposals/{number}",
        ) from err


def _proposal(number: int, about: dict[str, Any]) -> Proposal:
    """A record may come from anywhere: nothing in it is taken on trust."""
    for key in _TEXTS:
        if not isinstance(about[key], str):
            raise TypeError(f"`{key}` is not text")
    if not isinstance(about["opened"], int) or not isinstance(about["is_draft"], bool):
        raise TypeError("it is damaged")
    names = [about["skill"], *about["skills"]]
    if not all(isinstance(name, str) and NAME.fullmatch(name) for name in names):
        raise ValueError("it names no skill")
    folder, _, last = about["branch"].rpartition("/")
    if folder != f"skill/{about['skill']}" or not _LAST.fullmatch(last):
        raise ValueError(f"its branch is {about['branch']!r}")
    hashes = (about["head"], about["base"], about["made"])
    if not all(_HASH.fullmatch(name) for name in hashes):
        raise ValueError("it names no commit")
    about["skills"] = tuple(map(str, about["skills"]))
    about["examples"] = tuple(map(str, about["examples"]))
    about["action"] = Action(about["action"])
    about["origin"] = Origin(about["origin"])
    about["state"] = State(about["state"])
    about["approvals"] = tuple(Approval(**a) for a in about["approvals"])
    about["comments"] = tuple(Comment(**c) for c in about["comments"])
    return Proposal(number=number, **about)


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
