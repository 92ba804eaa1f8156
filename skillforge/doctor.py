"""What of this machine Skillforge can use."""

import platform
import shutil
import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import NamedTuple

from skillforge import gitrepo, sandbox
from skillforge.errors import SkillforgeError
from skillforge.forge.place import find, is_github, token
from skillforge.gitrepo import remote
from skillforge.library import Library

_GIT_LEAST = (2, 38)  # the first with `git merge-tree --write-tree`
_LIBRARIES = {
    "GitPython": "git",
    "click": "click",
    "jsonschema": "jsonschema",
    "python-frontmatter": "frontmatter",
    "PyYAML": "yaml",
    "ruamel.yaml": "ruamel.yaml",
}


class Item(NamedTuple):
    """One thing that was looked at. What is not required may be missing."""

    name: str
    ok: bool
    detail: str
    required: bool = True
    hint: str = ""


def examine(start: Path) -> list[Item]:
    """Look at everything that a command may need."""
    return [
        _python(),
        _git(),
        *(_python_library(name, module) for name, module in _LIBRARIES.items()),
        _fast_yaml(),
        _tool("pre-commit", "checks skills before each commit: pip install pre-commit"),
        _tool("gh", "checks out pull requests, and logs in to GitHub: gh auth login"),
        _pygithub(),
        *_token(start),
        *_sandboxes(),
        _identity(start),
        _library(start),
    ]


def _python() -> Item:
    enough = sys.version_info >= (3, 11)
    return Item(
        "Python", enough, platform.python_version(), hint="install 3.11 or newer"
    )


def _git() -> Item:
    try:
        version = gitrepo.version()
    except SkillforgeError as err:
        return Item("git", False, err.message, hint=err.hint)
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    least = ".".join(map(str, _GIT_LEAST))
    return Item("git", numbers >= _GIT_LEAST, version, hint=f"install {least} or newer")


def _python_library(name: str, module: str) -> Item:
    try:
        import_module(module)
        return Item(name, True, metadata.version(name))
    except (ImportError, metadata.PackageNotFoundError) as err:
        hint = "pip install --force-reinstall git-skillforge"
        return Item(name, False, str(err), hint=hint)


def _pygithub() -> Item:
    item = _python_library("PyGithub", "github")
    hint = "proposals as pull requests: pip install 'git-skillforge[github]'"
    return item._replace(required=False, hint=hint)


def _token(start: Path) -> list[Item]:
    """For a library on GitHub: whether we would be let in; nothing is sent."""
    try:
        library = Library.find(start)
        url = remote.origin(library.repository())[1] if library else ""
        place = find(url)
        if place is None or not is_github(place):
            return []
        token(place, is_named=False)
    except SkillforgeError as err:
        return [Item("GitHub", False, err.message, False, err.hint)]
    return [Item("GitHub", True, f"there is a token for {place}", False)]


def _fast_yaml() -> Item:
    import yaml

    fast = hasattr(yaml, "CSafeLoader")
    detail = "libyaml" if fast else "pure Python: checking takes ten times as long"
    return Item(
        "YAML parser", fast, detail, False, "pip install --force-reinstall PyYAML"
    )


def _tool(name: str, purpose: str) -> Item:
    found = shutil.which(name)
    return Item(name, found is not None, found or "not installed", False, purpose)


def _sandboxes() -> list[Item]:
    """Each sandbox, tried; one that works is enough, and with a gap none is used."""
    items = []
    for name in sandbox.NAMES:
        box = sandbox.backend(name)
        gaps = box.gaps()
        items.append(
            Item(
                f"sandbox {name}",
                not gaps,
                "; ".join(gaps) or box.about(),
                False,
                "tests of skills run in one of bubblewrap, docker and podman",
            )
        )
    return items


def _identity(start: Path) -> Item:
    library = Library.find(start)
    if library is None or library.repo is None:
        return Item("git user", False, "no repository here", False, "skillforge init")
    try:
        user = library.repo.start_identity().wait()
    except SkillforgeError as err:
        return Item("git user", False, err.message, False, err.hint)
    return Item("git user", True, str(user), False)


def _library(start: Path) -> Item:
    library = Library.find(start)
    if library is None:
        return Item("library", False, "none here", False, "skillforge init makes one")
    try:
        library.policy()
        count = len(library.folders())
    except SkillforgeError as err:
        return Item("library", False, err.message, hint=err.hint)
    return Item("library", True, f"{library.root}, {count} skills")
