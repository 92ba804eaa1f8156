"""The keys of `data` that scripts and agents rely on, by command.

A key that is a list of objects has their keys beside it. `tests/cli/test_keys.py` runs
each command and looks.
"""

_FINDING = ("rule", "severity", "message", "path", "line", "hint")
_TRIAL = ("skill", "case", "outcome", "seconds", "detail")
_SKILL = ("name", "description", "score")
_PROPOSED: dict[str, tuple[str, ...]] = {
    "proposal": (), "branch": (), "commit": (), "skill": (), "created": (), "url": (),
}  # fmt: skip
_MERGED: dict[str, tuple[str, ...]] = {
    "proposal": (), "merge": (), "skill": (), "version": (),
}  # fmt: skip

KEYS: dict[str, dict[str, tuple[str, ...]]] = {
    "validate": {"skills": (), "findings": _FINDING},
    "scan": {"skills": (), "findings": _FINDING, "verdicts": ()},
    "check": {"skills": (), "findings": _FINDING},
    "test": {"trials": _TRIAL},
    "health": {"trials": _TRIAL},
    "propose": _PROPOSED,
    "proposals": {
        "proposals": (
            "number", "skill", "action", "state", "author", "origin", "branch", "head",
            "age_days",
        ),
    },
    "gate": {"passed": (), "checks": ("name", "status"), "findings": _FINDING},
    "promote": _MERGED,
    "rollback": _MERGED,
    "log": {
        "versions": (
            "version", "tree", "commit", "proposal", "author", "approvers", "origin",
            "date", "reverted_by",
        ),
    },
    "audit": {"promotions": (), "exceptions": ("commit", "kind", "message")},
    "capture": {
        "kept": (), "skipped": (), "examples": ("id", "task", "value", "status"),
        "problems": (),
    },
    "patterns": {
        "patterns": (
            "id", "label", "examples", "sessions", "successes", "nearest_skill",
        ),
        "unclustered": (),
    },
    "draft": {"skill": (), "path": (), "inputs": (), "steps": (), "held_out": ()},
    "use": {"path": (), "arm": (), "version": ()},
    "stats": {"skills": ("name", "uses", "success_rate", "interval", "versions")},
    "canary status": {"skill": (), "shares": (), "verdict": (), "evidence": ()},
    "search": {"results": _SKILL},
    "list": {"skills": _SKILL},
}  # fmt: skip
