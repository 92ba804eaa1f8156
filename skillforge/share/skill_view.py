"""One skill as a reader sees it: facts and body, or one of its files."""

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
        said = document.metadata("version") if document else ""
        return said or self.words("version")

    @property
    def body(self) -> str:
        """The instructions; where the header cannot be read, the whole text."""
        return self.skill.document.body if self.skill.document else ""


def find(library: Library, commit: str, name: str) -> SkillView | None:
    """A skill at a commit, if it is there."""
    is_name = "/" not in name and name not in ("", ".", "..") and name.isprintable()
    tree = library.skill_trees(commit).get(name) if is_name else None
    skill = library.skill_at(commit, name) if tree else None
    return SkillView(skill, commit, tree) if tree and skill else None


def moved(name: str, became: tuple[str, ...], commit: str) -> RequestError:
    """What to say of a skill that went away, and of what has taken its place."""
    if became:
        return RequestError(
            f"the skill {name} went into {', '.join(became)}",
            hint=f"skillforge show {became[0]}; skillforge why {name} tells the story",
        )
    return RequestError(
        f"the skill {name} was removed",
        hint=f"as it was: skillforge show {name} --rev {commit[:12]}~1; "
        f"skillforge why {name} tells the story",
    )


def read_file(shown: SkillView, path: str) -> bytes:
    """The bytes of one file of a skill."""
    wanted = path.removeprefix("./")
    file = shown.files.get(wanted)
    if file is None:
        raise _no_file(shown, path)
    if file.kind not in (FileKind.FILE, FileKind.EXECUTABLE):
        raise RequestError(
            f"{path} of {shown.skill.name} is a {file.kind}, not a file",
            hint=f"skillforge show {shown.skill.name} lists its files",
        )
    return shown.skill.read(wanted)


def _no_file(shown: SkillView, path: str) -> RequestError:
    inner = [file for file in shown.files if file.startswith(f"{path.rstrip('/')}/")]
    meant = inner[0] if inner else nearest(path, list(shown.files))
    name = shown.skill.name
    return RequestError(
        f"{path} is a folder of {name}" if inner else f"{name} has no file {path!r}",
        hint=f"skillforge show {name} {meant or SKILL_FILE}; skillforge show {name} "
        "lists all",
    )
