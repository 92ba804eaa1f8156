"""Create libraries and skills from templates."""

import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path

from skillforge import default_branch
from skillforge.checks.path_policy import is_skill_name
from skillforge.document.edit import scalar
from skillforge.errors import ConflictError, RequestError, ToolError
from skillforge.gitrepo import GitRepo, find_root
from skillforge.installation import requirement
from skillforge.library import Library, replace_file
from skillforge.library.skill_discovery import Discovery, discover
from skillforge.model import SKILL_FILE, SKILLS, Layout
from skillforge.policy import POLICY_FILE, read_policy
from skillforge.resources import github_files, template

_SAMPLE = f"{SKILLS}/changelog-entry/{SKILL_FILE}"
_LIBRARY_FILES = {
    POLICY_FILE: "skillforge.yaml",
    ".gitignore": "gitignore",
    ".pre-commit-config.yaml": "pre-commit-config.yaml",
    _SAMPLE: "sample-skill.md",
}
TOOL_FILE = ".github/skillforge/requirements.txt"
_TOOL = "# What the workflows install; read from the base revision.\n"
_NAME = re.compile(r"(?!.*--)[a-z0-9][a-z0-9-]{1,62}[a-z0-9]")


@dataclass(frozen=True, slots=True)
class NewLibrary:
    """A new library: the files that were written, and existing ones that were kept.

    `to_complete` are files that the user has to edit. `branch` is the one that
    promotion moves, empty if that is undecided.
    """

    root: Path
    written: tuple[str, ...]
    kept: tuple[str, ...]
    branch: str = ""
    to_complete: tuple[str, ...] = ()
    has_workflows: bool = False
    discovery: Discovery = field(default_factory=lambda: Discovery({}, {}))

    @property
    def missed(self) -> list[str]:
        """Skills that the policy's globs do not cover."""
        layout = Library(self.root).checkout_layout
        return [f for f in self.discovery.skills if not layout.name_of(f)]

    @property
    def is_branch_unnamed(self) -> bool:
        """Whether the policy should name the branch but doesn't."""
        if self.branch in ("", default_branch.DEFAULT):
            return False
        policy = read_policy(Library(self.root).read_file(POLICY_FILE))
        return policy.branch != self.branch


@dataclass(frozen=True, slots=True)
class NewSkill:
    """A new skill, and the path of its SKILL.md in the library."""

    name: str
    path: str


def init(start: Path, *, force: bool = False, github: bool = False) -> NewLibrary:
    """Create a library in a folder, which becomes a git repository if needed.

    Existing files are kept, unless `force` overwrites them.
    """
    _make_folder(start)
    root = find_root(start.absolute()) or start.absolute()
    if not (root / ".git").exists():
        if find_root(root):
            raise RequestError(
                f"{root} is a bare repository, which has no files",
                hint="run skillforge init in a clone of it, and push",
            )
        GitRepo.init(root)
    repo = GitRepo(root)
    branch = default_branch.settle(repo)
    written, existing = [], []
    discovery = discover(root, repo)
    layout = _layout(root, discovery, force=force)
    files = _library_files(layout, has_skills=bool(discovery.skills))
    files |= _github_files(layout) if github else {}
    for path, text in files.items():
        exists = (root / path).exists() or (root / path).is_symlink()
        if exists and not force:
            existing.append(path)
        else:
            more = _settings(repo, branch, layout) if path == POLICY_FILE else ""
            _write(root / path, text + more)
            written.append(path)
    to_complete = (TOOL_FILE,) if _names_no_tool(root) else ()
    return NewLibrary(
        root, tuple(written), tuple(existing), branch, to_complete, github, discovery
    )


def _layout(root: Path, discovery: Discovery, *, force: bool) -> Layout:
    """Where skills are: as an existing policy says, else where they were found."""
    if not force and (root / POLICY_FILE).is_file():
        return Library(root).checkout_layout
    return Layout(discovery.globs)


def _github_files(layout: Layout) -> dict[str, str]:
    """Workflows and forms for a library on GitHub, and the tool that they install."""
    line = requirement("github,sandbox")
    tool = f"{line}\n" if line else template("requirements.txt")
    files = {path: with_paths(text, layout) for path, text in github_files().items()}
    return files | {TOOL_FILE: _TOOL + tool}


def _names_no_tool(root: Path) -> bool:
    """Whether the workflows don't know yet what to install."""
    try:
        text = (root / TOOL_FILE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return template("requirements.txt").splitlines()[-1] in text


def _settings(repo: GitRepo, branch: str, layout: Layout) -> str:
    """The policy keys of this library that differ from the defaults.

    They are where its skills are, its branch, if it has another name, and the commit at
    which reviews begin, if it has a history.
    """
    text = ""
    if not layout.is_default:
        lines = "".join(f"  - {scalar(glob)}\n" for glob in layout.globs)
        text += f"#\nskills:\n{lines}"
    if branch not in ("", default_branch.DEFAULT):
        text += f"#\nbranch: {scalar(branch)}\n"
    if head := repo.name_of("HEAD^{commit}"):
        text += f"""#
# History up to this commit is from before skills were reviewed.
adopted: "{head}"
"""
    return text


def _library_files(layout: Layout, *, has_skills: bool) -> dict[str, str]:
    """The files of a library by path; one that has skills needs no sample."""
    return {
        path: with_paths(template(source), layout)
        for path, source in _LIBRARY_FILES.items()
        if not (has_skills and path == _SAMPLE)
    }


def with_paths(text: str, layout: Layout) -> str:
    """A template with the folders of a layout in place of `skills/`."""
    if layout.is_default:
        return text
    patterns = (re.escape(glob).replace(r"\*", "[^/]+") for glob in layout.globs)
    roots = ", ".join(f'"{root}/**"' for root in layout.roots)
    hook = f"files: ^({'|'.join(patterns)})/"
    return text.replace("files: ^skills/[^/]+/", hook).replace('"skills/**"', roots)


def new_skill(library: Library, name: str, description: str = "") -> NewSkill:
    """Create `skills/<name>/SKILL.md` from the template."""
    layout = library.checkout_layout
    name = layout.name_of(posixpath.normpath(name)) or name
    last = name.rpartition("/")[2]
    if not _NAME.fullmatch(last) or not is_skill_name(name):
        better = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64]
        raise RequestError(
            f"{name!r} is not a valid skill name",
            hint="use 3 to 64 characters: a-z, 0-9 and single hyphens"
            + (f", such as {better}" if _NAME.fullmatch(better) else ""),
        )
    if library.repo is not None and library.repo.is_bare:
        raise RequestError(
            f"{library.root} is a bare repository, which has no files",
            hint="run skillforge new in a clone of it",
        )
    if not layout.has_name(name):
        raise RequestError(
            f"{name!r} would be outside of {', '.join(layout.globs)}",
            hint=f"use a name such as {layout.example(name)}",
        )
    folder = library.root / layout.path_of(name)
    if folder.exists() or folder.is_symlink():
        raise ConflictError(
            f"the skill {name} already exists",
            hint=f"edit {folder / SKILL_FILE}, or choose another name",
        )
    title = last.replace("-", " ").capitalize()
    description = description or "TODO: What the skill does, and when to use it."
    page = template("new-skill.md").format(
        name=last, title=title, description=scalar(description)
    )
    path = folder / SKILL_FILE
    _write(path, page)
    return NewSkill(name, path.relative_to(library.root).as_posix())


def _write(path: Path, content: str) -> None:
    _make_folder(path.parent)
    replace_file(path, content.encode())


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise ToolError(f"cannot create the folder {folder}: {err.strerror}") from err
