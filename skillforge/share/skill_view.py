"""One skill at a commit, and its files."""

from collections.abc import Mapping
from dataclasses import dataclass

from skillforge.errors import RequestError
from skillforge.library import Library
from skillforge.model import SKILL_FILE, File, FileKind, Skill
from skillforge.text import nearest


@dataclass(frozen=True, slots=True)
class SkillView:
    """A skill at a commit, with the tree that is its version."""

    skill: Skill
    commit: str
    tree: str

    @property
    def files(self) -> Mapping[str, File]:
        return self.skill.files

    def words(self, field: str) -> str:
        return self.skill.document.words(field) if self.skill.document else ""

    @property
    def version(self) -> str:
        document = self.skill.document
        version = document.metadata("version") if document else ""
        return version or self.words("version")

    @property
    def body(self) -> str:
        """The instructions; the whole text if the frontmatter cannot be read."""
        return self.skill.document.body if self.skill.document else ""


def find(library: Library, commit: str, name: str) -> SkillView | None:
    """A skill at a commit; None if there is none of this name."""
    tree = library.skill_trees(commit).get(name) if name.isprintable() else None
    skill = library.skill_at(commit, name) if tree else None
    return SkillView(skill, commit, tree) if tree and skill else None


def removed(name: str, successors: tuple[str, ...], commit: str) -> RequestError:
    """The error for a skill that `commit` removed, with the skills that replace it."""
    history = f"; for its history: skillforge why {name}"
    if successors:
        return RequestError(
            f"the skill {name} was merged into {', '.join(successors)}",
            hint=f"skillforge show {successors[0]}{history}",
        )
    return RequestError(
        f"the skill {name} was removed",
        hint=f"skillforge show {name} --rev {commit[:12]}~1{history}",
    )


def read_file(shown: SkillView, path: str) -> bytes:
    """The bytes of one file of a skill."""
    inner = path.removeprefix("./")
    file = shown.files.get(inner)
    if file is None:
        raise _no_file(shown, path)
    if file.kind not in (FileKind.FILE, FileKind.EXECUTABLE):
        raise RequestError(
            f"{path} of {shown.skill.name} is a {file.kind}, not a file",
            hint=f"skillforge show {shown.skill.name} lists its files",
        )
    return shown.skill.read(inner)


def _no_file(shown: SkillView, path: str) -> RequestError:
    inner = [file for file in shown.files if file.startswith(f"{path.rstrip('/')}/")]
    suggestion = inner[0] if inner else nearest(path, list(shown.files))
    name = shown.skill.name
    return RequestError(
        f"{path} is a folder of {name}" if inner else f"{name} has no file {path!r}",
        hint=f"skillforge show {name} {suggestion or SKILL_FILE}; "
        f"skillforge show {name} lists its files",
    )
