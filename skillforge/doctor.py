"""What of this machine Skillforge can use."""

import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator
from importlib import import_module, metadata
from pathlib import Path
from typing import NamedTuple

from skillforge import agents, gitrepo, sandbox
from skillforge.agents import skills_folder
from skillforge.errors import SkillforgeError
from skillforge.forge.registry import ForgeChoice, choose, hosted
from skillforge.installation import install_command
from skillforge.library import Library
from skillforge.policy import POLICY_FILE
from skillforge.report import plural, printable
from skillforge.store import hook_log

_GIT_LEAST = (2, 38)  # the first with `git merge-tree --write-tree`
_LIBRARIES = {
    "GitPython": "git",
    "click": "click",
    "jsonschema": "jsonschema",
    "python-frontmatter": "frontmatter",
    "PyYAML": "yaml",
    "ruamel.yaml": "ruamel.yaml",
}


class DoctorItem(NamedTuple):
    """One thing that was looked at. What is not required may be missing."""

    name: str
    ok: bool
    detail: str
    required: bool = True
    hint: str = ""
    weaknesses: tuple[str, ...] = ()


def examine(start: Path) -> list[DoctorItem]:
    """Look at everything that a command may need."""
    return [
        _python(),
        _git(),
        *(_python_library(name, module) for name, module in _LIBRARIES.items()),
        _fast_yaml(),
        *_extras(),
        _tool("gh", "checks out pull requests, and logs in to GitHub: gh auth login"),
        *_sandboxes(),
        _identity(start),
        *_library(start),
        _agents(),
        *_last_hook(start),
        _completion(),
    ]


def _python() -> DoctorItem:
    enough = sys.version_info >= (3, 11)
    return DoctorItem(
        "Python", enough, platform.python_version(), hint="install 3.11 or newer"
    )


def _git() -> DoctorItem:
    try:
        version = gitrepo.version()
    except SkillforgeError as err:
        return DoctorItem("git", False, err.message, hint=err.hint)
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    least = ".".join(map(str, _GIT_LEAST))
    return DoctorItem(
        "git", numbers >= _GIT_LEAST, version, hint=f"install {least} or newer"
    )


def _python_library(name: str, module: str) -> DoctorItem:
    try:
        import_module(module)
        return DoctorItem(name, True, metadata.version(name))
    except (ImportError, metadata.PackageNotFoundError) as err:
        hint = install_command()
        return DoctorItem(name, False, str(err), hint=hint)


def _extras() -> Iterator[DoctorItem]:
    """What the extras of our package add."""
    extras = {
        ("PyGithub", "github"): "proposals as pull requests",
        ("mcp", "mcp"): "tools for agents (skillforge mcp)",
    }
    for (name, module), purpose in extras.items():
        hint = f"{purpose}: {install_command(module)}"
        yield _python_library(name, module)._replace(required=False, hint=hint)


def _fast_yaml() -> DoctorItem:
    import yaml

    fast = hasattr(yaml, "CSafeLoader")
    detail = "libyaml" if fast else "pure Python: checking takes ten times as long"
    return DoctorItem(
        "YAML parser", fast, detail, False, "pip install --force-reinstall PyYAML"
    )


def _tool(name: str, purpose: str) -> DoctorItem:
    beside = os.pathsep.join((os.environ.get("PATH", ""), str(Path(sys.prefix, "bin"))))
    found = shutil.which(name, path=beside)
    return DoctorItem(name, found is not None, found or "not installed", False, purpose)


def _sandboxes() -> list[DoctorItem]:
    """Each sandbox, tried; one that works is enough, and with a gap none is used."""
    items = []
    for name in sandbox.names():
        box = sandbox.backend(name)
        gaps = box.gaps()
        weak = () if gaps else tuple(box.weaknesses())
        detail = "; ".join(gaps) or box.about()
        items.append(DoctorItem(f"sandbox {name}", not gaps, detail, False, "", weak))
    if any(item.ok for item in items):
        return items
    hint = (
        f"without one no test of a skill is run: {install_command('sandbox')}; "
        "or install docker or podman"
    )
    return [*items[:-1], items[-1]._replace(hint=hint)]


def _identity(start: Path) -> DoctorItem:
    library = Library.find(start)
    if library is None or library.repo is None:
        return DoctorItem(
            "git user", False, "no repository here", False, "skillforge init"
        )
    try:
        user = library.repo.start_identity().wait()
    except SkillforgeError as err:
        return DoctorItem("git user", False, err.message, False, err.hint)
    return DoctorItem("git user", True, str(user), False)


def _library(start: Path) -> Iterator[DoctorItem]:
    """The library, and what of it decides how commands behave."""
    library = Library.find(start)
    if library is None:
        yield DoctorItem(
            "library", False, "none here", False, "skillforge init makes one"
        )
        return
    yield _skills(library)
    yield _policy(library)
    if library.repo is not None:
        yield from _forge(library)
        yield _store(library)
    if library.repo is not None and not library.repo.is_bare:
        yield _pre_commit(library)


def _skills(library: Library) -> DoctorItem:
    try:
        if library.repo is not None and library.repo.is_bare:
            count = len(library.skill_trees(library.main))
        else:
            count = len(library.folders())
    except SkillforgeError as err:
        return DoctorItem("library", False, err.message, hint=err.hint)
    return DoctorItem("library", True, f"{library.root}, {plural(count, 'skill')}")


def _policy(library: Library) -> DoctorItem:
    try:
        policy = library.policy()
    except SkillforgeError as err:
        return DoctorItem("policy", False, err.message, hint=err.hint)
    has_file = (library.root / POLICY_FILE).exists()
    told = POLICY_FILE if has_file else "the defaults"
    return DoctorItem(
        "policy", True, f"{told}: the gate runs {', '.join(policy.checks)}"
    )


def _forge(library: Library) -> Iterator[DoctorItem]:
    """Where proposals go, and how the user is logged in; the network is not used."""
    try:
        repo, policy = library.repository(), library.policy()
        forge = choose(repo, library.main, ForgeChoice(), policy.forge)
    except SkillforgeError as err:
        yield DoctorItem("forge", False, err.message, False, err.hint)
        return
    if forge.is_local:
        where = "this repository's own refs"
        yield DoctorItem("forge", True, f"{where}; {forge.note}".rstrip("; "), False)
        return
    shared = hosted(forge)
    yield DoctorItem("forge", True, f"pull requests of {shared.address}", False)
    try:
        yield DoctorItem(shared.label, True, shared.check_access(), False)
    except SkillforgeError as err:
        yield DoctorItem(shared.label, False, err.message, False, err.hint)


def _store(library: Library) -> DoctorItem:
    """The private state of the clone, read through once."""
    from skillforge.store import count_rows

    try:
        examples, uses = count_rows(library.repository().common_dir)
    except SkillforgeError as err:
        return DoctorItem("private store", False, err.message, hint=err.hint)
    detail = f"{plural(examples, 'example')}, {plural(uses, 'use')}"
    return DoctorItem("private store", True, detail)


def _pre_commit(library: Library) -> DoctorItem:
    tool = _tool(
        "pre-commit", "checks skills before each commit: pip install pre-commit"
    )
    hook = library.repository().common_dir / "hooks" / "pre-commit"
    if tool.ok and not hook.exists():
        hint = "checks skills before each commit: pre-commit install"
        return tool._replace(ok=False, detail="not in use in this clone", hint=hint)
    return tool


def _agents() -> DoctorItem:
    """Agents of this user, by the folders that they keep."""
    found = []
    for name in agents.names():
        try:
            folder = skills_folder(name).parent
        except SkillforgeError as err:
            return DoctorItem("agents", False, err.message, False, err.hint)
        if folder.is_dir():
            found.append(f"{name} ({folder})")
    hint = "skillforge sync --to DIR lays skills out for any other"
    return DoctorItem(
        "agents", bool(found), ", ".join(found) or "none found", False, hint
    )


def _last_hook(start: Path) -> Iterator[DoctorItem]:
    """How the last `hook run` ended; it reports nothing to the agent that called it."""
    library = Library.find(start)
    repo = library.repo if library else None
    try:
        found = hook_log.last(repo.common_dir if repo else None)
    except SkillforgeError:  # _git and _library report that
        return
    if found is None:
        return
    outcome, path = found
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(outcome["at"]))
    agent = outcome.get("agent") or "an agent"
    if "error" in outcome:
        detail = f"the last run, for {agent}, failed at {when}: {outcome['error']}"
        hint = f"skillforge hook run {agent} --debug shows it; all runs: {path}"
        yield DoctorItem(
            "agent hooks", False, printable(detail), False, printable(hint)
        )
    else:
        detail = f"the last run, for {agent}, was at {when}"
        yield DoctorItem("agent hooks", True, printable(detail), False)


_STARTS = {
    "bash": (".bashrc", 'eval "$(skillforge completion bash)"'),
    "zsh": (".zshrc", 'eval "$(skillforge completion zsh)"'),
    "fish": (".config/fish/config.fish", "skillforge completion fish | source"),
}


def _completion() -> DoctorItem:
    """Whether the user's shell was told of our commands."""
    shell = Path(os.environ.get("SHELL", "")).name
    if shell not in _STARTS:
        detail = f"not for {shell}" if shell else "no $SHELL"
        hint = "skillforge completion knows bash, zsh and fish"
        return DoctorItem("completion", False, detail, False, hint)
    file, line = _STARTS[shell]
    try:
        text = (Path.home() / file).read_text(encoding="utf-8", errors="replace")
    except (OSError, RuntimeError):
        text = ""
    is_on = "skillforge completion" in text or "_SKILLFORGE_COMPLETE" in text
    detail = f"{shell}, by ~/{file}" if is_on else f"not in ~/{file}"
    return DoctorItem("completion", is_on, detail, False, f"add to it: {line}")
