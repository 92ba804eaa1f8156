"""Patterns as the `data` of `--json`."""

from collections import Counter
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from skillforge.learn.inputs import Input
    from skillforge.workflows.patterns import PatternDetail, PatternList, PatternMatch


class PatternRowData(TypedDict):
    """A pattern, and the most similar skill on main."""

    id: str
    label: str
    examples: list[str]
    sessions: int
    successes: int
    failures: int
    nearest_skill: str | None
    similarity: float


class PatternListData(TypedDict):
    """All patterns, and the ids of examples in none."""

    patterns: list[PatternRowData]
    unclustered: list[str]


class PatternMemberData(TypedDict):
    """An example of a pattern."""

    id: str
    task: str
    session: str
    outcome: str
    source: str
    tools: list[str]


class InputData(TypedDict):
    """A value that varies between the examples."""

    name: str
    type: str
    examples: list[str]
    default: str | None


class PatternDetailData(PatternRowData):
    """One pattern: its members, what they share, and what varies."""

    members: list[PatternMemberData]
    shared: list[str]
    tools: dict[str, int]
    varies: list[InputData]


def pattern_list(result: "PatternList") -> PatternListData:
    rows = [_row(match) for match in result.patterns]
    return {"patterns": rows, "unclustered": list(result.unclustered)}


def _row(match: "PatternMatch") -> PatternRowData:
    pattern = match.pattern
    return {
        "id": pattern.id,
        "label": pattern.label,
        "examples": [member.id for member in pattern.members],
        "sessions": pattern.sessions,
        "successes": len(pattern.successes),
        "failures": len(pattern.failures),
        "nearest_skill": match.nearest_skill or None,
        "similarity": round(match.similarity, 3),
    }


def detail(result: "PatternDetail") -> PatternDetailData:
    pattern = result.match.pattern
    tools = Counter(
        tool
        for member in pattern.members
        for tool in dict.fromkeys(member.example.tools)
    )
    return {
        **_row(result.match),
        "members": [
            {
                "id": member.id,
                "task": member.example.task,
                "session": member.example.session,
                "outcome": str(member.example.outcome.status),
                "source": str(member.example.outcome.source),
                "tools": list(member.example.tools),
            }
            for member in pattern.members
        ],
        "shared": pattern.template.spelled,
        "tools": dict(tools.most_common()),
        "varies": list(map(input_, result.inputs)),
    }


def input_(field: "Input") -> InputData:
    return {
        "name": field.name,
        "type": field.type,
        "examples": field.examples,
        "default": field.default,
    }
