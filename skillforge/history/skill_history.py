"""The history of one skill: its versions, and why it is what it is."""

from dataclasses import dataclass

from skillforge.errors import RequestError
from skillforge.gitrepo import trailers
from skillforge.history import readable_version, steps
from skillforge.history.steps import NOW, HistoryStep
from skillforge.library import Library, no_such_skill
from skillforge.model import SKILL_FILE, SKILLS


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
        """Who merged it without waiting for an approval; usually empty."""
        return trailers.first(self.step.trailers, NOW)

    @property
    def origin(self) -> str:
        return trailers.first(self.step.draft_trailers, "Origin")


def log(library: Library, name: str) -> list[HistoryVersion]:
    """The versions of a skill, the newest first."""
    all_steps = _all_steps(library)
    versions = _versions(library, all_steps, name)
    if not versions:
        raise unknown(library, all_steps, name)
    return versions[::-1]


def _all_steps(library: Library) -> list[HistoryStep]:
    all_steps = steps.read_steps(library, library.tip)
    steps.refuse_shallow(library, all_steps)
    return all_steps


def unknown(library: Library, all_steps: list[HistoryStep], name: str) -> RequestError:
    """The error for a skill that never existed."""
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
    skill_md = library.repository().find(f"{tree}:{SKILL_FILE}") if tree else None
    return readable_version.of(skill_md.data) if skill_md else ""


@dataclass(frozen=True, slots=True)
class SkillHistory:
    """Why a skill is what it is: its versions and those of skills it came from."""

    name: str
    versions: tuple[HistoryVersion, ...]
    examples: dict[str, list[str]]  # of each proposal's commit
    tags: dict[str, list[str]]  # releases by the skill's tree
    became: tuple[str, ...]  # skills that replaced it


def why(library: Library, name: str) -> SkillHistory:
    """The chain from examples to releases and reverts, across renames."""
    all_steps = _all_steps(library)
    versions: list[HistoryVersion] = []
    names, visited = [name], set()
    while names:
        skill = names.pop()
        if skill in visited:
            continue
        visited.add(skill)
        own = _versions(library, all_steps, skill)
        names += [other for v in own if not v.before for other in _removed_in(v.step)]
        versions += own
    if not versions:
        raise unknown(library, all_steps, name)
    order = {step.name: position for position, step in enumerate(all_steps)}
    versions.sort(key=lambda version: (order[version.step.name], bool(version.tree)))
    return SkillHistory(
        name,
        tuple(versions),
        {v.step.name: v.step.draft_trailers.get("Example", []) for v in versions},
        _releases(library, versions),
        tuple(_became(all_steps, name)),
    )


def _removed_in(step: HistoryStep) -> list[str]:
    """The skills that a step removed: a new one in it was made of them."""
    return [name for name, change in step.skills.items() if not change.after]


def _became(all_steps: list[HistoryStep], name: str) -> list[str]:
    """The skills that were added or changed when this one was removed."""
    last = next((s for s in reversed(all_steps) if name in s.skills), None)
    if last is None or last.skills[name].after:
        return []
    into = last.draft_trailers.get("Absorbed-Into", [])
    others = [other for other, change in last.skills.items() if change.after]
    return list(dict.fromkeys([*into, *others]))


def _releases(library: Library, versions: list[HistoryVersion]) -> dict[str, list[str]]:
    """The release tags that contain each version, by its tree."""
    repo = library.repository()
    tags = repo.refs("refs/tags/v*")
    released: dict[str, list[str]] = {}
    for skill in {version.skill for version in versions}:
        for tag in tags:
            tree = repo.name_of(f"{tag}:{SKILLS}/{skill}")
            released.setdefault(tree, []).append(tag.removeprefix("refs/tags/"))
    return released
