"""The baseline as the `data` of `--json`."""

from typing import TYPE_CHECKING, TypedDict

from skillforge.model import BASELINE_FILE

if TYPE_CHECKING:
    from skillforge.workflows.baseline import BaselineReport


class BaselineRowData(TypedDict):
    """The known findings of a skill and rule: still there, fixed, and new ones."""

    skill: str
    rule: str
    known: int
    fixed: int
    new: int


class BaselineData(TypedDict):
    """The baseline beside the findings of a commit, and what was written to it."""

    file: str
    commit: str
    known: int
    fixed: int
    new: int
    added: int
    removed: int
    rows: list[BaselineRowData]


def report(result: "BaselineReport") -> BaselineData:
    return {
        "file": BASELINE_FILE,
        "commit": result.commit,
        "known": result.known,
        "fixed": result.fixed,
        "new": result.new,
        "added": result.added,
        "removed": result.removed,
        "rows": [
            {
                "skill": row.skill,
                "rule": row.rule,
                "known": row.known,
                "fixed": row.fixed,
                "new": row.new,
            }
            for row in result.rows
        ],
    }
