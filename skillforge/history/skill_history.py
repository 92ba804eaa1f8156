"""What history tells of one skill: its versions, and why it is what it is."""

from dataclasses import dataclass

from skillforge.errors import RequestError
from skillforge.gitrepo import trailers
from skillforge.history import readable_version, steps
from skillforge.history.steps import NOW, HistoryStep
from skillforge.library import Library, no_such_skill
from skillforge.model import SKILL_FILE


@dataclass(frozen=True, slots=True)
class HistoryVersion:
    """One version of a skill on main, and how it came to be."""

    step: HistoryStep
    skill: str
    version: str
    tree: str
    before: str
    reverted_by: str

    @property
    def at_once_by(self) -> str:
        """Who merged it without waiting for an approval; empty for most."""
        return trailers.first(self.step.said, NOW)

    @property
    def origin(self) -> str:
        return trailers.first(self.step.drafted, "Origin")


def log(library: Library, name: str) -> list[HistoryVersion]:
    """The versions of a skill, the newest first."""
    all_steps = _all_steps(library)
    found = _versions(library, all_steps, name)
    if not found:
        raise unknown(library, all_steps, name)
    return found[::-1]


def _all_steps(library: Library) -> list[HistoryStep]:
    all_steps = steps.read_steps(library, library.tip)
    steps.refuse_shallow(library, all_steps)
    return all_steps


def unknown(library: Library, all_steps: list[HistoryStep], name: str) -> RequestError:
    """The error for a skill that never was."""
    known = sorted({skill for step in all_steps for skill in step.skills})
    return no_such_skill(name, known, f"the history of {library.main}")


def _versions(
    library: Library, all_steps: list[HistoryStep], name: str
) -> list[HistoryVersion]:
    reverted = steps.reverted_by(all_steps, name)
    return [
        HistoryVersion(
            step,
            name,
            readable(library, step.skills[name].after),
            step.skills[name].after,
            step.skills[name].before,
            reverted.get(step.name, ""),
        )
        for step in steps.of_skill(all_steps, name)
    ]


def readable(library: Library, tree: str) -> str:
    """The version that a skill's tree names."""
    found = library.repository().find(f"{tree}:{SKILL_FILE}") if tree else None
    return readable_version.of(found.data) if found else ""


@dataclass(frozen=True, slots=True)
class SkillHistory:
    """Why a skill is what it is: its versions and those of skills it came from."""

    name: str
    versions: tuple[HistoryVersion, ...]
    examples: dict[str, list[str]]  # of each proposal's commit
    tags: dict[str, list[str]]  # releases by the tree that they hold
    became: tuple[str, ...]  # skills that took its place


def why(library: Library, name: str) -> SkillHistory:
    """The chain from examples to releases and reverts, across renames."""
    all_steps = _all_steps(library)
    found: list[HistoryVersion] = []
    names, seen = [name], set()
    while names:
        skill = names.pop()
        if skill in seen:
            continue
        seen.add(skill)
        own = _versions(library, all_steps, skill)
        names += [other for v in own if not v.before for other in _gone_in(v.step)]
        found += own
    if not found:
        raise unknown(library, all_steps, name)
    order = {step.name: at for at, step in enumerate(all_steps)}
    found.sort(key=lambda version: (order[version.step.name], bool(version.tree)))
    return SkillHistory(
        name,
        tuple(found),
        {v.step.name: v.step.drafted.get("Example", []) for v in found},
        _releases(library, found),
        tuple(_became(all_steps, name)),
    )


def _gone_in(step: HistoryStep) -> list[str]:
    """Skills that went in the same step: what a new one in it was made of."""
    return [name for name, change in step.skills.items() if not change.after]


def _became(all_steps: list[HistoryStep], name: str) -> list[str]:
    """Skills that came or grew when this one went."""
    last = next((s for s in reversed(all_steps) if name in s.skills), None)
    if last is None or last.skills[name].after:
        return []
    into = last.drafted.get("Absorbed-Into", [])
    others = [other for other, change in last.skills.items() if change.after]
    return list(dict.fromkeys([*into, *others]))


def _releases(library: Library, found: list[HistoryVersion]) -> dict[str, list[str]]:
    """The release tags that hold each version, by its tree."""
    repo = library.repository()
    tags = repo.refs("refs/tags/v*")
    released: dict[str, list[str]] = {}
    for skill in {version.skill for version in found}:
        for tag in tags:
            tree = library.skill_tree(tag, skill)
            released.setdefault(tree, []).append(tag.removeprefix("refs/tags/"))
    return released
