"""New libraries and new skills, from templates. Overwrites nothing unless told to."""

import re
from pathlib import Path
from typing import NamedTuple

from skillforge import default_branch
from skillforge.document.edit import scalar
from skillforge.errors import ConflictError, RequestError, ToolError
from skillforge.gitrepo import GitRepo, find_root
from skillforge.installation import requirement
from skillforge.library import Library, replace_file
from skillforge.model import SKILL_FILE, SKILLS
from skillforge.policy import POLICY_FILE, read_policy
from skillforge.resources import github_files, template

_LIBRARY_FILES = {
    POLICY_FILE: "skillforge.yaml",
    ".gitignore": "gitignore",
    ".pre-commit-config.yaml": "pre-commit-config.yaml",
    f"{SKILLS}/changelog-entry/{SKILL_FILE}": "sample-skill.md",
}
TOOL_FILE = ".github/skillforge/requirements.txt"
_TOOL = (
    "# What the workflows install, read from the base revision of what they check.\n"
)
_NAME = re.compile(r"(?!.*--)[a-z0-9][a-z0-9-]{1,62}[a-z0-9]")


class InitResult(NamedTuple):
    """What `init` did: files it wrote, and files it left as they were.

    `branch` is the one that promotion moves, empty if that is undecided.
    """

    root: Path
    written: list[str]
    kept: list[str]
    branch: str = ""

    @property
    def is_branch_unnamed(self) -> bool:
        """Whether the policy should name the branch, and does not."""
        if self.branch in ("", default_branch.DEFAULT):
            return False
        policy = read_policy(Library(self.root).read_file(POLICY_FILE))
        return policy.branch != self.branch


def init(start: Path, *, force: bool = False, github: bool = False) -> InitResult:
    """Make a library of a folder, which becomes a git repository if it is none."""
    _make_folder(start)
    root = find_root(start.absolute()) or start.absolute()
    if not (root / ".git").exists():
        if find_root(root):
            raise RequestError(
                f"{root} is a bare repository and has no files to write",
                hint="run `skillforge init` in a clone of it, and push",
            )
        GitRepo.init(root)
    repo = GitRepo(root)
    made = InitResult(root, [], [], default_branch.settle(repo))
    files = {path: template(source) for path, source in _wanted(root).items()}
    for path, text in (files | (_github() if github else {})).items():
        exists = (root / path).exists() or (root / path).is_symlink()
        if exists and not force:
            made.kept.append(path)
        else:
            more = _settings(repo, made.branch) if path == POLICY_FILE else ""
            _write(root / path, text + more)
            made.written.append(path)
    return made


def _github() -> dict[str, str]:
    """Workflows and forms for a library on GitHub, and the tool that they install."""
    line = requirement("github,sandbox")
    told = f"{_TOOL}{line}\n" if line else _TOOL + template("requirements.txt")
    return github_files() | {TOOL_FILE: told}


def names_no_tool(root: Path) -> bool:
    """Whether the workflows of a library still have to be told what to install."""
    try:
        said = (root / TOOL_FILE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return template("requirements.txt").splitlines()[-1] in said


def _settings(repo: GitRepo, branch: str) -> str:
    """What the policy of this library says beyond the defaults.

    That is its branch, if it is another than usual, and for a library with a history
    where the reviewed part begins.
    """
    text = ""
    if branch not in ("", default_branch.DEFAULT):
        text += f"#\nbranch: {scalar(branch)}\n"
    if head := repo.name_of("HEAD^{commit}"):
        text += f"""#
# What is in history up to this commit was there before skills were reviewed.
adopted: "{head}"
"""
    return text


def _wanted(root: Path) -> dict[str, str]:
    """The files of a library; a library that has skills needs no sample."""
    skills = root / SKILLS
    has_skills = skills.is_dir() and any(
        child.is_dir() and child.name != "changelog-entry" for child in skills.iterdir()
    )
    sample = f"{SKILLS}/changelog-entry/{SKILL_FILE}"
    return {p: t for p, t in _LIBRARY_FILES.items() if not (has_skills and p == sample)}


def new_skill(library: Library, name: str, description: str) -> Path:
    """Make `skills/<name>/SKILL.md` from the template, and return its path."""
    if not _NAME.fullmatch(name):
        better = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64]
        raise RequestError(
            f"{name!r} cannot be a skill's name",
            hint="use 3 to 64 of a-z, 0-9 and single hyphens"
            + (f", such as {better}" if _NAME.fullmatch(better) else ""),
        )
    if library.repo is not None and library.repo.is_bare:
        raise RequestError(
            f"{library.root} is a bare repository and has no files to write",
            hint="run `skillforge new` in a clone of it",
        )
    folder = library.skills_dir / name
    if folder.exists() or folder.is_symlink():
        raise ConflictError(
            f"the skill {name} exists already",
            hint=f"edit {folder / SKILL_FILE}, or choose another name",
        )
    title = name.replace("-", " ").capitalize()
    says = description or f"{title}. Use when the user asks for it."
    page = template("new-skill.md").format(
        name=name, title=title, description=scalar(says)
    )
    _write(folder / SKILL_FILE, page)
    return folder / SKILL_FILE


def _write(path: Path, content: str) -> None:
    _make_folder(path.parent)
    replace_file(path, content.encode())


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise ToolError(f"cannot make the folder {folder}: {err.strerror}") from err
