"""Find patterns in approved examples, and explain one."""

from dataclasses import dataclass

from skillforge.learn import patterns
from skillforge.learn.inputs import Input, find_inputs
from skillforge.learn.patterns import Pattern
from skillforge.library import Library


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """A pattern and the most similar skill on main, if any."""

    pattern: Pattern
    nearest_skill: str
    similarity: float


@dataclass(frozen=True, slots=True)
class PatternList:
    """All patterns, most successes first, and the examples in no pattern, by id."""

    patterns: tuple[PatternMatch, ...]
    unclustered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PatternDetail:
    """One pattern, and the inputs that vary between its members."""

    match: PatternMatch
    inputs: tuple[Input, ...]


def list_patterns(library: Library, *, rebuild: bool = False) -> PatternList:
    """Cluster the approved examples; `rebuild` forgets earlier patterns."""
    found = patterns.find(library, rebuild=rebuild)
    nearest = patterns.nearest_skills(library, found.patterns)
    return PatternList(
        tuple(
            PatternMatch(pattern, *nearest[pattern.id]) for pattern in found.patterns
        ),
        tuple(member.id for member in found.unclustered),
    )


def show(library: Library, number: str) -> PatternDetail:
    """One pattern by id or its prefix."""
    pattern = patterns.get(library, number)
    nearest = patterns.nearest_skills(library, [pattern])[pattern.id]
    inputs, _ = find_inputs([member.example for member in pattern.members])
    return PatternDetail(PatternMatch(pattern, *nearest), tuple(inputs))
